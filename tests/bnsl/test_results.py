"""Results: their contents, as tables, graphs, pictures and files, and as inputs of other functions."""

from __future__ import annotations

import sys
from pathlib import Path

import networkx
import numpy as np
import pyarrow
import pytest

import bnsl

RAIN = {
    "rain": ["no", "no", "no", "yes"] * 25,
    "sprinkler": ["on", "off", "off", "off"] * 25,
    "wet": ["yes", "no", "no", "yes"] * 25,
    "coin": ["0", "1", "1", "0", "1", "0", "1", "0", "0", "1"] * 10,
}


@pytest.fixture(scope="module")
def network() -> bnsl.Network:
    return bnsl.learn(RAIN, require=["rain->wet", ("sprinkler", "wet")], smoothing=1, seed=1, quiet=True)


def test_a_network_has_its_structure_score_and_claim(network: bnsl.Network):
    assert network.variables == tuple(RAIN)
    assert network.parents("wet") == ("rain", "sprinkler")
    assert {("rain", "wet"), ("sprinkler", "wet")} <= set(network.arcs)
    assert network.score == pytest.approx(sum(network.record.scores))
    assert network.gap == pytest.approx(0, abs=1e-6)
    assert network.claim == "optimal among all networks under the constraints"
    assert not network.interrupted
    assert repr(network).startswith("<Network: bic ")


def test_the_parents_of_an_unknown_variable(network: bnsl.Network):
    with pytest.raises(bnsl.UsageError, match=r"the network has no variable 'rian'\. Did you mean 'rain'"):
        network.parents("rian")
    with pytest.raises(bnsl.UsageError, match="no variable 0"):
        network.parents(0)


def test_a_network_becomes_a_graph_of_networkx(network: bnsl.Network):
    graph = network.to_networkx()
    assert networkx.is_directed_acyclic_graph(graph)
    assert set(graph.edges) == set(network.arcs)
    assert graph.nodes["rain"]["states"] == ("no", "yes")
    assert graph.edges["rain", "wet"]["direction"] in ("data", "knowledge")
    counted = bnsl.average([network, network], quiet=True).to_networkx()
    assert {data["strength"] for _, _, data in counted.edges(data=True)} <= {0.5, 1.0}


def test_a_package_that_is_not_installed_is_named(network: bnsl.Network, monkeypatch):
    for package, convert in (
        ("networkx", network.to_networkx),
        ("pgmpy", network.to_pgmpy),
        ("pyagrum", network.to_pyagrum),
        ("pandas", network.to_pandas),
        ("polars", network.to_polars),
        ("pandas", network.predict(RAIN, "wet").to_pandas),
        ("polars", network.predict(RAIN, "wet").to_polars),
    ):
        with monkeypatch.context() as absent:
            absent.setitem(sys.modules, package, None)
            with pytest.raises(ImportError, match=f"{package} is not installed: pip install {package}"):
                convert()


def test_a_forest_says_how_many_variables_are_screened():
    forest = bnsl.screen(RAIN | {"same": RAIN["rain"]}, eps=0.01, quiet=True)
    assert repr(forest) == "<Forest: 1 of 5 variables screened>"


def test_a_search_without_an_input_names_both_kinds():
    with pytest.raises(bnsl.UsageError, match=r"no input: give sets or data="):
        bnsl.optimize()


def test_a_network_becomes_a_table_of_arcs(network: bnsl.Network):
    table = network.to_arrow()
    assert list(zip(table["from"].to_pylist(), table["to"].to_pylist())) == network.arcs
    assert pyarrow.table(network) == table  # by __arrow_c_stream__


def test_probabilities_are_tables_that_sum_to_one(network: bnsl.Network):
    table = network.cpt("wet")
    assert table.column_names == ["rain", "sprinkler", "wet", "probability"]
    sums = table.to_arrow().group_by(["rain", "sprinkler"]).aggregate([("probability", "sum")])
    assert np.allclose(sums["probability_sum"].to_numpy(), 1)
    [row] = [r for r in table.to_pylist() if (r["rain"], r["sprinkler"], r["wet"]) == ("yes", "off", "yes")]
    assert row["probability"] == pytest.approx((25 + 1 / 8) / (25 + 1 / 4))


