"""Lay a data set out for counting: bitmaps per state, equal rows merged, rare states listed."""

from __future__ import annotations

import itertools
import math
import operator
from typing import NamedTuple

import numpy as np

from formats.sets.listed_sets import offsets_of
from formats.tables.cell_storage import Cells, return_freed
from stages.kernels.counting.packed_data import PackedData, Workspace, new_workspace
from stages.kernels.counting.row_groups import narrow_limit
from stages.runtime.budgets import StopSignal, slices
from stages.runtime.errors import NothingFoundError

SPARSE_SHARE = 0.25
"""A variable is listed by its minority rows if at most this share of the rows is outside the majority state."""

MERGE_SHARE = 0.8
"""Equal rows are merged if this leaves at most this share of the words."""

BLOCK_WORDS = 8
"""Segments are padded to this many words, so that vector loops need no tail."""

PART_ROWS = 1 << 18
"""Rows sorted between two checks of `stop`: a quarter of a second at most."""

MOMENTS_CELLS = 1 << 25
MOMENTS_COLUMNS = 1 << 14
"""Number of cells, and of columns, that are laid out in about a second; up to it `stop` is ignored, so that a first
result exists.
"""

KEY_SPREAD = 0x9E3779B97F4A7C15
"""Odd, about 2**64 over the golden ratio: its multiples are spread evenly."""

KEY_RANGE_BITS = 6
"""Binary logarithm of the number of ranges in which row keys are merged."""


class PartRows(NamedTuple):
    """The distinct rows of a part of the table, identified by their keys."""

    keys: np.ndarray  # uint64: distinct keys, ascending
    # `first`, `counts` (int32): first row with each key, and number of rows that have it.
    first: np.ndarray
    counts: np.ndarray
    # int32, shape (n_rows of the part,): index into `keys` of every row; empty where keys are exact.
    places: np.ndarray


