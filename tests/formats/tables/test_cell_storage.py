"""Packed cells read like the array that they are made of, whatever the width and wherever a part begins."""

from __future__ import annotations

import numpy as np
import pytest

from formats.tables.cell_storage import PackedCells

VALUES = (1, 2, 3, 4, 5, 16, 17, 256)


def drawn_cells(n_rows: int) -> np.ndarray:
    rng = np.random.default_rng(n_rows)
    return np.array([rng.integers(0, n, n_rows) for n in VALUES]).astype(np.uint8).reshape(len(VALUES), n_rows)


@pytest.mark.parametrize("n_rows", [0, 1, 3, 7, 8, 9, 65, 1000, (1 << 20) + 5])
def test_every_way_to_read(n_rows: int):
    cells = drawn_cells(n_rows)
    packed = PackedCells.of(cells)
    assert packed.shape == cells.shape and packed.size == cells.size and len(packed) == len(cells)
    assert np.array_equal(np.asarray(packed), cells)
    assert all(np.array_equal(one, other) for one, other in zip(packed, cells))
    for rows in (slice(None), slice(3, 9), slice(1, None), slice(None, 5), slice(5, 2), slice(-4, None)):
        assert np.array_equal(packed[:, rows], cells[:, rows])
        assert all(np.array_equal(packed[k, rows], cells[k, rows]) for k in range(len(cells)))
    if n_rows:
        rows = np.random.default_rng(0).integers(0, n_rows, 20)
        assert np.array_equal(packed[:, rows], cells[:, rows])
        assert np.array_equal(packed[[1, 6, 3], 0:5], cells[[1, 6, 3], 0:5])


def test_width_is_that_of_the_values():
    assert PackedCells(3, 80).nbytes == 3 * 10 and not np.asarray(PackedCells(3, 80)).any()
    assert PackedCells.of(drawn_cells(8000)).nbytes == 1000 * (1 + 1 + 2 + 2 + 4 + 4 + 8 + 8)


def test_a_column_is_replaced():
    cells = drawn_cells(100)
    packed = PackedCells.of(cells)
    packed[0] = cells[7]
    assert np.array_equal(packed[0], cells[7]) and np.array_equal(packed[1:], cells[1:])


def test_columns_are_taken_in_any_order():
    codes = np.array([[0, 1, 1], [3, 2, 0], [7, 200, 9]], dtype=np.uint8)
    assert np.array_equal(np.asarray(PackedCells.of(codes).taken([2, 0, 1])), codes[[2, 0, 1]])
