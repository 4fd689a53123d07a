"""The parent sets of one child as arrays: the checks that every reader makes, and the order.

A block holds one record of a parent-set file, or one block of a jkl or pss file. Checks run on whole arrays; Python
loops over single sets occur only to word an error or to sort an unsorted block.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from ..records import ListFacts, ParentSetRecord
from ..wording import plural
from .listed_sets import ListedSets, best_first

Fail = Callable[[str], NoReturn]

LARGEST_SCORE = 1e200
"""Nats; sums and products of larger scores could overflow."""

UNNAMED_SCORE = "the file does not name its score; its numbers are taken as local scores in nats, higher is better"


@dataclass
class SetBlock:
    """Parent sets of one child."""

    child: int
    sizes: np.ndarray
    """int64, shape (n_sets,): number of parents of every set."""
    parents: np.ndarray
    """int64 or int32, shape (sizes.sum(),): the members of the sets, one set after the other."""
    scores: np.ndarray
    """float64, shape (n_sets,): local scores in nats."""
    facts: ListFacts = ListFacts()  # noqa: RUF009 (frozen)

    @property
    def n_sets(self) -> int:
        return len(self.scores)

    @property
    def listed(self) -> ListedSets:
        """The sets."""
        return ListedSets.of_sizes(self.sizes, self.parents)

    def digest(self) -> bytes:
        """Equal for blocks with equal content (`evaluated` and unknown keys apart)."""
        digest = hashlib.blake2b(digest_size=16)
        for array, dtype in ((self.sizes, np.int64), (self.parents, np.int64), (self.scores, np.float64)):
            digest.update(np.ascontiguousarray(array, dtype=dtype).data)
        facts = self.facts
        digest.update(repr((facts.fixed, facts.complete, facts.unlisted, facts.required)).encode())
        return digest.digest()

    def record(self) -> ParentSetRecord:
        """The block as a record."""
        return ParentSetRecord(self.child, self.listed, self.scores, **vars(self.facts))


def _spread(n_variables: int) -> np.ndarray:
    """Pseudo-random uint64 keys of variables: the finaliser of splitmix64 (Steele et al. 2014) on the index."""
    keys = np.arange(1, n_variables + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    keys ^= keys >> np.uint64(30)
    keys *= np.uint64(0xBF58476D1CE4E5B9)
    keys ^= keys >> np.uint64(27)
    keys *= np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


class BlockChecker:
    """Validates blocks and sorts them as in our files.

    - `names`: names of all variables.
    - `single_choice`: the file holds exactly one set per child (a network or a forest), which need not be the empty
      one.
    - `unknown_scores`: NaN is allowed as a score.
    """

    def __init__(self, names: tuple[str, ...], *, single_choice: bool = False, unknown_scores: bool = False):
        self.names = names
        self.single_choice = single_choice
        self.unknown_scores = unknown_scores
        self._keys = _spread(len(names))

    def check(self, block: SetBlock, fail: Fail) -> SetBlock:
        """Return the block with ascending parents and best set first, or call `fail` with what is wrong."""
        if not 0 <= block.child < len(self.names):
            fail(f"child index {block.child} {self._declared}")
        whose = f"variable {self.names[block.child]!r}"
        self._check_counts(block, whose, fail)
        self._check_scores(block, whose, fail)
        self._check_indices(block, whose, fail)
        self._sort_within_sets(block, whose, fail)
        self._check_smallest(block, whose, fail)
        self._check_distinct(block, whose, fail)
        block.parents = block.parents.astype(np.int32, copy=False)
        _sort_sets(block)
        return block

    @property
    def _declared(self) -> str:
        return f"but the header declares {plural(len(self.names), 'variable')} (0-{len(self.names) - 1})"

    def _check_counts(self, block: SetBlock, whose: str, fail: Fail) -> None:
        n_sets = len(block.sizes)
        if n_sets != block.n_sets:
            fail(f"{whose} has {n_sets} parent sets but {block.n_sets} scores")
        if n_sets == 0:
            fail(f"{whose} lists no parent set; at least the empty one is needed")
        if (self.single_choice or block.facts.fixed) and n_sets != 1:
            what = "a fixed record lists" if block.facts.fixed else "a network lists"
            fail(f"{whose} has {n_sets} parent sets; {what} exactly one")

    def _check_smallest(self, block: SetBlock, whose: str, fail: Fail) -> None:
        """The empty set is listed, or the set of the required parents, which all others contain."""
        if self.single_choice or block.facts.fixed:
            return
        required = block.facts.required
        if not required:
            if block.sizes.min() > 0:
                fail(f"{whose} does not list the empty parent set")
            return
        # The number of required parents in each set, by differences of a running count.
        present = np.concatenate(([0], np.cumsum(np.isin(block.parents, required))))
        ends = np.cumsum(block.sizes)
        has_all = present[ends] - present[ends - block.sizes] == len(required)
        if not has_all.all():
            fail(f"{whose}: parent set {int(np.argmin(has_all)) + 1} lacks a required parent")
        if block.sizes.min() > len(required):
            fail(f"{whose} does not list the set of its required parents alone")

    def _check_scores(self, block: SetBlock, whose: str, fail: Fail) -> None:
        finite = np.abs(block.scores) <= LARGEST_SCORE
        if self.unknown_scores:
            finite |= np.isnan(block.scores)
        if not finite.all():
            index = int(np.argmin(finite))
            shown = "null (unknown)" if np.isnan(block.scores[index]) else str(block.scores[index])
            fail(f"{whose}: score {index + 1} is {shown}, not a finite number that can be summed up")

    def _check_indices(self, block: SetBlock, whose: str, fail: Fail) -> None:
        if not len(block.parents):
            return
        low, high = int(block.parents.min()), int(block.parents.max())
        if low < 0 or high >= len(self.names):
            fail(f"parent index {low if low < 0 else high} {self._declared}")
        if (block.parents == block.child).any():
            fail(f"{whose} is among its own parents")

    def _sort_within_sets(self, block: SetBlock, whose: str, fail: Fail) -> None:
        if _ascends_within_sets(block):
            return
        set_index = np.repeat(np.arange(len(block.sizes)), block.sizes)
        block.parents = block.parents[np.lexsort((block.parents, set_index))]
        if not _ascends_within_sets(block):
            for index, parent_set in enumerate(block.listed):
                if len(set(parent_set)) < len(parent_set):
                    named = ", ".join(self.names[p] for p in parent_set)
                    fail(f"{whose}: parent set {index + 1} names a parent twice ({named})")

    def _check_distinct(self, block: SetBlock, whose: str, fail: Fail) -> None:
        # Each set is hashed to the sum of its members' keys. Distinct sets rarely collide; equal sets always do.
        sums = np.zeros(len(block.parents) + 1, dtype=np.uint64)
        np.cumsum(self._keys[block.parents], out=sums[1:])
        ends = np.cumsum(block.sizes)
        keys = np.sort(sums[ends] - sums[ends - block.sizes])
        if not (keys[1:] == keys[:-1]).any():
            return
        seen: dict[tuple[int, ...], int] = {}
        for index, parent_set in enumerate(block.listed):
            first = seen.setdefault(parent_set, index)
            if first != index:
                named = "{" + ", ".join(self.names[p] for p in parent_set) + "}"
                fail(f"{whose} lists the set {named} twice (as sets {first + 1} and {index + 1})")


def _ascends_within_sets(block: SetBlock) -> bool:
    rises = block.parents[1:] > block.parents[:-1]
    # Between the last member of a set and the first of the next no order is required.
    starts = np.cumsum(block.sizes)[:-1]
    starts = starts[(starts > 0) & (starts < len(block.parents))]
    # Entry i of `rises` compares members i and i + 1.
    rises[starts - 1] = True
    return bool(rises.all())


def _sort_sets(block: SetBlock) -> None:
    """Best score first; ties by fewer parents, then by indices."""
    # NaN, which only a network has, stands alone in its list.
    order = best_first(block.listed, block.scores)
    if (order[1:] < order[:-1]).any():
        block.parents = block.listed.take(order).members
        block.sizes, block.scores = block.sizes[order], block.scores[order]
