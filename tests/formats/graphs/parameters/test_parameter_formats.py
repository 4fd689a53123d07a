"""XMLBIF, XDSL and UAI: as other programs write them, what is wrong with some, and what others read of ours."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.parameter_files import open_parameters, write_parameters

from formats.data_records import Variable
from formats.detection import detect
from formats.errors import FormatError
from formats.kinds import Kind
from formats.records import Parameters
from formats.registry import formats_of

XMLBIF = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
        <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>weather</NAME>
<VARIABLE TYPE="nature">
  <NAME>rain</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes &amp; a lot</OUTCOME>
  <PROPERTY>position = (1,2)</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature"><NAME>wet</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME></VARIABLE>
<DEFINITION><FOR>rain</FOR><TABLE>0.8 0.2</TABLE></DEFINITION>
<DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN>
<TABLE>0.9 0.1 <!-- no rain -->
0.25 0.75</TABLE></DEFINITION>
</NETWORK>
</BIF>
"""
XDSL = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- This network was created in GeNIe -->
<smile version="1.0" id="weather" numsamples="1000">
  <nodes>
    <cpt id="rain"><state id="no" /><state id="yes" /><probabilities>0.8 0.2</probabilities>
      <property id="source">Météo</property></cpt>
    <cpt id="wet"><state id="no" /><state id="yes" /><parents>rain</parents>
      <probabilities>0.9 0.1 0.25 0.75</probabilities></cpt>
    <deterministic id="umbrella"><state id="no" /><state id="yes" /><parents>rain wet</parents>
      <resultingstates>no yes no no</resultingstates></deterministic>
  </nodes>
  <extensions><genie version="1.0"><node id="rain"><name>Rain today</name></node></genie></extensions>
