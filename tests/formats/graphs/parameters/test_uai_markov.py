"""Files of the UAI competitions for Markov networks: read by `query` alone; evidence and results."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bnsl
from bnsl.running.errors import DataError, UsageError
from formats import open_network_or_model
from formats.data_records import Variable
from formats.errors import FormatError, Inconsistent, Malformed
from formats.graphs.parameters.uai import read_uai_markov
from formats.tables.results.uai_results import mar_text, mmap_text, mpe_text, pr_text
from formats.tables.uai_evidence import open_uai_evidence
from formats.textlines import Lines

TEXT = "# a comment\nMARKOV\n3\n2 2 3\n3\n2 0 1\n0\n2 1 2\n\n4\n1 2\n3 4\n1 0.5\n6\n1 1 1\n1 0 2\n"


def written(tmp_path, text, name="x.uai"):
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_factors_as_they_are(tmp_path):
    network = read_uai_markov(Lines(written(tmp_path, TEXT)))
    assert network.scopes == ((0, 1), (), (1, 2))
    assert network.tables[0].tolist() == [[1, 2], [3, 4]]
    assert network.tables[1].tolist() == 0.5
    assert network.variables[2] == Variable("X2", ("0", "1", "2"))


def test_query_answers_and_others_refuse(tmp_path):
    path = written(tmp_path, TEXT)
    # Weights by hand: (1, 2, 3, 4) times 0.5 times the sum over X2: 3 for X1=0 and 3 for X1=1.
    [found] = bnsl.query(path, probability=True, quiet=True).to_pylist()
    assert found["partition"] == pytest.approx(0.5 * (1 + 2 + 3 + 4) * 3)
    evidence = written(tmp_path, "2 0 1 2 2\n", "x.evid")
    [found] = bnsl.query(path, probability=True, uai_evidence=evidence, quiet=True).to_pylist()
    assert found["partition"] == pytest.approx(0.5 * (3 * 1 + 4 * 2))
    with pytest.raises(UsageError, match="X0 has different states in evidence and uai_evidence"):
        bnsl.query(path, {"X0": "0"}, uai_evidence=evidence, quiet=True)
    with pytest.raises(FormatError, match=r"this looks like a Markov network\n.*'bnsl query' answers"):
        open_network_or_model(path)


@pytest.mark.parametrize(
    "text, message",
    [
        ("MARKOV\n1\n2\n1\n1 0\n2\n1 -1\n", "factor 0 has numbers that are negative"),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1 inf\n", "factor 0 has numbers that are negative or not finite"),
        ("MARKOV\n1\n2\n1\n1 0\n3\n1 1 1\n", "factor 0 has 3 numbers where 2 are needed"),
        ("MARKOV\n2\n2 2\n1\n2 0 0\n4\n1 1 1 1\n", "factor 0 names a variable twice"),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1 x\n", "the table of factor 0 is not of numbers"),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1 1 1\n", "more numbers than the tables need"),
        ("MARKOV\n1\n0\n0\n", "variable 0 has no states"),
        ("MARKOV\n0\n\n0\n", "no variables"),
        ("MARKOV\n1\n2\n1\n1 1\n2\n1 1\n", "whole number up to 0, got '1'"),
    ],
)
def test_damage(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_uai_markov(Lines(written(tmp_path, text)))


VARIABLES = [Variable("a", ("u", "v")), Variable("b", ("0", "1", "2"))]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("0", {}),
        ("", {}),
        ("1 1 2\n", {1: 2}),
        ("2\n0 1\n1 0\n", {0: 1, 1: 0}),
        ("1\n2 0 1 1 0\n", {0: 1, 1: 0}),  # before 2014: one set of evidence
        ("1\n0\n", {}),
    ],
)
def test_evidence(tmp_path, text, expected):
    assert open_uai_evidence(written(tmp_path, text, "x.evid"), VARIABLES) == expected


@pytest.mark.parametrize(
    "text, kind, message",
    [
        ("1 2 0", Inconsistent, "no variable 2: it has 2, counted from 0"),
        ("2\n0 1\n1 3", Inconsistent, ":3: b has no state 3"),
        ("2 0 1 0 0", Inconsistent, "two different states of a"),
        ("2\n1 0 0\n1 1 0\n", Malformed, "a file for each"),
        ("1 0 x", Malformed, "expected a whole number, got 'x'"),
    ],
)
def test_damaged_evidence(tmp_path, text, kind, message):
    with pytest.raises(kind, match=message):
        open_uai_evidence(written(tmp_path, text, "x.evid"), VARIABLES)


def test_results():
    assert pr_text(math.log(100.0)) == "PR\n2.0\n"
    assert mar_text([np.array([0.25, 0.75]), np.array([1.0])]) == "MAR\n2 2 0.25 0.75 1 1.0\n"
    assert mpe_text([0, 2]) == "MPE\n2 0 2\n"
    assert mmap_text([4, 1], [0, 2]) == "MMAP\n2 4 0 1 2\n"


@pytest.mark.parametrize(
    "preamble",
    ["MARKOV\n2 2 2\n1\n2 0 1\n4\n", "MARKOV\n2\n2 2\n1\n2 0 1\n\n4\n", "MARKOV\n\n2\n2\n2\n1\n2 0 1\n4\n"],
)
def test_layouts(tmp_path, preamble):
    [found] = bnsl.query(written(tmp_path, preamble + "1 2 3 4\n"), probability=True, quiet=True).to_pylist()
    assert found["partition"] == pytest.approx(10.0)


def test_evidence_is_about_the_variables_of_the_file(tmp_path):
    path, beyond = written(tmp_path, TEXT), written(tmp_path, "1 3 0\n", "x.evid")
    with pytest.raises(DataError, match=r"no variable 3: it has 3"):
        bnsl.query(path, uai_evidence=beyond, quiet=True)
    with pytest.raises(DataError, match="no variable 'factor 0'"):
        bnsl.query(path, {"factor 0": "0"}, quiet=True)
