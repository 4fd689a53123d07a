"""Claims of a network in files with parameters: they come back, and none that the file contradicts is believed."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from helpers.format_strategies import bayesian_networks
from hypothesis import given
from hypothesis import strategies as st

from formats import open_network_or_model, write_network
from formats.data_records import Variable
from formats.errors import FormatError
from formats.graph_records import BayesianNetwork
from formats.graphs.kept_claims import _digest, claims_of, with_claims
from formats.graphs.structures import structure_of
from formats.kinds import Kind
from formats.records import Header
from formats.registry import formats_of
from formats.textlines import Lines

HOLDING = [row.target for row in formats_of(Kind.PARAMETERS, written=True)] + ["network"]
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
MODEL = BayesianNetwork(
    VARIABLES,
    ((), (0,), ()),
    (np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.125, 0.875]]), np.array([1.0, 0.0])),
    "unknown",
    Header(VARIABLES, "bdeu", 9, "sha256:12", 1.0, BY, None, EXTRA),
    np.array([-1.0, -2.0, -3.0]),
)
BARE = replace(MODEL, header=None, scores=None)


def written(model: BayesianNetwork, format: str, path) -> bytes:
    write_network(str(path), model, format)
    return path.read_bytes()


def assert_same(again: BayesianNetwork, model: BayesianNetwork) -> None:
    ours, theirs = structure_of(model), structure_of(again)
    assert theirs.header == ours.header and theirs.parents == ours.parents
    assert np.array_equal(theirs.scores, ours.scores, equal_nan=True)


@pytest.mark.parametrize("format", HOLDING)
def test_claims_come_back(tmp_path, format: str):
    warnings: list[str] = []
    text = written(MODEL, format, tmp_path / "n")
    again = open_network_or_model(io.BytesIO(text), warn=warnings.append)
    assert_same(again, MODEL)
    assert not warnings and written(again, format, tmp_path / "m") == text


@pytest.mark.parametrize("format", HOLDING)
@given(model=bayesian_networks(), scores=st.lists(st.floats(-9, 0), min_size=4, max_size=4))
def test_any_network_keeps_its_claims(tmp_path_factory, format: str, model: BayesianNetwork, scores: list[float]):
    known = np.array(scores[: len(model.variables)])
    header = Header(model.variables, "bic", 5, "sha256:1", extra={"total": float(known.sum())})
    model = replace(model, header=header, scores=known)
    path = tmp_path_factory.getbasetemp() / "claims"
    assert_same(open_network_or_model(io.BytesIO(written(model, format, path))), model)


def test_tables_of_json_lines_have_ascending_parents(tmp_path):
    table = np.random.default_rng(1).dirichlet([1, 1], (2, 2))
    model = replace(BARE, parents=((), (2, 0), ()), tables=(BARE.tables[0], table, BARE.tables[2]))
    again = open_network_or_model(io.BytesIO(written(model, "network", tmp_path / "n")))
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
        open_network_or_model(io.BytesIO(text.replace(old, new).encode()))


# ---- what is not believed


def read_claims(model: BayesianNetwork, text: str) -> tuple[BayesianNetwork, list[str]]:
    lines = Lines(io.BytesIO(b"x"))
    warnings: list[str] = []
    lines.warn = warnings.append
    return with_claims(model, [text], lines), warnings


@pytest.mark.parametrize(
    "model",
    [
        replace(BARE, parents=((), (), ())),
        replace(BARE, parents=((1,), (), ())),
        replace(BARE, variables=(*VARIABLES[:2], Variable("e", ("0", "1")))),
        replace(BARE, variables=(VARIABLES[0], Variable("c", ("a", "z")), VARIABLES[2])),
    ],
)
def test_claims_about_another_network_are_ignored(model: BayesianNetwork):
    found, warnings = read_claims(model, *claims_of(MODEL))
    assert found is model and len(warnings) == 1 and "is ignored: variables, states or arcs" in warnings[0]


@given(data=st.data())
def test_edited_claims_are_ignored(data: st.DataObject):
    [text] = claims_of(MODEL)
    place = data.draw(st.integers(0, len(text) - 1))
    edited = text[:place] + data.draw(st.sampled_from(['"', "9", "{", "}", "\\", "é", "", "NaN"])) + text[place + 1 :]
    found, warnings = read_claims(BARE, edited)
    assert (found is BARE and len(warnings) == 1) or json.loads(edited) == json.loads(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["width", "elimination"]), inner),
)


@given(data=st.data())
def test_unsound_claims_with_their_digest_do_no_harm(data: st.DataObject):
    fields = json.loads(*claims_of(MODEL))
    fields.pop("sha256")
    fields[data.draw(st.sampled_from(sorted(fields)))] = data.draw(JSON)
    found, warnings = read_claims(BARE, json.dumps(fields | {"sha256": _digest(BARE, fields)}))
    assert (found is BARE) == (len(warnings) == 1)


def test_structures_say_once_what_they_leave_out(tmp_path):
    warnings: list[str] = []
    write_network(str(tmp_path / "n.dot"), MODEL, "dot", warnings.append)
    left_out = "parameters, score, gap, knowledge and commands, fingerprint of the data"
    assert warnings == [f"dot has no place for {left_out}: left out"]
    write_network(str(tmp_path / "n.dot"), structure_of(BARE), "dot", warnings.append)
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("name", "suffix"), [("bif", ".bif"), ("net", ".net"), ("xmlbif", ".bifxml"), ("xdsl", ".xdsl")]
)
def test_other_programs_read_files_with_claims(tmp_path, name: str, suffix: str):
    pyagrum = pytest.importorskip("pyagrum")
    variables = tuple(replace(v, name=n, states=("s0", "s1")) for v, n in zip(VARIABLES, "acd"))
    model = replace(MODEL, variables=variables, header=replace(MODEL.header, variables=variables, by=()))
    written(model, name, tmp_path / f"n{suffix}")
    assert sorted(pyagrum.loadBN(str(tmp_path / f"n{suffix}")).names()) == ["a", "c", "d"]


@pytest.mark.parametrize(("format", "suffix"), [("bif", "bif"), ("net", "net"), ("xmlbif", "bifxml")])
def test_pyagrum_reads_files_with_claims(format: str, suffix: str, tmp_path):
    pyagrum = pytest.importorskip("pyagrum")
    variables = (Variable("a b", ("<=1", '">1\\')), *VARIABLES[1:])
    model = replace(MODEL, variables=variables, header=replace(MODEL.header, variables=variables))
    model = replace(model, name='"it"')
    assert_same(open_network_or_model(io.BytesIO(written(model, format, tmp_path / f"m.{suffix}"))), model)
    read = pyagrum.loadBN(str(tmp_path / f"m.{suffix}"))
    assert read.arcs() == {(0, 1)}
    assert read.cpt(1).toarray().tolist() == [[0.5, 0.5], [0.125, 0.875]]


@pytest.mark.parametrize("name", ["two words", '"', "a\\b", "ü\n%", "%"])
def test_a_hugin_file_keeps_the_name(name: str, tmp_path):
    content = written(replace(MODEL, name=name), "net", tmp_path / "m.net")
    assert open_network_or_model(io.BytesIO(content)).name == name
