"""Tables of arc probabilities: told from other tables, read back from CSV, damaged ones refused."""

from __future__ import annotations

import io

import numpy as np
import pytest
from helpers.arc_probability_cases import arc_probabilities, assert_same_arc_probabilities
from helpers.graph_cases import THREE

from formats import arc_probabilities_or_lines, open_arc_probabilities, open_network, write_arc_probabilities
from formats.errors import FormatError
from formats.graph_records import ArcProbabilities
from formats.graphs.arc_tables import write_arc_table
from formats.textlines import Lines

HEAD = "parent,child,probability,standard_error,either\n"


def read(text: str) -> ArcProbabilities:
    return open_arc_probabilities(Lines(io.BytesIO(text.encode())))


@pytest.mark.parametrize("seed", [2, 3])
def test_csv_comes_back_but_for_its_header(seed, tmp_path):
    table, path = arc_probabilities(4, seed), str(tmp_path / "t.csv")
    write_arc_probabilities(path, table, "csv")
    again = open_arc_probabilities(path)
    assert again.header.names == table.header.names
    assert np.array_equal(again.parents, table.parents) and np.array_equal(again.children, table.children)
    assert np.array_equal(again.probability, table.probability)
    assert again.features.keys() == table.features.keys()


@pytest.mark.parametrize("format", ["arc-probabilities", "feather", "parquet", "csv"])
def test_it_is_told_from_a_network_as_a_table(format, tmp_path):
    table, path = arc_probabilities(3), str(tmp_path / "t")
    write_arc_probabilities(path, table, format)
    found = arc_probabilities_or_lines(path)
    assert isinstance(found, ArcProbabilities)
    if format != "csv":
        assert_same_arc_probabilities(found, table)
    if format == "csv":
        with pytest.raises(
            FormatError, match="expected a network, this looks like a table of arc probabilities"
        ):
            open_network(path)
        return
    write_arc_table(path, THREE, "arrow" if format == "arc-probabilities" else format)
    other = arc_probabilities_or_lines(path)
    assert isinstance(other, Lines) and open_network(other).parents == THREE.parents


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD, "no rows"),
        (HEAD + "A,B,0.5,0\n", "4 entries for 5 columns"),
        (HEAD + "A,B,half,0,1\n", "'probability' has a cell that is no number"),
        (HEAD + "A,B,0.5,0,1.5\n", "'either' has a figure that is none"),
        (HEAD + "A,B,nan,0,1\n", "'probability' has a figure that is none"),
        (HEAD + 'A,"B,0.5,0,1\n', "not a CSV table"),
    ],
)
def test_damaged_csv_is_explained(text, words):
    with pytest.raises(FormatError, match=words):
        read(text)
