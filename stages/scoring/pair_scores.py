"""Scores of all families with one parent, without a call for each child.

Pairs are counted in tiles that stay in the caches, both directions from one count; see
`stages.kernels.counting.pairs`. 5 * 10**7 pairs of binary variables on 5,000 rows take seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from stages.kernels.counting.overlaps import count_overlaps
from stages.kernels.counting.pairs import PairTables, keep_best_parents, score_tile
from stages.kernels.counting.score_tables import look_up
from stages.runtime.workers import ordered_map

from .arc_gains import ArcGains
from .look_up_tables import LineKey
from .scored_data import ScoredData

MOST_BITMAPS = 240
"""Number of states, without first ones, of the variables on a side of a tile: counts and scores take a megabyte. Not
a power of two, so that a column does not map to few cache lines.
"""

TILE_WORDS = 1 << 28
"""Largest number of words that a tile counts, besides its first pair: less than a tenth of a second."""


class Tile(NamedTuple):
    """The pairs of the variables ``first:last`` with ``other_first:other_last``; the second range is the same or a
    later one.
    """

    first: int
    last: int
    other_first: int
    other_last: int


class PairScores:
    """Exact local scores of every variable with every other as its only parent.

    Tiles can be scored by several threads: the compiled code releases the lock. Once the scorer's stop signal is set,
    no further tile is begun.
    """

    def __init__(self, scorer: ScoredData, gains: ArcGains | None = None):
        self.scorer, self.gains = scorer, gains
        self._tables = _make_tables(scorer)
        edges = self._edges()
        # Each pair is in one of them.
        self.tiles = [
            Tile(first, last, other_first, other_last)
            for k, (first, last) in enumerate(edges)
            for other_first, other_last in edges[k:]
        ]

    @cached_property
    def empty_scores(self) -> np.ndarray:
        """Local scores without parents in nats, float64, shape (n_variables,)."""
        return np.array([self.scorer.empty_set_score(i) for i in range(self.scorer.n_variables)])

    def _edges(self) -> list[tuple[int, int]]:
        """Ranges of variables with few enough states besides the first ones."""
        offsets = self.scorer.data.state_offsets - np.arange(self.scorer.n_variables + 1)
        # A tile counts each bitmap of one side with each of the other: at most `most` squared times all words.
        most = min(MOST_BITMAPS, math.isqrt(TILE_WORDS // self.scorer.data.bits.shape[1]))
        edges, first = [], 0
        while first < self.scorer.n_variables:
            last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1)
            edges.append((first, last))
            first = last
        return edges

    def _bitmaps(self, first: int, last: int) -> np.ndarray:
        """Bitmaps of all states but the first of some variables."""
        offsets = self.scorer.data.state_offsets
        everything = np.arange(offsets[first], offsets[last], dtype=np.int32)
        return np.setdiff1d(everything, offsets[first:last], assume_unique=True)

    def score(self, tile: Tile) -> tuple[np.ndarray, np.ndarray]:
        """Scores of a tile in nats.

        Returns ``forward[x - first, y - other_first]`` of child x and parent y, and ``backward[y - other_first, x -
        first]`` of child y and parent x; -inf where they are the same. In a tile of variables with themselves, both
        arrays hold the same scores.
        """
        data = self.scorer.data
        offsets = data.state_offsets
        which, others = self._bitmaps(tile.first, tile.last), self._bitmaps(tile.other_first, tile.other_last)
        counts = np.empty((len(others), len(which)), dtype=np.int32)
        count_overlaps(
            data.bits[which], len(which), data.bits, others, len(others), data.word_shifts, counts.reshape(-1)
        )
        n_first, n_other = tile.last - tile.first, tile.other_last - tile.other_first
        forward, backward = np.empty((n_first, n_other)), np.empty((n_other, n_first))
        score_tile(offsets, self._tables, counts, *tile, forward, backward)
        if not np.array_equal(self._tables.line, self._tables.line.T):
            # The cells of a pair add something else if the other variable is the child.
            turned = self._tables._replace(line=np.ascontiguousarray(self._tables.line.T))
            score_tile(offsets, turned, counts, *tile, np.empty_like(forward), backward)
        if self.gains is not None:
            sides = (tile.first, tile.last), (tile.other_first, tile.other_last)
            self.gains.add_to_tile(*sides, forward)
            self.gains.add_to_tile(*sides[::-1], backward)
        is_square = tile.first == tile.other_first
        self.scorer.count_evaluations(n_first * (n_first - 1) if is_square else 2 * n_first * n_other)
        return forward, backward

    def scored_tiles(
        self, jobs: int = 1, is_spent: Callable[[], bool] | None = None
    ) -> Iterator[tuple[Tile, np.ndarray, np.ndarray]]:
        """The tiles in order with their scores, as from `score`, until a stop or until `is_spent` is true; the
        first tile is always scored. The result does not depend on the number of threads.
        """
        stop = self.scorer.stop

        def is_over() -> bool:
            return (stop is not None and stop.is_set()) or (is_spent is not None and is_spent())

        for k, (tile, scores) in enumerate(zip(self.tiles, ordered_map(self.score, self.tiles, jobs))):
            yield tile, *scores
            if k + 1 < len(self.tiles) and is_over():
                return

    def matrix(self, jobs: int = 1, report: Callable[[float], None] | None = None) -> np.ndarray:
        """Scores of all pairs.

        `report` is called with the share of the tiles that are done. Returns float64, shape
        (n_variables, n_variables), entry [child, parent]; -inf on the diagonal, NaN for pairs not scored after a
        stop.
        """
        scores = np.full((self.scorer.n_variables, self.scorer.n_variables), np.nan)
        for done, (tile, forward, backward) in enumerate(self.scored_tiles(jobs), start=1):
            first, last, other_first, other_last = tile
            scores[first:last, other_first:other_last] = forward
            scores[other_first:other_last, first:last] = backward
            if report is not None:
                report(done / len(self.tiles))
        return scores

    def best_parents(
        self,
        most: int,
        least: np.ndarray | None = None,
        jobs: int = 1,
        is_spent: Callable[[], bool] | None = None,
        watch: Callable[[Tile, np.ndarray, np.ndarray], None] | None = None,
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """The best single parents of every child; n_variables * `most` entries of memory.

        A child has at most `most` parents, each with a score in nats above `least` (float64, shape (n_variables,));
        by default above the score without parents. `is_spent` is called before every tile but the first: once it is
        true, no further tile is scored. `watch` receives every tile with its scores, as from `score`.

        Returns parents (int32) and scores (float64) of every child, unordered, among the pairs scored before a stop.
        """
        n = self.scorer.n_variables
        most = max(1, min(most, n - 1))
        least = self.empty_scores if least is None else least
        parents, losses = np.empty((n, most), dtype=np.int32), np.empty((n, most))
        heaps, n_kept = np.empty_like(parents), np.zeros(n, dtype=np.int64)
        for tile, forward, backward in self.scored_tiles(jobs, is_spent):
            keep_best_parents(forward, tile.first, tile.other_first, least, parents, losses, heaps, n_kept)
            if tile.first != tile.other_first:
                keep_best_parents(backward, tile.other_first, tile.first, least, parents, losses, heaps, n_kept)
            if watch is not None:
                watch(tile, forward, backward)
        return [(parents[child, :size], -losses[child, :size]) for child, size in enumerate(n_kept.tolist())]


def _make_tables(scorer: ScoredData) -> PairTables:
    data, n_states = scorer.data, scorer.n_states
    state_counts = scorer.state_counts
    # A parent's configurations are its states, or the ones that occur.
    occurring = np.add.reduceat(state_counts > 0, data.state_offsets[:-1])
    as_parent = occurring if scorer.definition.by_occurrence else n_states
    sizes, children, size_of = np.unique(
        np.column_stack((n_states, as_parent)), axis=0, return_index=True, return_inverse=True
    )
    size_of = size_of.reshape(-1).astype(np.int32)
    row_sums = np.empty((len(sizes), len(n_states)))
    line = np.empty((len(sizes), len(sizes)), dtype=np.int32)
    row_terms = np.empty(len(state_counts))
    lines: dict[LineKey, int] = {}
    cells: list[np.ndarray] = []
    for k, child in enumerate(children.tolist()):
        for j, (_, q) in enumerate(sizes.tolist()):
            cell, row = scorer.tables.of_family(child, float(q))
            number = lines.setdefault(scorer.tables.keys(int(sizes[k, 0]), float(q))[0], len(cells))
            if number == len(cells):
                cells.append(cell)
            line[k, j] = number
            which = size_of == j
            look_up(row, state_counts, row_terms)
            # The configurations of a single parent are its states: their terms do not depend on the child's counts.
            row_sums[k, which] = np.add.reduceat(row_terms, data.state_offsets[:-1])[which]
    return PairTables(
        state_counts=state_counts,
        cell=np.stack(cells) if len(cells) > 1 else cells[0][None],  # with many rows it is large: avoid a copy
        line=line,
        size=size_of,
        row_sums=row_sums,
        penalty=scorer.definition.penalty_on(scorer.n_rows) * (sizes[:, 0] - 1.0),
        quantum=scorer.quantum,
    )
