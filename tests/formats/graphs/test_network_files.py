"""Files of networks with parameters: claims, which .net.jsonl alone keeps; names and labels, kept or refused."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from helpers.format_strategies import bayesian_networks
from helpers.parameter_files import open_parameters, write_parameters
from hypothesis import given
from hypothesis import strategies as st

from formats import open_network, write_network
from formats.data_records import Variable
from formats.errors import FormatError, Inconsistent
from formats.graphs.structures import network_of, with_parameters
from formats.records import Header, NetworkRecord, Parameters

VARIABLES = (Variable("a b", ("<=1", ">1")), Variable("c", ("z", "a")), Variable("d", ("0", "1")))
EXTRA = {
    "total": -6.0,
    "bound": -5.5,
    "gap": 0.5,
    "bound_relative_to": "all networks",
    "treewidth": {"bound": 2, "width": 1, "elimination": [0, 1, 2]},
    "strengths": [[], [[0.5, 1.0]], []],
    "directions": [[], ["knowledge"], []],
}
BY = ({"stage": "optimize", "version": "0", "options": {"require": ["a b->c"], "seed": 1}},)
PARAMETERS = Parameters(
    VARIABLES, ((), (0,), ()), (np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.125, 0.875]]), np.array([1.0, 0.0]))
)
MODEL = NetworkRecord(
    Header(VARIABLES, "bdeu", 9, "sha256:12", 1.0, BY, None, EXTRA),
    PARAMETERS.parents,
    np.array([-1.0, -2.0, -3.0]),
    PARAMETERS,
)
BARE = network_of(PARAMETERS)
PLAIN = with_parameters(MODEL, replace(PARAMETERS, variables=tuple(Variable(name, ("s0", "s1")) for name in "acd")))
"""With names that every format and program takes."""


def written(network: NetworkRecord, format: str, path) -> bytes:
    write_network(str(path), network, format)
    return path.read_bytes()


def assert_same(theirs: NetworkRecord, ours: NetworkRecord) -> None:
    assert theirs.header == ours.header and theirs.parents == ours.parents
    assert np.array_equal(theirs.scores, ours.scores, equal_nan=True)
    assert all(map(np.array_equal, theirs.parameters.tables, ours.parameters.tables))


def test_claims_come_back(tmp_path):
    warnings: list[str] = []
    text = written(MODEL, "network", tmp_path / "n")
    again = open_network(io.BytesIO(text), warn=warnings.append)
    assert_same(again, MODEL)
    assert not warnings and written(again, "network", tmp_path / "m") == text


@given(model=bayesian_networks(), scores=st.lists(st.floats(-9, 0), min_size=4, max_size=4))
def test_any_network_keeps_its_claims(tmp_path_factory, model: Parameters, scores: list[float]):
    known = np.array(scores[: len(model.variables)])
    header = Header(model.variables, "bic", 5, "sha256:1", extra={"total": float(known.sum())})
    network = replace(network_of(model), header=header, scores=known)
    path = tmp_path_factory.getbasetemp() / "claims"
    again = open_network(io.BytesIO(written(network, "network", path)))
    assert again.header == header and again.parents == network.parents and np.array_equal(again.scores, known)


def test_tables_of_json_lines_have_ascending_parents(tmp_path):
    table = np.random.default_rng(1).dirichlet([1, 1], (2, 2))
    tables = PARAMETERS.tables[0], table, PARAMETERS.tables[2]
    model = replace(PARAMETERS, parents=((), (2, 0), ()), tables=tables)
    again = open_parameters(io.BytesIO(written(network_of(model), "network", tmp_path / "n")))
    assert again.parents[1] == (0, 2) and np.array_equal(again.tables[1], table.transpose(1, 0, 2))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0.25,0.75]", "[0.25,0.5,0.25]", "has 3 probabilities where 2 are needed"),
        ("[0.25,0.75]", "[0.25,0.5]", "sum to 0.75, not to 1"),
        ("[0.25,0.75]", "[1.25,-0.25]", "negative or not finite"),
        ("[0.25,0.75]", "[0.25,true]", "must be a list of numbers"),
        ("[0.25,0.75]", "null", "must be a list of numbers"),
        (',"probabilities":[0.25,0.75]', "", "no table of 'a b'"),
        ('["z","a"]', "null", "need the states of 'c'"),
    ],
)
def test_unsound_probabilities_are_refused(tmp_path, old: str, new: str, message: str):
    text = written(BARE, "network", tmp_path / "n").decode()
    assert old in text
    with pytest.raises(FormatError, match=message):
        open_parameters(io.BytesIO(text.replace(old, new).encode()))


CLAIMS = "score, gap, knowledge and commands, fingerprint of the data"


@pytest.mark.parametrize(
    ("format", "lost"),
    [
        ("dot", f"parameters, {CLAIMS}"),
        *((format, CLAIMS) for format in ("bif", "net", "xmlbif", "xdsl")),
        ("uai", f"names of variables and states, {CLAIMS}"),
    ],
)
def test_what_is_left_out_is_said_once(tmp_path, format: str, lost: str):
    warnings: list[str] = []
    path = str(tmp_path / "n")
    write_network(path, PLAIN, format, warnings.append)
    assert warnings == [f"{format} has no place for {lost}: left out"]
    bare = replace(BARE, parameters=None) if format == "dot" else network_of(PLAIN.parameters)
    write_network(path, bare, format, warnings.append)
    assert len(warnings) == (2 if format == "uai" else 1)


def test_uai_loses_nothing_where_names_are_its_own(tmp_path):
    warnings: list[str] = []
    variables = (Variable("X0", ("0", "1")), Variable("X1", ("0", "1", "2")))
    tables = (np.array([0.5, 0.5]), np.array([0.2, 0.3, 0.5]))
    model = Parameters(variables, ((), ()), tables)
    write_parameters(str(tmp_path / "n.uai"), model, "uai", warnings.append)
    assert warnings == [] and open_parameters(str(tmp_path / "n.uai")).variables == variables


@pytest.mark.parametrize(
    ("name", "suffix"), [("bif", ".bif"), ("net", ".net"), ("xmlbif", ".bifxml"), ("xdsl", ".xdsl")]
)
def test_other_programs_read_the_files(tmp_path, name: str, suffix: str):
    pyagrum = pytest.importorskip("pyagrum")
    written(PLAIN, name, tmp_path / f"n{suffix}")
    assert sorted(pyagrum.loadBN(str(tmp_path / f"n{suffix}")).names()) == ["a", "c", "d"]


@pytest.mark.parametrize(
    ("format", "text", "is_held"),
    [
        *((format, "a b", True) for format in ("bif", "net", "xmlbif")),
        *((format, "<=1.5", True) for format in ("bif", "net", "xmlbif")),
        *((format, 'x,"|(y)} //z\\;', True) for format in ("bif", "net", "xmlbif")),
        *((format, " é ", format != "xmlbif") for format in ("bif", "net", "xmlbif")),
        *((format, "a\nb", False) for format in ("bif", "net", "xmlbif", "xdsl")),
        *((format, "", False) for format in ("bif", "net", "xmlbif", "xdsl")),
        *(("xdsl", text, False) for text in ("0", "a b", "_a", "<=1.5")),
        ("xdsl", "A_1", True),
    ],
)
def test_labels_are_held_or_refused_with_what_holds_them(tmp_path, format: str, text: str, is_held: bool):
    model = Parameters(
        (Variable("v", ("s", text)), Variable("w", ("s", "t"))),
        ((), (0,)),
        (np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.125, 0.875]])),
    )
    path = tmp_path / "n"
    if is_held:
        write_parameters(str(path), model, format)
        again = open_parameters(str(path))
        assert again.variables == model.variables and again.parents == model.parents
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(model.tables, again.tables))
        return
    with pytest.raises(Inconsistent, match=f"{format} cannot hold the label") as caught:
        write_parameters(str(path), model, format)
    assert "write it as .net.jsonl" in caught.value.remedy and not path.exists()
    write_parameters(str(path), model, "network")
    assert open_parameters(str(path)).variables == model.variables


@pytest.mark.parametrize(("format", "text"), [("bif", "<=1.5"), ("bif", "a b"), ("bif", "table"), ("net", 'a"b')])
def test_what_strict_readers_refuse_is_said(tmp_path, format: str, text: str):
    pyagrum = pytest.importorskip("pyagrum")
    warnings: list[str] = []
    variables = (Variable("a", ("s", text)),)
    model = Parameters(variables, ((),), (np.array([0.25, 0.75]),))
    path = str(tmp_path / f"n.{format}")
    write_parameters(path, model, format, warnings.append)
    assert len(warnings) == 1 and "refuse" in warnings[0] and "(those of 'a'; 1 variable in all)" in warnings[0]
    with pytest.raises(pyagrum.FatalError, match="Syntax error"):
        pyagrum.loadBN(path)
    assert open_parameters(path).variables == variables
    write_parameters(path, replace(model, variables=(Variable("a", ("s", "t")),)), format)
    assert pyagrum.loadBN(path).size() == 1


@pytest.mark.parametrize("name", ["two words", '"', "a\\b", "%"])
def test_a_hugin_file_keeps_the_name(name: str, tmp_path):
    content = written(network_of(replace(PARAMETERS, name=name)), "net", tmp_path / "m.net")
    assert open_parameters(io.BytesIO(content)).name == name