def test_predictions_are_those_of_query(network: bnsl.Network):
    rows = {"rain": ["yes", None], "sprinkler": ["off", None]}
    found = network.predict(rows, "wet")
    assert found["wet"].to_pylist()[0] == "yes"
    asked = bnsl.query(network, variables=["wet"], quiet=True).to_pylist()
    assert found["P(wet=no)"].to_pylist()[1] == pytest.approx(asked[0]["probability"])
    assert network.predict(rows, "wet", keep="rain").column_names[0] == "rain"


def test_a_network_without_parameters_says_so():
    network = bnsl.optimize(data=RAIN, quiet=True)
    for ask in (lambda: network.cpt("wet"), lambda: network.predict(RAIN, "wet")):
        with pytest.raises(bnsl.DataError, match=r"network has no parameters|a network with parameters"):
            ask()


def test_networks_are_saved_and_read(network: bnsl.Network, tmp_path: Path):
    for name in ("n.bif", "n.net", "n.net.jsonl", "n.graphml"):
        network.save(tmp_path / name)
        read = bnsl.Network.read(tmp_path / name)
        assert sorted(read.arcs) == sorted(network.arcs)
        if name in ("n.bif", "n.net"):
            assert read.cpt("wet") == network.cpt("wet")
    assert bnsl.Network.read(tmp_path / "n.net.jsonl").score == network.score
    assert (tmp_path / "n.bif").read_text() == bnsl.convert(network, to="bif", quiet=True)
    bnsl.convert(network, output=tmp_path / "converted.bif", quiet=True)
    assert (tmp_path / "converted.bif").read_text() == (tmp_path / "n.bif").read_text()
    with pytest.raises(bnsl.DataError, match="cannot read"):
        bnsl.Network.read(tmp_path / "absent.bif")
    with pytest.raises(bnsl.UsageError, match="give the format to write"):
        network.save(tmp_path / "n.unknown")


def test_replicates_are_networks_of_their_own():
    networks = bnsl.optimize(data=RAIN, bootstrap=3, seed=1, method="hc", quiet=True)
    assert len(networks) == 3 and all(n.variables == tuple(RAIN) for n in networks)
    [single] = bnsl.optimize(data=RAIN, bootstrap=1, seed=1, method="hc", quiet=True)
    assert single.record.parents == networks[0].record.parents


def test_lists_are_a_table_and_an_input(network: bnsl.Network):
    sets = bnsl.parentsets(RAIN, seed=1, quiet=True)
    table = sets.to_arrow()
    assert table.num_rows == sets.record.n_sets and table.column_names == ["child", "parents", "score"]
    best = {row["child"]: row["score"] for row in reversed(table.to_pylist())}
    assert bnsl.optimize(sets, quiet=True, seed=1).score <= sum(best.values()) + 1e-9
    assert repr(sets) == f"<ParentSets: {table.num_rows:,} sets of 4 variables>"


def test_forests_entropies_and_probabilities_of_arcs_are_inputs():
    copied = RAIN | {"copy": RAIN["coin"]}
    entropies = bnsl.entropy(copied, quiet=True)
    forest = bnsl.screen(entropies, eps=0.01, quiet=True)
    pairs = {frozenset(row.values()) for row in forest.to_arrow().to_pylist()}
    assert frozenset({"coin", "copy"}) in pairs
    sets = bnsl.parentsets(copied, screen=forest, keep_mass=0.001, seed=1, quiet=True)
    arcs = bnsl.posterior(sets, quiet=True)
    assert isinstance(arcs, bnsl.ArcProbabilities)
    assert arcs.to_arrow().column_names[:3] == ["parent", "child", "probability"]
    consensus = bnsl.average(arcs, quiet=True)
    [judged] = bnsl.evaluate(strengths=arcs, reference=consensus, quiet=True)
    assert judged["variables"] == 5