</smile>
"""
UAI = "BAYES\n2\n2 3\n2\n2 1 0  # wet\n1 1\n\n6\n 0.9 0.1\n 0.25 0.75\n 0.5 0.5\n\n3\n 0.2 0.3 0.5\n"
SAMPLES = {"xmlbif": XMLBIF, "xdsl": XDSL, "uai": UAI}


def read(text: str) -> Parameters:
    encoding = "latin1" if "ISO-8859-1" in text else "utf-8"
    return open_parameters(io.BytesIO(text.encode(encoding)))


@pytest.mark.parametrize("name", SAMPLES)
def test_formats_are_detected_by_content(name: str):
    assert detect(SAMPLES[name].encode("latin1")).name == name


def test_xmlbif():
    network = read(XMLBIF)
    assert network.name == "weather"
    assert network.variables == (Variable("rain", ("no", "yes & a lot")), Variable("wet", ("0", "1")))
    assert network.parents == ((), (0,))
    assert network.tables[1].tolist() == [[0.9, 0.1], [0.25, 0.75]]
    old = XMLBIF.replace("DEFINITION>", "PROBABILITY>")
    assert read(old).tables[1].tolist() == network.tables[1].tolist()


def test_xdsl():
    network = read(XDSL)
    assert [v.name for v in network.variables] == ["rain", "wet", "umbrella"]
    assert network.parents == ((), (0,), (0, 1))
    assert network.tables[2].tolist() == [[[1, 0], [0, 1]], [[1, 0], [1, 0]]]


def test_uai_makes_names_of_numbers():
    network = read(UAI)
    assert network.variables == (Variable("X0", ("0", "1")), Variable("X1", ("0", "1", "2")))
    assert network.parents == ((1,), ())
    assert network.tables[0].tolist() == [[0.9, 0.1], [0.25, 0.75], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (XMLBIF, "0.25", "0.5", r":\d+: variable 'wet': the probabilities of \(.*\) sum to 1.25, not to 1"),
        (XMLBIF, "0.8 0.2", "0.8", "'rain' has 1 probabilities where 2 are needed"),
        (XMLBIF, "0.8 0.2", "0.8 much", "no table of numbers"),
        (XMLBIF, "<GIVEN>rain", "<GIVEN>snow", "unknown variable 'snow'"),
        (XMLBIF, "<FOR>rain</FOR>", "<FOR>rain</FOR><GIVEN>wet</GIVEN>", "2 probabilities where 4 are needed"),
        (XMLBIF, "<FOR>rain</FOR>", "<FOR>rain</FOR><FOR>wet</FOR>", "needs one FOR and a TABLE"),
        (XMLBIF, '"nature"><NAME>wet', '"decision"><NAME>wet', "only chance nodes are read"),
        (XMLBIF, "<FOR>rain", "<FOR>wet", "two tables of 'wet'"),
        (XMLBIF, "</BIF>", "", "not valid XML"),
        (XMLBIF, "US-ASCII", "klingon", "not valid XML"),
        (XMLBIF, "<!ELEMENT BIF ( NETWORK )*>", '<!ENTITY a "b">', ":3: entities declared in XML"),
        (XMLBIF, "<!ELEMENT BIF ( NETWORK )*>", '<!ENTITY % a SYSTEM "/etc/passwd">', ":3: entities declared"),
        (XDSL, '<cpt id="wet">', '<noisymax id="wet">', "not valid XML|only cpt and deterministic"),
        (XDSL, "no yes no no", "no yes no maybe", "'maybe' is no state of 'umbrella'"),
        (XDSL, "no yes no no", "no yes", "4 probabilities where 8 are needed"),
        (XDSL, "<parents>rain</parents>", "<parents>umbrella</parents>", "cycle: "),
        (XDSL, 'id="yes" /><probabilities>', 'id="no" /><probabilities>', "needs distinct states"),
        (UAI, UAI, "BAYES\n2\n2 3\n", "the file ends early"),
        (UAI, UAI, "BAYES\n", "expected a network"),
        (UAI, "BAYES", "MARKOV", "this looks like a Markov network"),
        (UAI, "2 3\n2", "2 3\n3", "2 variables, but another number of tables|whole number"),
        (UAI, "2 1 0", "2 1 7", "whole number up to 1, got '7'"),
        (UAI, "1 1\n", "1 0\n", "two tables|probabilities where"),
        (UAI, " 0.5 0.5\n", "", "the file ends early|sum to .*, not to 1"),
        (UAI, "0.2 0.3 0.5", "0.2 0.3 0.5 1", "more numbers than the tables need"),
        (UAI, "0.2 0.3 0.5", "0.2 0.3 0.6", "sum to 1.1, not to 1"),
    ],
)
def test_errors_are_reported(text: str, old: str, new: str, message: str):
    assert old in text
    with pytest.raises(FormatError, match=message):
        read(text.replace(old, new))


def test_blanks_before_the_declaration():
    assert read(" \t" + XMLBIF).variables == read(XMLBIF).variables


@pytest.mark.parametrize(
    "text", ["BAYES\n2\n0\n1\n", "BAYES\n2\n3\n", "BAYES,B\n2 3,0\n", "BAYES 2\n1 2\n", "BIF\n1\n"]
)
def test_tables_with_such_names_stay_tables(text: str):
    assert detect(text.encode()).name == "csv"


HOSTILE = Parameters(
    (
        Variable("a b", ("s", "x y", "é")),
        Variable("0", ("0", "1")),
        Variable("x0", ("<=1.5", "</TABLE>")),
        Variable("a<b", ('"&"', "%")),
    ),
    ((), (0,), (1, 0), ()),
    (
        np.array([0.1, 0.2, 0.7]),
        np.array([[0.1, 0.9], [1 / 3, 2 / 3], [1.0, 0.0]]),
        np.random.default_rng(1).dirichlet([1, 1], (2, 3)),
        np.array([5e-324, 1.0]),
    ),
    "a <b>",
)


@pytest.mark.parametrize("row", formats_of(Kind.PARAMETERS, written=True), ids=lambda row: row.name)
def test_hostile_names_and_all_digits_come_back(tmp_path: Path, row):
    path = str(tmp_path / "network")
    variables = HOSTILE.variables
    if row.name in ("uai", "xdsl"):  # the one has no names, the other identifiers alone
        names = ("X0", "X1", "X2", "X3")
        letter = "" if row.name == "uai" else "s"
        variables = tuple(
            Variable(name, tuple(f"{letter}{k}" for k in range(len(v.states))))
            for name, v in zip(names, HOSTILE.variables)
        )
    write_parameters(path, replace(HOSTILE, variables=variables), row.name)
    again = open_parameters(path)
    assert again.variables == variables and again.parents == HOSTILE.parents
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(HOSTILE.tables, again.tables))
    assert again.name == ("unknown" if row.name in ("uai", "xdsl") else HOSTILE.name)


def plain_network(most_parents: int) -> Parameters:
    """Names and labels that every program takes."""
    rng = np.random.default_rng(3)
    sizes = (2, 3, 2, 4)
    parents = tuple(tuple(range(v))[::-1][:most_parents] for v in range(4))
    tables = tuple(rng.dirichlet(np.ones(sizes[v]), [sizes[p] for p in parents[v]]) for v in range(len(sizes)))
    states = [tuple(f"s{code}" for code in range(size)) for size in sizes]
    return Parameters(tuple(Variable(f"v{v}", states[v]) for v in range(4)), parents, tables)


@pytest.mark.parametrize(
    ("name", "suffix", "most_parents"),
    [("net", ".net", 3), ("xmlbif", ".bifxml", 3), ("uai", ".uai", 3), ("xdsl", ".xdsl", 1)],
)
def test_pyagrum_and_we_read_one_another(tmp_path: Path, name: str, suffix: str, most_parents: int):
    """With XDSL of one parent each: pyAgrum takes the first of several to be the fastest, GeNIe the last."""
    pyagrum = pytest.importorskip("pyagrum")
    network = plain_network(most_parents)
    write_parameters(str(tmp_path / f"ours{suffix}"), network, name)
    model = pyagrum.loadBN(str(tmp_path / f"ours{suffix}"))
    pyagrum.saveBN(model, str(tmp_path / f"theirs{suffix}"))
    again = open_parameters(str(tmp_path / f"theirs{suffix}"))
    assert sorted(len(p) for p in again.parents) == sorted(len(p) for p in network.parents)
    size = len(network.variables)
    place = range(size) if name == "uai" else [again_index(again, f"v{v}") for v in range(size)]
    for v in range(size):
        ids = {f"v{p}" for p in network.parents[v]}
        if name != "uai":
            assert {again.variables[p].name for p in again.parents[place[v]]} == ids
        axes = [again.parents[place[v]].index(place[p]) for p in network.parents[v]]
        table = again.tables[place[v]].transpose([*axes, len(axes)])
        assert np.allclose(table, network.tables[v], rtol=1e-5, atol=1e-6)  # theirs have six digits


def again_index(network: Parameters, name: str) -> int:
    return [variable.name for variable in network.variables].index(name)


@pytest.mark.parametrize(("name", "reader"), [("xmlbif", "XMLBIFReader"), ("xdsl", "XDSLReader")])
def test_pgmpy_reads_what_is_written(tmp_path: Path, name: str, reader: str):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    network, path = plain_network(3), str(tmp_path / "network")
    write_parameters(path, network, name)
    model = getattr(readwrite, reader)(path).get_model()
    assert model.check_model() and len(model.nodes()) == 4
