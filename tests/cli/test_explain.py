"""`bnsl explain` and `bnsl.explain`: figures by hand, what networks and rows may bring, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow
import pytest
from helpers.places import ROOT
from helpers.processes import run_bnsl

import bnsl
from formats.tables.results.result_tables import own_header

SMALL = str(ROOT / "tests" / "cases" / "data" / "small.csv")
NETWORK = str(ROOT / "tests" / "cases" / "data" / "small.bif")

TABLE = {"a": ["n"] * 4 + ["y"] * 4, "b": ["n", "n", "n", "y", "y", "y", "y", "n"]}
"""Eight rows: b has the state of a in three of four."""

SPRINKLER = """network sprinkler { }
variable cloudy { type discrete [ 2 ] { yes, no }; }
variable sprinkler { type discrete [ 2 ] { yes, no }; }
variable rain { type discrete [ 2 ] { yes, no }; }
variable wet { type discrete [ 2 ] { yes, no }; }
probability ( cloudy ) { table 0.5, 0.5; }
probability ( sprinkler | cloudy ) { (yes) 0.1, 0.9; (no) 0.5, 0.5; }
probability ( rain | cloudy ) { (yes) 0.8, 0.2; (no) 0.2, 0.8; }
probability ( wet | sprinkler, rain ) {
  (yes, yes) 0.99, 0.01; (yes, no) 0.9, 0.1; (no, yes) 0.9, 0.1; (no, no) 0.0, 1.0;
}
"""


def arcs(network, data, **options) -> dict:
    return {(r["parent"], r["child"]): r for r in bnsl.explain(network, data=data, quiet=True, **options).to_pylist()}


def test_one_arc_by_hand():
    network = bnsl.optimize(data=TABLE, require="a->b", quiet=True)
    information = math.log(2) + 0.75 * math.log(0.75) + 0.25 * math.log(0.25)
    [row] = bnsl.explain(network, data=TABLE, quiet=True).to_pylist()
    assert row["removal_loss"] == pytest.approx(8 * information - 0.5 * math.log(8))
    assert row["reversal_loss"] == 0.0 and row["cycle"] == ""
    assert row["information"] == pytest.approx(information) and row["by_chance"] == 1 / 16
    assert row["direction"] == "knowledge"
    assert row["instead"] is None and row["instead_loss"] is None, "the arc is required"
    [row] = network.explain(TABLE, score="aic").to_pylist()
    assert row["removal_loss"] == pytest.approx(8 * information - 1)


def test_the_sprinkler_by_hand(tmp_path: Path):
    """P(wet) = 0.6471, and by Bayes' rule P(rain | wet) = 0.7079, P(sprinkler | wet) = 0.4298 (Murphy 1998)."""
    path = tmp_path / "sprinkler.bif"
    path.write_text(SPRINKLER)
    network = bnsl.read(path)
    data = network.sample(500, seed=1)
    rows = network.explain(data, target="rain=yes").to_pylist()
    assert rows == bnsl.explain(str(path), data=data, target="rain=yes", quiet=True).to_pylist()
    found = {(row["variable"], row["state"]): row for row in rows}
    wet = found["wet", "yes"]
    assert wet["probability"] == pytest.approx(0.6471) and wet["after"] == pytest.approx(0.7079, abs=5e-5)
    assert wet["difference"] == pytest.approx(0.7079 - 0.5, abs=5e-5)
    assert found["cloudy", "yes"]["after"] == pytest.approx(0.8)
    by_wet = network.explain(data, target="sprinkler=yes").to_pylist()
    [after] = [row["after"] for row in by_wet if (row["variable"], row["state"]) == ("wet", "yes")]
    assert after == pytest.approx(0.4298, abs=5e-5)
    drivers = {row["variable"]: row for row in network.explain(data, target="rain").to_pylist()}
    assert {name: row["relation"] for name, row in drivers.items()} == {
        "cloudy": "parent",
        "wet": "child",
        "sprinkler": "spouse",
    }
    assert (drivers["wet"]["finding"], drivers["wet"]["after"]) == ("no", pytest.approx(0.1188, abs=1e-4))