def test_learn_refuses_what_is_not_its_task():
    with pytest.raises(bnsl.UsageError, match=r"learn\(\) has no option 'bootstrap'"):
        bnsl.learn(RAIN, bootstrap=3)


def test_learning_reads_numbers_for_parameters_as_for_the_structure(bundled: Path):
    options = {"discretize": "median", "columns": "mean*,diagnosis", "quiet": True}
    network = bnsl.learn(bundled / "wdbc.csv", method="hc", smoothing=1, seed=1, **options)
    found = network.predict(bundled / "wdbc.csv", "diagnosis", columns="mean*,diagnosis")
    assert len(found) == 569
    assert all(len(network.cpt(name)) >= 2 for name in network.variables)


def test_holes_of_numbers_become_numbers():
    numbers = [1.0, 2.0, 3.0, 10.0, 11.0, 12.0] * 20
    table = {"x": numbers, "k": [0, 0, 0, 1, 1, 1] * 20}
    network = bnsl.learn(table, discretize="x=median", smoothing=1, quiet=True)
    filled = network.impute({"x": [None, None, 1.0, 3.0, 11.0], "k": [0, 1, 0, 0, 1]})["x"].to_pylist()
    assert filled == [2.0, 11.0, 1.0, 3.0, 11.0]  # medians of the observed numbers of the interval
    alone = network.impute({"x": [None, 1.5], "k": [1, 0]})["x"].to_pylist()
    assert alone == [3.0, 1.5]  # above the cut at 3 nothing is observed
    drawn = network.impute({"x": [None, 1.0, 3.0], "k": [0, 0, 0]}, how="drawn", seed=1)["x"].to_pylist()
    assert drawn[0] in (1.0, 3.0)


def test_results_have_the_figures_that_stats_writes():
    table = {"a": [0, 1, 1, 1] * 20, "b": [1, 0, 0, 0] * 20}
    sets = bnsl.parentsets(table, quiet=True)
    assert (sets.figures["variables"], sets.figures["sets"]) == (2, sets.record.n_sets)
    network = bnsl.optimize(sets, seed=1, quiet=True)
    assert network.figures["seconds"] >= 0.0
    assert all("seconds" in each.figures for each in bnsl.optimize(data=table, bootstrap=2, seed=1, quiet=True))
    assert bnsl.posterior(sets, quiet=True).figures["seconds"] >= 0.0
    figures = network.fit(table, quiet=True).figures
    assert figures.keys() == {"seconds", "rows"} and figures["rows"] == 80
    with_hole = {**table, "b": [None, *table["b"][1:]]}
    assert network.fit(with_hole, missing="em", quiet=True).figures["holes"] == 1


def test_a_learnt_network_names_both_of_its_commands():
    network = bnsl.learn({"a": [0, 1] * 20, "b": [1, 0] * 20}, smoothing=1, quiet=True)
    assert [entry["stage"] for entry in network.record.header.by] == ["optimize", "fit"]
    assert network.record.header.by[-1]["options"]["smoothing"] == 1
    assert network.record.header.variables == network.model.variables


def test_results_are_saved_in_a_format_that_is_named_or_refused_with_one(tmp_path):
    network = bnsl.optimize(data={"a": [0, 1] * 9, "b": [0, 1] * 9}, require="a->b", quiet=True)
    network.save(tmp_path / "network", to="modelstring")
    assert (tmp_path / "network").read_text().strip() == "[a][b|a]"
    sets = bnsl.parentsets({"a": [0, 1] * 9, "b": [0, 1] * 9}, quiet=True)
    sets.save(tmp_path / "sets", to="jkl")
    assert (tmp_path / "sets").read_text().startswith("2")
    with pytest.raises(
        bnsl.UsageError, match=r'x.arrow: a ParentSets has no rows of data; write to="parentsets", or'
    ):
        sets.save(tmp_path / "x.arrow")
    with pytest.raises(bnsl.UsageError, match=r'to="csv": a Network has no rows of data; write to="network", or its'):
        network.save(tmp_path / "x.csv", to="csv")
