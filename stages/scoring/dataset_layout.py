"""Lay a data set out for counting: bitmaps per state, equal rows merged, rare states listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.budgets import StopSignal
from stages.runtime.errors import NothingFoundError

if TYPE_CHECKING:
    from stages.kernels.counting.row_groups import PackedData, Workspace

SPARSE_SHARE = 0.25
"""A variable is listed by its minority rows when at most this share of the rows is out of the majority state."""

MERGE_SHARE = 0.8
"""Equal rows are merged when that leaves at most this share of the words."""

BLOCK_WORDS = 8
"""Segments are padded to this many words, so that vector loops need no tail."""

PART_ROWS = 1 << 20
"""Rows sorted in one call: a quarter of a second at most."""

MOMENTS_CELLS = 1 << 25
"""So many cells are laid out in about a second, whoever asks to stop: a first result is worth that."""

KEY_RANGE_BITS = 6
"""Keys of rows are joined in so many parts, as a power of two."""


def merge_equal_rows(codes: np.ndarray, stop: StopSignal | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Representative row and multiplicity of every distinct row.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n_variables, n_rows)
    stop : StopSignal, optional

    Returns
    -------
    (first, counts) : int64 arrays; `first` ascending. Without equal rows ``first = arange(n_rows)``.

    Raises
    ------
    NothingFoundError
        `stop` was set meanwhile.
    """
    n_rows = codes.shape[1]
    parts = [slice(start, min(start + PART_ROWS, n_rows)) for start in range(0, n_rows, PART_ROWS)]
    keys, first, counts, places = [], [], [], []
    for part in parts:
        _look_at(stop)
        found = np.unique(
            _row_keys(codes[:, part]), return_index=True, return_inverse=True, return_counts=True
        )
        keys.append(found[0])
        first.append(found[1] + part.start)
        places.append(found[2].astype(np.int32))
        counts.append(found[3])
    groups, first_rows, multiplicities = _merge_parts(keys, first, counts, stop)
    for part, within, group in zip(parts, places, groups):
        representative = first_rows[group[within]]
        # Equal keys nearly always mean equal rows; whoever meets a collision goes without merging.
        if not all(np.array_equal(column[representative], column[part]) for column in codes):
            return np.arange(n_rows), np.ones(n_rows, dtype=np.int64)
        _look_at(stop)
    order = np.argsort(first_rows)
    return first_rows[order], multiplicities[order]


def _row_keys(codes: np.ndarray) -> np.ndarray:
    """A hash of every row, uint64."""
    keys = np.zeros(codes.shape[1], dtype=np.uint64)
    drawn = np.random.default_rng(0x5EED).integers(1, 2**63, size=len(codes), dtype=np.uint64)
    for column, multiplier in zip(codes, drawn):
        keys += (column.astype(np.uint64) + np.uint64(1)) * (multiplier * np.uint64(2) + np.uint64(1))
        keys ^= keys >> np.uint64(29)
    return keys


