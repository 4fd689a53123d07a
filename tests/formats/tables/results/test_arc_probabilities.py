"""Tables of arc probabilities: distinguished from other tables, read back from CSV, damaged ones refused."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from helpers.cases.arc_probabilities import arc_probabilities, assert_same_arc_probabilities
from helpers.cases.graphs import THREE

from formats import arc_probabilities_or_lines, open_arc_probabilities, open_network, write_arc_probabilities
from formats.data_records import Variable
from formats.errors import FormatError
from formats.graph_records import ArcProbabilityTable
from formats.graphs.arc_tables import write_arc_table
from formats.json_lines.jsonl_writer import encode_header
from formats.records import Header
from formats.schemas import ARC_PROBABILITIES
from formats.tables.results.result_tables import METADATA_KEY
from formats.textlines import Lines

HEAD = "parent,child,probability,standard_error,either\n"


def read(text: str) -> ArcProbabilityTable:
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
def test_it_is_distinguished_from_a_network_as_a_table(format, tmp_path):
    table, path = arc_probabilities(3), str(tmp_path / "t")
    write_arc_probabilities(path, table, format)
    found = arc_probabilities_or_lines(path)
    assert isinstance(found, ArcProbabilityTable)
    if format != "csv":
        assert_same_arc_probabilities(found, table)
    with pytest.raises(FormatError, match=r"expected a network, this .* table of arc probabilities"):
        open_network(path)
    if format == "csv":
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
        (HEAD + "A,B,0.5,0,1.5\n", "'either' has a figure that is negative, too large or not finite"),
        (HEAD + "A,B,nan,0,1\n", "'probability' has a figure that is negative, too large or not finite"),
        (HEAD + ",B,0.5,0,1\n", "a row names no variable"),
        (HEAD + 'A,"B,0.5,0,1\n', "not a CSV table"),
    ],
)
def test_damaged_csv_is_explained(text, words):
    with pytest.raises(FormatError, match=words):
        read(text)


TABLE = arc_probabilities()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"children": TABLE.parents}, "an arc from 'a' to itself"),
        ({"children": np.array([1, 1, 0, 2, 0, 1], np.int32)}, "the arc from 'a' to 'é' comes twice"),
        ({"either": TABLE.probability - 1e-3}, "is more probable than one in either direction"),
        (
            {"probability": TABLE.probability - 2},
            "column 'probability' has a figure that is negative, too large or not finite",
        ),
        ({"header": Header((Variable("a"), Variable("é"), Variable("b")))}, "'x,y' is none of the variables"),
        ({"header": dataclasses.replace(TABLE.header, rows=-1)}, "header: -1 rows"),
        ({"header": Header((Variable("a"), Variable("a"), Variable("x,y")))}, "the same name 'a'"),
        ({"header": Header((Variable("a"), Variable("é", ()), Variable("x,y")))}, "states must be a list"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, changes: dict, message: str):
    path = str(tmp_path / "p.arrows")
    write_arc_probabilities(path, TABLE)
    assert open_arc_probabilities(path).n_pairs == 6
    if "header" in changes:
        _put_header(path, changes["header"])
    else:
        write_arc_probabilities(path, dataclasses.replace(TABLE, **changes))
    with pytest.raises(FormatError, match=message):
        open_arc_probabilities(path)


def _put_header(path: str, header: Header) -> None:
    """Another header above the same columns."""
    columns = pyarrow.ipc.open_stream(Path(path).read_bytes()).read_all()
    changed = columns.replace_schema_metadata({METADATA_KEY: encode_header(ARC_PROBABILITIES.name, header).strip()})
    with pyarrow.ipc.new_stream(path, changed.schema) as writer:
        writer.write_table(changed)
