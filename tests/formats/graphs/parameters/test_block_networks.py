"""Networks of Netica, MSBN and GeNIe before XDSL: as these programs write them, and what is wrong with some."""

from __future__ import annotations

import io

import numpy as np
import pytest
from helpers.places import ROOT

from formats import open_network_or_model
from formats.detection import detect
from formats.errors import FormatError
from formats.graph_records import BayesianNetwork

FILES = ROOT / "tests/data/formats"
DSL, NETICA, MSBN = ((FILES / f"weather.{ending}").read_text() for ending in ("dsl", "dne", "dsc"))
SAMPLES = {"dsl": DSL, "dne": NETICA, "dsc": MSBN}
WET = [[[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], [[0.6, 0.4], [0.5, 0.5], [0.0, 1.0]]]


def read(text: str, warn=None) -> BayesianNetwork:
    return open_network_or_model(io.BytesIO(text.encode()), warn=warn)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_network(name: str):
    assert detect(SAMPLES[name].encode()).name == name
    network = read(SAMPLES[name])
    place = {variable.name: index for index, variable in enumerate(network.variables)}
    assert network.name == "Weather"
    assert network.parents[place["wet"]] == (place["rain"], place["hose"])
    assert network.tables[place["wet"]].tolist() == WET
    assert network.tables[place["rain"]].tolist() == [0.25, 0.75]
    assert network.variables[place["rain"]].states == ("yes", "no")
    states = ("0..1", "1..2.5", "2.5..9") if name == "dne" else ("on", "half", "off")
    assert network.variables[place["hose"]].states == states


def test_a_function_of_netica_names_states():
    network = read(NETICA)
    assert [v.name for v in network.variables] == ["wet", "rain", "hose", "wetter"]
    assert network.tables[3].tolist() == [[0, 1], [1, 0]]


def test_tables_whose_order_nothing_settles_are_doubtful():
    warnings: list[str] = []
    read(DSL, warnings.append)
    assert "the last parent fastest, as GeNIe writes them: check the table of 'wet'" in warnings[0]
    assert read(DSL.replace("SCREEN", "OTHER"), warnings.append).tables[0].tolist() == WET
    assert "GeNIe seems not to have written this file" in warnings[1]
    same = DSL.replace("0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4, 0.5, 0.5, 0, 1", ", ".join(["0.5"] * 12))
    read(same, warnings.append)
    assert len(warnings) == 2


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (
            DSL,
            "TYPE = CPT; PARENTS",
            "TYPE = NOISY_MAX; PARENTS",
            r":\d+: node 'rain' is of type NOISY_MAX.*\n.*GeNIe",
        ),
        (DSL, "0.25, 0.75", "0.25", "'rain' has 1 probabilities where 2 are needed"),
        (DSL, "(rain, hose)", "(rain, tap)", "unknown variable 'tap'"),
        (DSL, "};\n};\n", "};", "the file ends early"),
        (DSL, '"{;"', '"{;', "not closed"),
        (DSL, "PARENTS = ()", "PARENTS = " + "{a " * 40, "nested more than 20 deep"),
        (DSL, "TYPE = CPT", "= CPT", "a value without a name"),
        (
            NETICA,
            "kind = NATURE; discrete = TRUE; states",
            "kind = DECISION; states",
            r"kind DECISION.*\n.*influence",
        ),
        (NETICA, "levels = (0, 1, 2.5, 9);", "", r"'hose' has no states: it is continuous\n  discretize"),
        (NETICA, "probs = (0.25, 0.75);", "", r"'rain' has no table \(probs\)\n.*Netica"),
        (NETICA, "(no, #0)", "(no, maybe)", "'maybe' is no state of 'wetter'"),
        (NETICA, "(no, #0)", "(no, #7)", "'#7' is no state of 'wetter'"),
        (NETICA, "0.25, 0.75", "0.25, @undef", "no table of numbers"),
        (MSBN, "discrete[3]", "continuous", "'hose' is not discrete"),
        (MSBN, "default: 0.8, 0.2;", "", "'wet' lacks 1 rows of its table"),
        (MSBN, "(1, 2)", "(2, 2)", r"unknown parents' states \(2, 2\)"),
        (MSBN, "(1, 2)", "(2)", r"unknown parents' states \(2\)"),
        (MSBN, "default: 0.8, 0.2;", "function : max;", r"no table of numbers: 'function max'\n.*GeNIe"),
        (MSBN, "0.25, 0.75", "0.25, 0.5", "sum to 0.75, not to 1"),
        (MSBN, "0.25, 0.75;", "0.25;", "'rain' has a row of 1 numbers, not 2"),
        (MSBN, "node wet", "knot wet", "expected node or probability, got 'knot'"),
    ],
)
def test_faults_are_named(text: str, old: str, new: str, message: str):
    assert old in text
    with pytest.raises(FormatError, match=message):
        read(text.replace(old, new))


def test_files_of_other_programs(shared):
    """The arcs, states and tables of at most one parent are those of the same networks in BIF."""
    for name in ("alarm", "hailfinder", "insurance", "Water"):
        found, expected = (
            open_network_or_model(str(shared / "data" / "foreign" / path))
            for path in (f"DSL__{name}.dsl", f"bif__{name}.bif")
        )
        place = {variable.name: index for index, variable in enumerate(found.variables)}
        names = [variable.name for variable in expected.variables]
        for child, variable in enumerate(expected.variables):
            mine = place[variable.name]
            parents = {found.variables[parent].name for parent in found.parents[mine]}
            assert parents == {names[parent] for parent in expected.parents[child]}
            assert found.variables[mine].states == variable.states
            if len(parents) < 2:
                assert np.abs(found.tables[mine] - expected.tables[child]).max() < 1e-9
