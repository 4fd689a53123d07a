"""Equal rows are merged as by sorting whole rows, in parts or at once, and who asks to stop is heard."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from formats.tables.cell_storage import PackedCells
from stages.runtime.errors import NothingFoundError
from stages.scoring import dataset_layout
from stages.scoring.dataset_layout import merge_equal_rows, pack_dataset


@pytest.mark.parametrize("part_rows", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize(("n_variables", "n_rows"), [(1, 1), (2, 50), (3, 200), (12, 60)])
def test_rows_are_merged_in_parts(monkeypatch, part_rows: int, n_variables: int, n_rows: int):
    monkeypatch.setattr(dataset_layout, "PART_ROWS", part_rows)
    codes = np.random.default_rng(n_rows).integers(0, 3, (n_variables, n_rows)).astype(np.uint8)
    _, expected_first, expected_counts = np.unique(codes, axis=1, return_index=True, return_counts=True)
    order = np.argsort(expected_first)
    exact = np.full(n_variables, 3, dtype=np.int32)
    for cells, n_states in itertools.product((codes, PackedCells.of(codes)), (None, exact)):
        first, counts = merge_equal_rows(cells, n_states=n_states)
        assert first.tolist() == expected_first[order].tolist()
        assert counts.tolist() == expected_counts[order].tolist()


@pytest.mark.parametrize("n_states", [[256] * 8, [2] * 64, [3] * 40, [255, 7, 2, 2, 9]])
def test_exact_keys_are_distinct_up_to_64_bits(n_states: list[int]):
    multipliers = dataset_layout._exact_multipliers(np.array(n_states))
    assert multipliers is not None
    most = (np.array(n_states) - 1).astype(np.uint8)
    # Cells that are 0 or the last state, 0 behind some place; and each single cell with all of its states.
    cells = np.arange(len(most))
    rows = {tuple(np.where(cells < k, most, 0).tolist()) for k in range(len(most) + 1)}
    rows |= {tuple(np.where(cells == k, v, 0).tolist()) for k in range(len(most)) for v in range(n_states[k])}
    keys = dataset_layout._exact_keys(np.array(sorted(rows), dtype=np.uint8).T, multipliers)
    assert len(np.unique(keys)) == len(rows)
    assert dataset_layout._exact_multipliers(np.array([256] * 8 + [2])) is None


def test_rows_with_equal_keys_by_chance_are_not_merged(monkeypatch):
    monkeypatch.setattr(dataset_layout, "_row_keys", lambda codes: np.zeros(codes.shape[1], dtype=np.uint64))
    codes = np.array([[0, 1, 0, 1]], dtype=np.uint8)
    first, counts = merge_equal_rows(codes)
    assert first.tolist() == [0, 1, 2, 3] and counts.tolist() == [1, 1, 1, 1]


def test_who_asks_to_stop_is_heard_where_it_takes_long(monkeypatch):
    codes, n_states = np.zeros((2, 100), dtype=np.uint8), np.array([2, 2], dtype=np.int32)
    stop = threading.Event()
    stop.set()
    pack_dataset(codes, n_states, stop)
    monkeypatch.setattr(dataset_layout, "MOMENTS_CELLS", 10)
    with pytest.raises(NothingFoundError):
        pack_dataset(codes, n_states, stop)
