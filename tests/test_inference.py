"""An independent inference library (pyAgrum) on networks of bounded treewidth: junction trees and probabilities."""

from __future__ import annotations

import csv
import gzip
import json
import math

import pytest
from click.testing import CliRunner
from helpers.places import EXAMPLE_DATA

from bnsl_cli.main import cli

pyagrum = pytest.importorskip("pyagrum", reason="make install-dev installs pyAgrum where there is a wheel")

DATA = EXAMPLE_DATA / "random80.csv.gz"


def bnsl(*arguments):
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows to learn from, rows to judge on, and candidate sets."""
    folder = tmp_path_factory.mktemp("inference")
    with gzip.open(DATA, "rt") as source:
        header, *rows = source.readlines()
    (folder / "train.csv").write_text("".join([header, *rows[:1500]]))
    (folder / "test.csv").write_text("".join([header, *rows[1500:1600]]))
    # All states, whether they occur in these rows or not.
    bnsl("parentsets", "-q", DATA, "--evaluations", 300, "--seed", 1, "-o", folder / "sets.jsonl")
    return folder


@pytest.mark.parametrize("bound", [1, 2, *(pytest.param(k, marks=pytest.mark.slow) for k in (3, 5))])
def test_junction_tree_and_likelihood(folder, bound):
    """Cliques have at most K + 1 variables, rows the probabilities that evaluate adds up."""
    network, fitted, train = folder / f"{bound}.net.jsonl", folder / f"{bound}.bif", folder / "train.csv"
    search = ["--evaluations", 3000] if bound > 1 else []
    bnsl("optimize", "-q", folder / "sets.jsonl", "--tw", bound, *search, "--seed", 1, "-o", network)
    bnsl("fit", "-q", network, train, "--smoothing", 1, "-o", fitted)
    ours = json.loads(
        bnsl("evaluate", "-q", network, "--data", train, "--test", folder / "test.csv", "--smoothing", 1, "--json")
    )
    model = pyagrum.loadBN(str(fitted))
    inference = pyagrum.LazyPropagation(model)
    junction_tree = inference.junctionTree()
    sizes = [len(junction_tree.clique(node)) for node in junction_tree.nodes()]
    assert max(sizes) <= bound + 1
    assert max(sizes) > ours["max_parents"]
    total = 0.0
    with open(folder / "test.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        inference.setEvidence(row)
        total += math.log(inference.evidenceProbability())
    # Its BIF reader keeps single precision.
    assert total / len(rows) == pytest.approx(ours["test_loglik"], rel=1e-7)
