"""Columns in parts: the same cells as in one piece, in as few bytes as their distinct values need."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from formats.errors import UnsuitableData
from formats.tables import label_columns
from formats.tables.datasets import open_dataset
from formats.tables.label_columns import ColumnParts, LabelColumn


def joined(*parts: pa.Array) -> LabelColumn | pa.DataType:
    column = ColumnParts()
    for part in parts:
        column.add(part)
    return column.join(pa.string())


@pytest.mark.parametrize("many", [1 << 30, 100, 0])
@pytest.mark.parametrize(("n_distinct", "width"), [(3, np.uint8), (255, np.uint8), (256, np.int32), (300, np.int32)])
@pytest.mark.parametrize("step", [50, 10_000])
def test_cells_and_width_of_indices(monkeypatch, many: int, n_distinct: int, width: type, step: int):
    monkeypatch.setattr(label_columns, "MANY_ROWS", many)
    monkeypatch.setattr(label_columns, "_PACKED_AT_ONCE", 200)
    cells = [value % n_distinct if value % 7 else None for value in range(2 * n_distinct)]
    parts = [pa.array(cells[start : start + step]) for start in range(0, len(cells), step)]
    column = joined(*parts)
    assert column.array().to_pylist() == cells and len(column) == len(cells)
    assert sorted(column.values.to_pylist(), key=repr) == sorted(set(cells), key=repr)  # null is one of them
    assert column.cells().dtype == width
    again = column.with_cells(column.cells()[1:]).with_values(column.values.cast("string"))
    assert again.array().to_pylist() == [None if cell is None else str(cell) for cell in cells[1:]]


def test_wide_indices_of_few_values_become_narrow():
    column = joined(pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int64()), ["a", "b"]))
    assert column.cells().dtype == np.uint8 and column.array().to_pylist() == ["b", "a"]


def test_nulls_alone_and_lists():
    column = joined(pa.nulls(2), pa.nulls(1))
    assert column.has_cells and column.array().null_count == 3
    nested = joined(pa.array([[1]]), pa.array([[2], [3]]))
    assert not nested.has_cells and nested.values.type == pa.list_(pa.int64())


def test_a_table_without_rows_says_so(tmp_path):
    path = tmp_path / "empty.parquet"
    parquet.write_table(pa.table({"a": pa.array([], pa.int64())}), path)
    with pytest.raises(UnsuitableData, match="no rows"):
        open_dataset(str(path))