def test_reversals_that_make_a_cycle_name_it():
    network = bnsl.optimize(data=SMALL, require=["X0->X1", "X1->X2", "X0->X2"], quiet=True)
    row = arcs(network, SMALL)["X0", "X2"]
    assert row["reversal_loss"] is None and row["cycle"] == "X2 -> X0 -> X1 -> X2"


def test_losses_are_differences_of_scores_that_evaluate_gives():
    network = bnsl.optimize(data=SMALL, quiet=True)
    total = network.evaluate(data=SMALL, no_treewidth=True)["bic"]
    for (parent, child), row in arcs(network, SMALL).items():
        without = network.to_networkx()
        without.remove_edge(parent, child)
        fewer = bnsl.networks.Network.from_networkx(without)
        loss = total - fewer.evaluate(data=SMALL, no_treewidth=True)["bic"]
        assert row["removal_loss"] == pytest.approx(loss, abs=1e-8)
        assert row["instead_loss"] >= -1e-9, "no set fits better into the best network"


def test_an_optimal_network_has_no_better_runner_up():
    sets = bnsl.parentsets(SMALL, max_parents=2, quiet=True)
    network = bnsl.optimize(sets, quiet=True)
    rows = bnsl.explain(network, data=SMALL, sets=sets, runners_up=3, quiet=True).to_pylist()
    assert [row["loss"] for row in rows if row["rank"] == 0] == [0.0] * len(network.variables)
    assert min(row["loss"] for row in rows) >= 0.0
    listed = bnsl.explain(network, data=SMALL, runners_up=99, max_parents=2, quiet=True).to_pylist()
    scores = {(row["child"], row["parents"]): row["score"] for row in listed}
    assert all(scores[row["child"], row["parents"]] == pytest.approx(row["score"]) for row in rows)


def test_scores_are_those_of_the_network_unless_given():
    network = bnsl.optimize(data=TABLE, score="bdeu", ess=5, require="a->b", quiet=True)
    default, same = arcs(network, TABLE), arcs(network, TABLE, score="bdeu", ess=5)
    assert default == same != arcs(network, TABLE, score="bic")
    with pytest.raises(bnsl.UsageError, match="ess does not apply to score bic"):
        bnsl.explain(network, data=TABLE, score="bic", ess=2)


def test_strengths_of_a_table_and_of_a_consensus(tmp_path: Path):
    networks = bnsl.optimize(data=SMALL, method="hc", bootstrap=4, seed=1, quiet=True)
    consensus = bnsl.average(networks, seed=1, quiet=True)
    own = arcs(consensus, SMALL)
    table = tmp_path / "s.csv"
    consensus.strengths.save(table)
    for key, row in arcs(consensus, SMALL, strengths=str(table)).items():
        assert row == own[key]
    assert all(0 < row["probability"] <= row["either"] <= 1 for row in own.values())
    posterior = bnsl.posterior(bnsl.parentsets(SMALL, max_parents=2, keep_mass=1e-6, quiet=True), quiet=True)
    expected = {(r["parent"], r["child"]): r["probability"] for r in posterior.to_arrow().to_pylist()}
    for key, row in arcs(consensus, SMALL, strengths=posterior).items():
        assert row["probability"] == pytest.approx(expected[key])


def test_weights_are_rows():
    counted = {"a": ["n", "n", "y", "y"], "b": ["n", "y", "y", "n"], "k": [3, 1, 3, 1]}
    network = bnsl.optimize(data=TABLE, require="a->b", quiet=True)
    assert arcs(network, counted, weights="k") == arcs(network, TABLE)


def test_declared_states_count():
    """A third state of a without rows: the penalty has a configuration more."""
    states = pyarrow.table(
        {
            "a": pyarrow.DictionaryArray.from_arrays([int(v == "y") for v in TABLE["a"]], ["n", "y", "x"]),
            "b": pyarrow.DictionaryArray.from_arrays([int(v == "y") for v in TABLE["b"]], ["n", "y"]),
        }
    )
    network = bnsl.optimize(data=states, require="a->b", quiet=True)
    [row] = bnsl.explain(network, data=states, quiet=True).to_pylist()
    [fewer] = bnsl.explain(bnsl.optimize(data=TABLE, require="a->b", quiet=True), data=TABLE, quiet=True).to_pylist()
    assert row["removal_loss"] == pytest.approx(fewer["removal_loss"] - 0.5 * math.log(8))
    assert row["information"] == fewer["information"]


