"""Tables of every kind are read alike: as the same table from a file."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow
import pytest
from helpers.places import ROOT
from pyarrow import compute, csv

import bnsl
from bnsl.tables import as_table

SMALL = ROOT / "tests" / "cases" / "data" / "small.csv"


def fingerprint(table: object, **options) -> str:
    """Of the data in a header, which has names, states and cells."""
    found = bnsl.optimize(data=table, method="hc", seed=1, quiet=True, **options).record.header.data
    assert found is not None
    return found


@pytest.fixture(scope="module")
def expected() -> str:
    return fingerprint(SMALL)


def test_paths_dicts_and_arrow_are_the_same_table(expected: str):
    table = csv.read_csv(SMALL)
    assert fingerprint(str(SMALL)) == expected
    assert fingerprint(table) == expected
    assert fingerprint(table.to_reader(max_chunksize=100)) == expected
    assert fingerprint(table.to_pydict()) == expected
    assert (
        fingerprint({name: column.to_numpy() for name, column in zip(table.column_names, table.columns)}) == expected
    )
    labels = table[2].cast(pyarrow.string())
    codes = compute.index_in(labels, pyarrow.array(["0", "1", "2"])).combine_chunks()
    encoded = pyarrow.DictionaryArray.from_arrays(codes, ["0", "1", "2"])
    assert fingerprint(table.select([0, 1]).append_column("c", encoded)) == fingerprint(
        table.select([0, 1]).append_column("c", table[2])
    )


def test_pandas(expected: str):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(SMALL)
    assert fingerprint(frame) == expected
    assert fingerprint(frame.astype("category")) == expected
    assert fingerprint(frame.astype("float64")) == expected
    assert fingerprint(frame.astype("string")) == expected


def test_polars(expected: str):
    polars = pytest.importorskip("polars")
    frame = polars.read_csv(SMALL)
    assert fingerprint(frame) == expected
    assert fingerprint(frame.with_columns(polars.all().cast(polars.String).cast(polars.Categorical))) == expected


def test_duckdb(expected: str):
    duckdb = pytest.importorskip("duckdb")
    assert fingerprint(duckdb.sql(f"from read_csv('{SMALL}')")) == expected


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()], ids=str)
def test_empty_chunks_of_text(kind: pyarrow.DataType):
    full, empty = pyarrow.array(["x", "y"] * 10, kind), pyarrow.array([], kind)
    numbers = list(range(2)) * 20
    expected = fingerprint({"a": ["x", "y"] * 20, "b": numbers})
    for chunks in ([full, empty, full], [empty, full, full], [full, full, empty]):
        assert fingerprint(pyarrow.table({"a": pyarrow.chunked_array(chunks), "b": numbers})) == expected


def test_missing_cells_are_missing_and_other_types_states():
    table = {"a": [1.0, None, float("nan"), 2.0] * 9, "b": ["x", "", None, "y"] * 9}
    with pytest.raises(bnsl.DataError, match="<dict>: missing cells in 2 columns"):
        bnsl.entropy(table)
    days = [datetime.date(2026, 1, 1 + day % 2) for day in range(8)]
    network = bnsl.learn({"day": days, "flag": [True, False] * 4}, quiet=True)
    assert network.record.header.variables[0].states == ("2026-01-01", "2026-01-02")
    assert network.record.header.variables[1].states == ("False", "True")


def test_what_is_no_table_is_refused():
    for value in (3, object(), [1, 2]):
        with pytest.raises(bnsl.UsageError, match=f"an? {type(value).__name__} cannot be read"):
            bnsl.entropy(value)
    with pytest.raises(bnsl.UsageError, match="a dict that is no table: Column 1 named b expected length 2"):
        bnsl.entropy({"a": [1, 2], "b": [1]})
    with pytest.raises(bnsl.DataError, match="values of type list"):
        bnsl.entropy({"a": [[1], [2]]})


def test_tables_are_read_where_they_are(tmp_path: Path):
    """Their text is what messages say; a file of this name in the current folder is another."""
    table = as_table({"a": [1, 2]})
    assert str(table) == "<dict>"
    assert as_table(str(tmp_path)) == str(tmp_path)


class Frame:
    """A table that compares cell by cell, as frames of pandas do."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, table: pyarrow.Table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)

    def __eq__(self, other: object):
        raise ValueError("the truth value of a table is ambiguous")


@pytest.mark.parametrize(
    "call",
    [
        lambda frame, net: bnsl.entropy(frame, quiet=True),
        lambda frame, net: bnsl.screen(frame, eps=0.1, quiet=True),
        lambda frame, net: bnsl.parentsets(frame, quiet=True),
        lambda frame, net: bnsl.optimize(data=frame, start=net, method="hc", seed=1, quiet=True),
        lambda frame, net: bnsl.fit(net, frame, quiet=True),
        lambda frame, net: bnsl.evaluate(net, data=frame, test=frame, quiet=True),
        lambda frame, net: bnsl.evaluate(bnsl.fit(net, frame, quiet=True), test=frame, quiet=True),
        lambda frame, net: bnsl.query(net, data=frame, quiet=True),
        lambda frame, net: bnsl.query(bnsl.fit(net, frame, quiet=True), table=frame, quiet=True),
        lambda frame, net: bnsl.discretize(frame, like=net, quiet=True),
        lambda frame, net: bnsl.discretize(frame, like=frame, quiet=True),
        lambda frame, net: bnsl.learn(frame, time="1s", quiet=True),
    ],
)
def test_tables_that_compare_cell_by_cell_go_through_every_door(call):
    table = csv.read_csv(SMALL)
    call(Frame(table), bnsl.optimize(data=table, method="hc", seed=1, quiet=True))


def test_messages_name_the_type_of_a_table_in_memory():
    table = pyarrow.table({"a": ["x", "y", None] * 9, "b": ["x", "y", "y"] * 9})
    network = bnsl.optimize(data=table, missing="drop", method="hc", seed=1, quiet=True)
    with pytest.raises(bnsl.DataError, match=r"^<Frame>: 9 missing cells"):
        bnsl.evaluate(network, data=Frame(table), missing="em", quiet=True)
