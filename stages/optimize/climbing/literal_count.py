"""The local scores that a climb asks for by its definition, as Gámez, Mateo and Puerta (2012, section 5) count them.

By definition every step computes the difference that each move makes: two local scores for an addition or a removal,
four for a reversal. Their "statistics required" are all of these, their "calls to f" the distinct families among
them. A `Climber` computes fewer, as a bound tells losses in advance and one score serves both directions of a first
arc; and it computes others, of arcs that would close a cycle now. So the counts are taken from the graphs on its way.
Constant variables, which have no arcs here, are left out; so is a step that the end of a budget cuts off.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Protocol

import numpy as np

FEW = 4096
"""Families of one child that are kept with repetitions, at least, before these are dropped."""


class Compares(Protocol):
    """What a climber tells about a step."""

    parents: list[tuple[int, ...]]

    def compared(self, child: int) -> tuple[np.ndarray, np.ndarray]:
        """New parents that additions and that reversals would give; int64."""

    def removable(self, child: int) -> np.ndarray:
        """Parents that may be removed; int64."""


def row_of(matrix: np.ndarray, row: int) -> np.ndarray:
    """A row of a matrix of bits (uint64, shape (n_variables, n_words)) as bools, shape (n_variables,)."""
    return np.unpackbits(matrix[row].view(np.uint8), count=len(matrix), bitorder="little").view(np.bool_)


def column_of(matrix: np.ndarray, column: int) -> np.ndarray:
    """A column of such a matrix."""
    return (matrix[:, column >> 6] >> np.uint64(column & 63)) & np.uint64(1) != 0


class LiteralCount:
    """Counts of one run; its climbs follow one after the other and share the families counted.

    A family is known by the sum of 64-bit numbers drawn for its parents: that two of a million families of a child
    agree in this by chance has a probability below 1e-7.
    """

    def __init__(self, n_variables: int):
        self.requested = 0  # local scores of all differences
        self.seconds = 0.0  # time that the count took
        self._numbers = np.random.default_rng(0).integers(1 << 64, size=n_variables, dtype=np.uint64)
        self._of_child = np.zeros(n_variables, dtype=np.int64)  # scores requested for moves to new parents of each
        self._families = [np.empty(0, dtype=np.uint64)] * n_variables
        self._unsorted: list[list[np.ndarray]] = [[] for _ in range(n_variables)]
        self._n_unsorted = np.zeros(n_variables, dtype=np.int64)

    @property
    def computed(self) -> int:
        """Distinct families."""
        for child in range(len(self._families)):
            self._drop_repetitions(child)
        return sum(map(len, self._families))

    def add_step(self, climber: Compares, children: Iterable[int]) -> None:
        """Count the differences of a step; the moves that concern all but `children` are those of the step before."""
        begun = time.perf_counter()
        for child in children:
            added, turned = climber.compared(child)
            removed = climber.removable(child)
            self._of_child[child] = 2 * (len(added) + len(removed)) + 4 * len(turned)
            self._list(child, climber.parents[child], np.concatenate((added, turned)), removed)
        self.requested += int(self._of_child.sum())
        self.seconds += time.perf_counter() - begun

    def add_gains(self, child: int, parents: tuple[int, ...], added: np.ndarray) -> None:
        """Count the differences that single further parents make to a set that is not the present one."""
        begun = time.perf_counter()
        self.requested += 2 * len(added)
        self._list(child, parents, added, added[:0])
        self.seconds += time.perf_counter() - begun

    def _list(self, child: int, parents: tuple[int, ...], added: np.ndarray, removed: np.ndarray) -> None:
        """List the families that differ from a set by one variable, and the set itself."""
        if not len(added) and not len(removed):
            return
        whole = self._numbers[list(parents)].sum(dtype=np.uint64)
        more, less = whole + self._numbers[added], whole - self._numbers[removed]
        self._unsorted[child].append(np.concatenate(([whole], more, less)))
        self._n_unsorted[child] += 1 + len(more) + len(less)
        if self._n_unsorted[child] > max(FEW, len(self._families[child])):
            self._drop_repetitions(child)

    def _drop_repetitions(self, child: int) -> None:
        self._families[child] = np.unique(np.concatenate((self._families[child], *self._unsorted[child])))
        self._unsorted[child].clear()
        self._n_unsorted[child] = 0