def merge_equal_rows(
    codes: Cells, stop: StopSignal | None = None, n_states: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Representative row and multiplicity of every distinct row.

    `codes` is uint8, shape (n_variables, n_rows), or packed. If the product of `n_states` (int32, shape
    (n_variables,)) is at most 2**64, rows are identified by exact keys. Returns int32 arrays: the first row of each
    distinct kind, ascending, and the number of equal rows; without equal rows ``first = arange(n_rows)``. Raises
    `NothingFoundError` if `stop` was set meanwhile.
    """
    n_rows = codes.shape[1]
    row_slices = [slice(*ends) for ends in slices(n_rows, PART_ROWS)]
    exact = _exact_multipliers(n_states)
    parts = []
    for rows in row_slices:
        _raise_if_set(stop)
        if exact is None:
            keys, first, places, counts = np.unique(
                _row_keys(codes[:, rows]), return_index=True, return_inverse=True, return_counts=True
            )
        else:
            keys, first, counts = np.unique(_exact_keys(codes[:, rows], exact), return_index=True, return_counts=True)
            places = first[:0]
        narrow = [array.astype(np.int32) for array in (first + rows.start, counts, places)]
        parts.append(PartRows(keys, *narrow))
    groups, first_rows, multiplicities = _merge_parts(parts, stop)
    if exact is None:
        group_of_row = [group[part.places] for part, group in zip(parts, groups)]
        del parts, groups
        for column in codes:
            values = column[first_rows]
            for rows, group in zip(row_slices, group_of_row):
                # Equal keys nearly always mean equal rows; after a collision no rows are merged.
                if not np.array_equal(values[group], column[rows]):
                    return np.arange(n_rows, dtype=np.int32), np.ones(n_rows, dtype=np.int32)
                _raise_if_set(stop)
    count_of_first = np.zeros(n_rows, dtype=np.int32)
    count_of_first[first_rows] = multiplicities
    first_rows = np.flatnonzero(count_of_first).astype(np.int32)
    return first_rows, count_of_first[first_rows]


def _exact_multipliers(n_states: np.ndarray | None) -> list[np.uint64] | None:
    """Multipliers of the cells such that distinct rows have different sums; None if 64 bits do not suffice."""
    if n_states is None or math.prod(n_states.tolist()) > 1 << 64:
        return None
    # The number of a row among all possible ones, times an odd number modulo 2**64: a bijection that also spreads the
    # high bits, by which keys are divided into ranges.
    strides = itertools.accumulate(n_states.tolist()[:-1], operator.mul, initial=KEY_SPREAD)
    return [np.uint64(stride & (1 << 64) - 1) for stride in strides]


def _exact_keys(codes: np.ndarray, multipliers: list[np.uint64]) -> np.ndarray:
    """The key of every row, uint64; see `_exact_multipliers`."""
    keys = np.zeros(codes.shape[1], dtype=np.uint64)
    for column, multiplier in zip(codes, multipliers):
        keys += column * multiplier
    return keys


def _row_keys(codes: np.ndarray) -> np.ndarray:
    """A hash of every row, uint64."""
    keys = np.zeros(codes.shape[1], dtype=np.uint64)
    drawn = np.random.default_rng(0x5EED).integers(1, 2**63, size=len(codes), dtype=np.uint64)
    for column, multiplier in zip(codes, drawn):
        keys += (column.astype(np.uint64) + np.uint64(1)) * (multiplier * np.uint64(2) + np.uint64(1))
        # Mixes high bits into low ones, which multiplication never does.
        keys ^= keys >> np.uint64(29)
    return keys


def _merge_parts(parts: list[PartRows], stop: StopSignal | None) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Join the distinct keys of parts of the rows, range by range, so that no single sort takes long.

    Returns the group of every key of every part (empty if keys are exact), and the first row and the number of rows
    of each group; all int32.
    """
    bounds = np.arange(1, 1 << KEY_RANGE_BITS, dtype=np.uint64) << np.uint64(64 - KEY_RANGE_BITS)
    ends = [[0, *np.searchsorted(part.keys, bounds), len(part.keys)] for part in parts]
    groups = [np.empty(len(part.keys) if len(part.places) else 0, dtype=np.int32) for part in parts]
    first_rows, multiplicities, n_groups = [], [], 0
    for k in range(1 << KEY_RANGE_BITS):
        _raise_if_set(stop)
        ranges = [slice(int(end[k]), int(end[k + 1])) for end in ends]
        _, at, inverse = np.unique(
            np.concatenate([part.keys[own] for part, own in zip(parts, ranges)]),
            return_index=True,
            return_inverse=True,
        )
        first = np.concatenate([part.first[own] for part, own in zip(parts, ranges)])
        counts = np.concatenate([part.counts[own] for part, own in zip(parts, ranges)])
        first_rows.append(first[at])
        multiplicities.append(np.bincount(inverse, counts, len(at)).astype(np.int32))
        within = np.split(inverse, np.cumsum([own.stop - own.start for own in ranges])[:-1])
        for group, own, numbers in zip(groups, ranges, within):
            if len(group):
                group[own] = n_groups + numbers
        n_groups += len(at)
    return groups, np.concatenate(first_rows), np.concatenate(multiplicities)


def _raise_if_set(stop: StopSignal | None) -> None:
    if stop is not None and stop.is_set():
        raise NothingFoundError("interrupted while the data were prepared: nothing was searched")


def plan_segments(counts: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Rows of each weight 2**shift: ``(shift, indices into counts)`` where the binary digit `shift` is set."""
    top = int(counts.max()).bit_length() if len(counts) else 0
    planes = ((shift, np.flatnonzero(counts >> shift & 1)) for shift in range(top))
    return [(shift, rows) for shift, rows in planes if len(rows)]


def _padded_words(n_rows: int) -> int:
    return -(-n_rows // (64 * BLOCK_WORDS)) * BLOCK_WORDS


def pack_dataset(codes: Cells, n_states: np.ndarray, stop: StopSignal | None = None) -> PackedData:
    """Pack codes (uint8, shape (n_variables, n_rows)) with given numbers of states for the counting kernels.

    Raises `NothingFoundError` if `stop` was set meanwhile.
    """
    n_variables, n_rows = codes.shape
    is_large = codes.size > MOMENTS_CELLS or n_variables > MOMENTS_COLUMNS
    if not is_large:
        stop = None
    planes = _planes_of_equal_rows(codes, n_states, stop)
    if is_large:
        return_freed()
    sizes = [n_rows] if planes is None else [len(rows) for _, rows in planes]
    shifts = [0] if planes is None else [shift for shift, _ in planes]
    # Segments ascend by weight, as kernels expect of `word_shifts`.
    segment_words = offsets_of([_padded_words(size) for size in sizes])
    n_packed = 64 * int(segment_words[-1])
    weights = np.zeros(n_packed, dtype=np.int32)
    for shift, size, word in zip(shifts, sizes, segment_words):
        weights[64 * int(word) : 64 * int(word) + size] = 1 << shift
    packed = np.asarray(codes) if planes is None else _rows_of_planes(codes, planes, segment_words, stop)
    occupied = weights > 0
    state_offsets = offsets_of(n_states).astype(np.int32)
    bits = np.zeros((int(state_offsets[-1]), n_packed // 64), dtype=np.uint64)
    majority = np.zeros(n_variables, dtype=np.int32)
    n_rare = np.zeros(n_variables, dtype=np.int64)
    for i, column in enumerate(packed):
        _raise_if_set(stop)
        majority[i] = int(np.argmax(_weighted_counts(column, weights, int(n_states[i]))))
        for state in range(int(n_states[i])):
            # Row 64 w + b is bit b of word w, as bytes and bits are both stored lowest first.
            rows_in_state = np.packbits((column == state) & occupied[: len(column)], bitorder="little")
            bits[state_offsets[i] + state].view(np.uint8)[: len(rows_in_state)] = rows_in_state
        n_rare[i] = sum(sizes) - np.bitwise_count(bits[state_offsets[i] + majority[i]]).sum(dtype=np.int64)
    is_sparse = n_rare <= SPARSE_SHARE * n_packed
    minority_offsets = offsets_of(np.where(is_sparse, n_rare, 0))
    minority_rows = np.empty(int(minority_offsets[-1]), dtype=np.int32)
    for i in np.flatnonzero(is_sparse).tolist():
        _raise_if_set(stop)
        rare = np.flatnonzero((packed[i] != majority[i]) & occupied[: packed.shape[1]])
        minority_rows[minority_offsets[i] : minority_offsets[i + 1]] = rare
    if is_large:
        return_freed()
    return PackedData(
        bits=bits,
        state_offsets=state_offsets,
        codes=packed,
        weights=weights,
        valid=np.packbits(occupied, bitorder="little").view(np.uint64),
        word_shifts=np.repeat(np.array(shifts, dtype=np.uint64), np.diff(segment_words)),
        minority_offsets=minority_offsets,
        minority_rows=minority_rows,
        majority=majority,
        is_sparse=is_sparse,
    )


def _rows_of_planes(
    codes: Cells, planes: list[tuple[int, np.ndarray]], segment_words: np.ndarray, stop: StopSignal | None
) -> np.ndarray:
    """The codes of the packed rows; 0 in padding rows."""
    packed = np.zeros((len(codes), 64 * int(segment_words[-1])), dtype=np.uint8)
    for column, out in zip(codes, packed):
        for (_, rows), word in zip(planes, segment_words):
            out[64 * int(word) : 64 * int(word) + len(rows)] = column[rows]
            _raise_if_set(stop)
    return packed


def _planes_of_equal_rows(
    codes: Cells, n_states: np.ndarray, stop: StopSignal | None
) -> list[tuple[int, np.ndarray]] | None:
    """The distinct rows by the binary digits of their multiplicities; None if merging saves little."""
    n_rows = codes.shape[1]
    first, counts = merge_equal_rows(codes, stop, n_states)
    if len(first) == n_rows:
        return None
    planes = [(shift, first[rows]) for shift, rows in plan_segments(counts)]
    words = sum(_padded_words(len(rows)) for _, rows in planes)
    return planes if words <= MERGE_SHARE * _padded_words(n_rows) else None


def _weighted_counts(column: np.ndarray, weights: np.ndarray, n_states: int) -> np.ndarray:
    """Sum of the weights of the cells in each state, float64; part by part, since counting takes 16 bytes a cell."""
    ends = slices(len(column), PART_ROWS)
    counts = [np.bincount(column[a:b], weights[a:b], n_states) for a, b in ends]
    return counts[0] if len(counts) == 1 else np.sum(counts, axis=0)


def make_workspace(data: PackedData, n_states: np.ndarray, state_counts: np.ndarray) -> Workspace:
    """Scratch arrays for one thread, large enough for every child and parent set of the data.

    `state_counts` has the rows in every state of every variable.
    """
    n_words = data.bits.shape[1]
    n_packed = 64 * n_words
    sizes = sorted({int(r) for r in n_states})
    limits = [narrow_limit(n_words, r, len(data.bits), len(n_states)) for r in sizes]
    # A wide configuration has more than `limit` rows; further entries hold what `split_rows` writes on trial.
    most_wide = max(n_packed // (limit + 1) + 2 for limit in limits)
    most_cells = max((n_packed // (limit + 1) + 2) * r for limit, r in zip(limits, sizes))
    return new_workspace(n_words, most_wide, most_cells, sizes[-1], state_counts.astype(np.int32), len(n_states))
