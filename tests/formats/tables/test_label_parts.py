"""Columns in parts: the same cells as in one piece, in as few bytes as their distinct values need."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import parquet

from formats.errors import UnsuitableData
from formats.tables.datasets import open_dataset
from formats.tables.label_parts import join_parts, narrow_part


@pytest.mark.parametrize(("n_distinct", "index_type"), [(3, "uint8"), (256, "uint8"), (257, "int32")])
@pytest.mark.parametrize("step", [50, 10_000])
def test_cells_and_width_of_indices(n_distinct: int, index_type: str, step: int):
    cells = [value % n_distinct if value % 7 else None for value in range(2 * n_distinct)]
    parts = [pa.array(cells[start : start + step]) for start in range(0, len(cells), step)]
    column = join_parts(list(map(narrow_part, parts)))
    assert column.to_pylist() == cells
    assert column.type == pa.dictionary(getattr(pa, index_type)(), pa.int64())
    assert column.num_chunks == 1


def test_wide_indices_of_few_values_become_narrow():
    part = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int64()), ["a", "b"])
    assert narrow_part(part).type == pa.dictionary(pa.uint8(), pa.string())


def test_nulls_alone_and_lists():
    assert join_parts([narrow_part(pa.nulls(2)), narrow_part(pa.nulls(1))]).null_count == 3
    lists = [narrow_part(pa.array([[1]])), narrow_part(pa.array([[2], [3]]))]
    assert join_parts(lists).to_pylist() == [[1], [2], [3]]


def test_a_table_without_rows_says_so(tmp_path):
    path = tmp_path / "empty.parquet"
    parquet.write_table(pa.table({"a": pa.array([], pa.int64())}), path)
    with pytest.raises(UnsuitableData, match="no rows"):
        open_dataset(str(path))
