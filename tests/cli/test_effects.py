"""`bnsl effects` and `bnsl.effects`: sources of structures, their variables and states, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest
from helpers.places import ROOT
from helpers.processes import run_bnsl

import bnsl
from formats.tables.results.result_tables import own_header

SMALL = str(ROOT / "tests" / "cases" / "data" / "small.csv")
NETWORK = str(ROOT / "tests" / "cases" / "data" / "small.bif")
GIVEN = {"data": SMALL, "seed": 1, "quiet": True}


def rows(table) -> dict:
    return {(r["cause"], r["cause_state"], r["effect"], r["effect_state"]): r for r in table.to_pylist()}


def test_one_network_gives_what_queries_of_its_parameters_give():
    """Without a prior worth naming, where all configurations have rows and the cause has all parents of a chain."""
    table = {"a": [0, 1, 1, 0, 1] * 40, "b": [0, 1, 0, 0, 1] * 40, "c": [1, 1, 0, 0, 1] * 40}
    network = bnsl.optimize(data=table, require=["a->b", "b->c", "a->c"], quiet=True)
    fitted = bnsl.fit(network, table, quiet=True)
    found = rows(bnsl.effects(network, data=table, cause="b", effect="c", smoothing=1e-9, seed=1, quiet=True))
    for state in ("0", "1"):
        for row in fitted.do({"b": state}).query(variables=["c"], quiet=True).to_pylist():
            assert found["b", state, "c", row["state"]]["probability"] == pytest.approx(row["probability"], abs=1e-6)


def test_the_order_of_variables_and_states_does_not_matter(tmp_path: Path):
    """A network as arcs, without states and in another order, and the same network with parameters."""
    arcs = tmp_path / "n.csv"
    arcs.write_text(bnsl.convert(NETWORK, to="arcs", quiet=True))
    first, second = rows(bnsl.effects(NETWORK, **GIVEN)), rows(bnsl.effects(str(arcs), **GIVEN))
    assert first.keys() == second.keys()
    for key, row in first.items():
        assert row["probability"] == pytest.approx(second[key]["probability"], abs=1e-12)
        assert row["ancestor"] == second[key]["ancestor"]


def test_an_effect_of_a_variable_on_itself_is_refused():
    with pytest.raises(bnsl.UsageError, match="cause and effect are both 'X1': give two variables"):
        bnsl.effects(NETWORK, cause="X1", effect="X1", **GIVEN)
    found = bnsl.effects(NETWORK, cause="X[12]", effect="X1", **GIVEN)
    assert set(found["cause"].to_pylist()) == {"X2"}


def test_networks_are_averaged_and_an_essential_graph_is_its_members(tmp_path: Path):
    members = [["a->b", "b->c"], ["b->a", "b->c"], ["c->b", "b->a"]]
    table = {"a": [0, 1, 1, 0, 1] * 40, "b": [0, 1, 0, 0, 1] * 40, "c": [1, 1, 0, 0, 1] * 40}
    networks = [bnsl.optimize(data=table, require=arcs, forbid=["a->c", "c->a"], quiet=True) for arcs in members]
    given = {"data": table, "cause": "a", "effect": "c", "seed": 1, "quiet": True}
    one_by_one = [rows(bnsl.effects(network, **given)) for network in networks]
    for key, row in rows(bnsl.effects(networks, **given)).items():
        mean = sum(found[key]["probability"] for found in one_by_one) / 3
        assert row["probability"] == pytest.approx(mean, abs=1e-12)
        assert row["ancestor"] == pytest.approx(1 / 3)
    # The cause has no parent in one member, and one parent in the two others.
    graph = tmp_path / "g.dot"
    graph.write_text("graph { a -- b -- c }\n")
    of_class = rows(bnsl.effects(str(graph), **given))
    for key, row in of_class.items():
        assert row["probability"] == pytest.approx(
            (one_by_one[0][key]["probability"] + one_by_one[1][key]["probability"]) / 2
        )
        assert row["ancestor"] == 0.5
    oriented = rows(bnsl.effects(str(graph), require="a->b", **given))
    assert {row["ancestor"] for row in oriented.values()} == {1.0}


def test_lists_are_averaged_exactly_and_by_samples():
    sets = bnsl.parentsets(
        SMALL, columns=["X0..X4"], score="bdeu", keep_mass=1e-6, max_parents=2, method="sequential", quiet=True
    )
    exact = rows(bnsl.effects(sets, columns=["X0..X4"], **GIVEN))
    sampled = rows(bnsl.effects(sets, columns=["X0..X4"], method="sampled", samples=2000, **GIVEN))
    for key, row in exact.items():
        assert row["probability"] == pytest.approx(sampled[key]["probability"], abs=0.02)
        assert row["ancestor"] == pytest.approx(sampled[key]["ancestor"], abs=0.1)


def test_files_have_the_settings_and_the_assumption():
    written = run_bnsl("effects", NETWORK, "--data", SMALL, "--cause", "X0", "--seed", "1")
    with pyarrow.ipc.open_stream(written.stdout) as stream:
        header = own_header(stream.read_all())
    assert header["effects"] == {"measure": "probability", "level": 0.9, "smoothing": 1.0, "draws": 1000, "seed": 1}
    assert "hidden common cause" in header["note"]
    assert b"hidden common cause" in written.stderr


@pytest.mark.parametrize(
    ("sources", "options", "message"),
    [
        ([NETWORK], {"cause": "Y"}, "no variable 'Y'"),
        ([NETWORK], {"samples": 10}, "needs lists of parent sets"),
        ([NETWORK, NETWORK], {"require": "X0->X1"}, "need one graph, or lists of parent sets"),
        ([SMALL], {}, "expected a network"),
    ],
)
def test_what_does_not_fit_is_refused(sources, options, message):
    with pytest.raises(bnsl.BnslError, match=message):
        bnsl.effects(sources, **GIVEN, **options)


def test_knowledge_goes_with_every_single_graph(tmp_path: Path):
    directed, half = tmp_path / "directed.csv", tmp_path / "half.csv"
    directed.write_text("from,to,type\nX0,X2,directed\nX1,X2,directed\n")
    half.write_text("from,to,type\nX0,X2,directed\nX1,X2,directed\nX3,X4,undirected\n")
    given = GIVEN | {"cause": "X0", "effect": "X2"}
    plain = bnsl.effects(str(directed), **given)
    for graph in (directed, half):
        assert bnsl.effects(str(graph), **given, require="X0->X2") == plain
        for options, said in [
            ({"require": "X2->X0"}, "X0 -> X2, which is required the other way round"),
            ({"forbid": "X0->X2"}, "X0 -> X2, which is forbidden"),
            ({"require": "X0->X1"}, "has no arc X0 -> X1, which is required"),
            ({"tiers": [["X2"], ["X0"]]}, "agree"),
        ]:
            with pytest.raises(bnsl.BnslError, match=said):
                bnsl.effects(str(graph), **given, **options)


def test_a_list_of_arcs_that_leaves_variables_out_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    for path in (one, other):
        path.write_text("from,to\nX0,X2\n")
    bnsl.effects([str(one), str(other)], **GIVEN | {"quiet": False}, cause="X0")
    said = capsys.readouterr().err
    assert [f"{path} is a list of arcs, which names no variable without one" in said for path in (one, other)] == [
        True,
        True,
    ]


def test_other_networks_beside_are_refused(tmp_path: Path):
    graph = tmp_path / "g.dot"
    graph.write_text(bnsl.convert(NETWORK, to="dot", cpdag=True, quiet=True))
    sets = bnsl.parentsets(SMALL, max_parents=1, quiet=True)
    other = bnsl.optimize(data={"a": [0, 1] * 20, "b": [1, 0] * 20}, quiet=True)
    for sources, message in [
        ([str(graph), NETWORK], "an essential graph is read alone"),
        ([NETWORK, str(graph)], "an essential graph is read alone"),
        ([sets, NETWORK], "is read alone"),
        ([NETWORK, other], "different variables"),
    ]:
        with pytest.raises(bnsl.BnslError, match=message):
            bnsl.effects(sources, **GIVEN)


def test_arcs_without_a_direction_are_named(tmp_path: Path):
    network = tmp_path / "n.jsonl"
    assert run_bnsl("optimize", "--data", SMALL, "--hc", "--seed", "1", "-o", network).returncode == 0
    result = run_bnsl("effects", network, "--data", SMALL, "--cause", "X0", "--seed", "1")
    assert b"nothing decides the direction of" in result.stderr