def test_rows_under_intervention():
    table = {**TABLE, "set": ["", "", "", "b", "", "", "", ""]}
    network = bnsl.optimize(data=table, interventions="set", require="a->b", quiet=True)
    [row] = bnsl.explain(network, data=table, interventions="set", quiet=True).to_pylist()
    kept = {name: [v for k, v in enumerate(TABLE[name]) if k != 3] for name in TABLE}
    [expected] = bnsl.explain(bnsl.optimize(data=kept, require="a->b", quiet=True), data=kept, quiet=True).to_pylist()
    assert row["removal_loss"] == pytest.approx(expected["removal_loss"])
    assert row["information"] == pytest.approx(expected["information"])
    with pytest.raises(bnsl.UsageError, match="interventions cannot be combined with target"):
        bnsl.explain(network, data=table, interventions="set", target="b")


def test_the_order_of_variables_does_not_matter(tmp_path: Path):
    path = tmp_path / "n.csv"
    path.write_text(bnsl.convert(NETWORK, to="arcs", quiet=True))
    assert arcs(str(path), SMALL) == arcs(NETWORK, SMALL)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"target": "X9"}, "no variable 'X9'"),
        ({"target": "X1=7"}, "none of the states"),
        ({"target": "X1", "score": "aic"}, "score explains arcs"),
        ({"target": "X1", "smoothing": 2.0}, "has its own"),
        ({"smoothing": 2.0}, "smoothing needs target"),
        ({"runners_up": 1, "strengths": "s.csv"}, "strengths explains arcs"),
        ({"sets": "s.jsonl", "max_parents": 1}, "max_parents cannot be combined with sets"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict, expected: str):
    with pytest.raises((bnsl.UsageError, bnsl.DataError), match=expected):
        bnsl.explain(NETWORK, data=SMALL, quiet=True, **options)


def test_other_inputs_are_refused(tmp_path: Path):
    other = bnsl.parentsets(TABLE, quiet=True)
    with pytest.raises(bnsl.DataError):
        bnsl.explain(NETWORK, data=SMALL, sets=other, quiet=True)
    graph = tmp_path / "g.dot"
    graph.write_text("graph { a -- b }\n")
    with pytest.raises(bnsl.UsageError, match="essential graph"):
        bnsl.explain(str(graph), data=TABLE, quiet=True)
    missing = {"a": ["n", None, "y", "y"], "b": ["n", "y", "y", "n"]}
    network = bnsl.optimize(data=TABLE, require="a->b", quiet=True)
    with pytest.raises(bnsl.DataError, match="missing cells"):
        bnsl.explain(network, data=missing, quiet=True)
    assert len(arcs(network, missing, missing="drop")) == 1
    table = bnsl.optimize(data=SMALL, method="hc", bootstrap=2, seed=1, quiet=True)
    strengths = bnsl.average(table, seed=1, quiet=True).strengths
    with pytest.raises(bnsl.DataError, match="is missing here"):
        bnsl.explain(network, data=TABLE, strengths=strengths, quiet=True)


def test_a_network_without_arcs_has_an_empty_table():
    network = bnsl.optimize(data=TABLE, forbid=["a->b", "b->a"], quiet=True)
    assert bnsl.explain(network, data=TABLE, quiet=True).to_pylist() == []


def test_all_formats_hold_the_same(tmp_path: Path):
    for suffix in ("csv", "jsonl", "arrows", "feather", "parquet"):
        done = run_bnsl("explain", NETWORK, "--data", SMALL, "-o", str(tmp_path / f"x.{suffix}"))
        assert done.returncode == 0, done.stderr
    from pyarrow import feather, parquet

    table = parquet.read_table(tmp_path / "x.parquet")
    assert table.to_pylist() == feather.read_table(tmp_path / "x.feather").to_pylist()
    assert own_header(table)["explain"]["score"] == "bic"
    assert table.num_rows == len((tmp_path / "x.csv").read_text().splitlines()) - 1