def _merge_parts(
    keys: list[np.ndarray], first: list[np.ndarray], counts: list[np.ndarray], stop: StopSignal | None
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Join the distinct keys of parts of the rows, by ranges of keys: none is sorted in one long call.

    Returns the group of every key of every part, and of the groups the first row and the number of rows.
    """
    all_keys, all_first, all_counts = np.concatenate(keys), np.concatenate(first), np.concatenate(counts)
    ranges = (all_keys >> np.uint64(64 - KEY_RANGE_BITS)).astype(np.uint8)
    ends = np.cumsum(np.bincount(ranges, minlength=1 << KEY_RANGE_BITS))
    by_range = np.split(np.argsort(ranges, kind="stable"), ends[:-1])
    groups = np.empty(len(all_keys), dtype=np.int64)
    first_rows, multiplicities, n_groups = [], [], 0
    for members in by_range:
        _look_at(stop)
        _, at, inverse = np.unique(all_keys[members], return_index=True, return_inverse=True)
        groups[members] = n_groups + inverse
        first_rows.append(all_first[members[at]])
        multiplicities.append(np.bincount(inverse, all_counts[members], len(at)).astype(np.int64))
        n_groups += len(at)
    of_parts = np.split(groups, np.cumsum([len(part) for part in keys])[:-1])
    return of_parts, np.concatenate(first_rows), np.concatenate(multiplicities)


def _look_at(stop: StopSignal | None) -> None:
    if stop is not None and stop.is_set():
        raise NothingFoundError("interrupted while the data were prepared: nothing was searched")


def plan_segments(counts: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Rows of each weight 2**shift: ``(shift, indices into counts)`` where the binary digit `shift` is set."""
    top = int(counts.max()).bit_length() if len(counts) else 0
    planes = ((shift, np.flatnonzero(counts >> shift & 1)) for shift in range(top))
    return [(shift, rows) for shift, rows in planes if len(rows)]


def _padded_words(n_rows: int) -> int:
    return -(-n_rows // (64 * BLOCK_WORDS)) * BLOCK_WORDS


def pack_dataset(codes: np.ndarray, n_states: np.ndarray, stop: StopSignal | None = None) -> PackedData:
    """Pack codes (uint8, shape (n_variables, n_rows)) with given numbers of states for the counting kernels.

    Raises
    ------
    NothingFoundError
        `stop` was set meanwhile.
    """
    from stages.kernels.counting.row_groups import PackedData

    n_variables, n_rows = codes.shape
    if codes.size <= MOMENTS_CELLS:
        stop = None
    segments = [(0, np.arange(n_rows))]
    first, counts = merge_equal_rows(codes, stop)
    if len(first) < n_rows:
        planes = [(shift, first[rows]) for shift, rows in plan_segments(counts)]
        words = sum(_padded_words(len(rows)) for _, rows in planes)
        if words <= MERGE_SHARE * _padded_words(n_rows):
            segments = planes
    segment_words = np.cumsum([0] + [_padded_words(len(rows)) for _, rows in segments])
    n_packed = 64 * int(segment_words[-1])
    shifts = np.array([shift for shift, _ in segments], dtype=np.uint64)
    packed = np.zeros((n_variables, n_packed), dtype=np.uint8)
    weights = np.zeros(n_packed, dtype=np.int32)
    for (shift, rows), word in zip(segments, segment_words):
        place = slice(64 * int(word), 64 * int(word) + len(rows))
        for i in range(n_variables):
            packed[i, place] = codes[i, rows]
            _look_at(stop)
        weights[place] = 1 << shift
    occupied = weights > 0
    state_offsets = np.concatenate(([0], np.cumsum(n_states))).astype(np.int32)
    bits = np.empty((int(state_offsets[-1]), n_packed // 64), dtype=np.uint64)
    majority = np.zeros(n_variables, dtype=np.int32)
    is_sparse = np.zeros(n_variables, dtype=np.bool_)
    minority: list[np.ndarray] = []
    for i in range(n_variables):
        _look_at(stop)
        weighted = np.bincount(packed[i], weights=weights, minlength=int(n_states[i]))
        majority[i] = int(np.argmax(weighted))
        for state in range(int(n_states[i])):
            rows_in_state = np.packbits((packed[i] == state) & occupied, bitorder="little")
            bits[state_offsets[i] + state] = rows_in_state.view(np.uint64)
        rare = np.flatnonzero((packed[i] != majority[i]) & occupied)
        is_sparse[i] = len(rare) <= SPARSE_SHARE * n_packed
        minority.append(rare.astype(np.int32) if is_sparse[i] else np.empty(0, dtype=np.int32))
    return PackedData(
        bits=bits,
        state_offsets=state_offsets,
        codes=packed,
        weights=weights,
        valid=np.packbits(occupied, bitorder="little").view(np.uint64),
        word_shifts=np.repeat(shifts, np.diff(segment_words)),
        minority_offsets=np.concatenate(([0], np.cumsum([len(rows) for rows in minority]))).astype(np.int64),
        minority_rows=np.concatenate(minority),
        majority=majority,
        is_sparse=is_sparse,
    )


def make_workspace(data: PackedData, n_states: np.ndarray) -> Workspace:
    """Scratch arrays for one thread, large enough for every child and parent set of the data."""
    from stages.kernels.counting.row_groups import narrow_limit, new_workspace

    n_words = data.bits.shape[1]
    n_packed = 64 * n_words
    sizes = sorted({int(r) for r in n_states})
    limits = [narrow_limit(n_words, r, len(data.bits), len(n_states)) for r in sizes]
    most_wide = max(n_packed // (limit + 1) + 2 for limit in limits)
    most_cells = max((n_packed // (limit + 1) + 2) * r for limit, r in zip(limits, sizes))
    return new_workspace(n_words, most_wide, most_cells, sizes[-1])
