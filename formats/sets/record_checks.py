"""The checks of one child's parent sets that every reader makes, and their order; claims of parent-set files.

Checks run on whole arrays; Python loops over single sets occur only to word an error. Scores are not recomputed here,
which needs data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

import numpy as np

from ..records import Header, ParentSetRecord
from ..wording import Warn, listed, plural
from .listed_sets import ListedSets, best_first, least_set, offsets_of

Fail = Callable[[str], NoReturn]

LARGEST_SCORE = 1e200
"""Nats; sums and products of larger scores could overflow."""

UNNAMED_SCORE = "the file does not name its score; its numbers are taken as local scores in nats, higher is better"


def content_digest(record: ParentSetRecord) -> bytes:
    """Equal for records with equal content (apart from `evaluated`, `left_out` and unknown keys)."""
    digest = hashlib.blake2b(digest_size=16)
    for array in (record.parents.offsets, record.parents.members, record.scores):
        digest.update(np.ascontiguousarray(array).data)
    digest.update(repr((record.fixed, record.complete, record.unlisted, record.required)).encode())
    return digest.digest()


class RecordChecker:
    """Validates records as they are read, and sorts them in the order of this program's files.

    - `names`: names of all variables.
    - `single_choice`: the file holds exactly one set per child (a network or a forest), which need not be the empty
      one.
    - `unknown_scores`: NaN is allowed as a score.
    - `foreign`: the file is from another program: a list may lack the empty set, or have a set twice; then
      the better score is kept. `report` warns of these once all records are read.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        *,
        single_choice: bool = False,
        unknown_scores: bool = False,
        foreign: bool = False,
    ):
        self.names = names
        self.foreign = foreign
        self._repeating: list[str] = []
        self._lacking: list[str] = []
        self.single_choice = single_choice
        self.unknown_scores = unknown_scores
        # Pseudo-random; numpy.random would take longer to load than small files to read.
        self._keys = np.frombuffer(hashlib.shake_128().digest(8 * len(names)), dtype=np.uint64)

    def check(self, record: ParentSetRecord, fail: Fail) -> ParentSetRecord:
        """Return the record with ascending parents and best set first, or call `fail` with the problem.

        Members of the given sets may be int64.
        """
        if not 0 <= record.child < len(self.names):
            fail(f"child index {record.child} {self._declared}")
        whose = f"variable {self.names[record.child]!r}"
        self._check_counts(record, whose, fail)
        self._check_scores(record, whose, fail)
        self._check_indices(record, whose, fail)
        sets, scores = self._sorted_within(record.parents, whose, fail), record.scores
        if not self.foreign:
            self._check_smallest(record, sets, whose, fail)
            self._check_distinct(sets, whose, fail)
        # A single score, as all of networks, may be NaN.
        order = best_first(sets, scores) if len(sets) > 1 else None
        if order is not None and (order[1:] < order[:-1]).any():
            sets, scores = sets.take(order), scores[order]
        if not self.foreign:
            return replace(record, parents=sets, scores=scores)
        kept = self._first_of_equals(sets)
        if len(kept) < len(sets):
            self._repeating.append(self.names[record.child])
            sets, scores = sets.take(kept), scores[kept]
        if sets.sizes.min() > 0:
            self._lacking.append(self.names[record.child])
        return replace(record, parents=sets, scores=scores, required=least_set(sets) or ())

    def report(self, warn: Warn) -> None:
        """Warn of sets that foreign lists have twice, and of missing empty sets."""
        if self._repeating:
            variables = f"{plural(len(self._repeating), 'variable')}: {listed(map(repr, self._repeating))}"
            warn(f"sets listed twice (the better score counts) for {variables}")
        if self._lacking:
            variables = f"{plural(len(self._lacking), 'variable')}: {listed(map(repr, self._lacking))}"
            warn(f"no empty set is listed, and one of the listed sets must be taken, for {variables}")

    @property
    def _declared(self) -> str:
        return f"but the header declares {plural(len(self.names), 'variable')} (0-{len(self.names) - 1})"

    def _check_counts(self, record: ParentSetRecord, whose: str, fail: Fail) -> None:
        n_sets = len(record.parents)
        if n_sets != len(record.scores):
            fail(f"{whose} has {n_sets} parent sets but {len(record.scores)} scores")
        if n_sets == 0:
            fail(f"{whose} lists no parent set; at least the empty one is needed")
        if (self.single_choice or record.fixed) and n_sets != 1:
            what = "a fixed record lists" if record.fixed else "a network lists"
            fail(f"{whose} has {n_sets} parent sets; {what} exactly one")

    def _check_smallest(self, record: ParentSetRecord, sets: ListedSets, whose: str, fail: Fail) -> None:
        """Check that the empty set is listed, or the set of the required parents, which all others contain."""
        if self.single_choice or record.fixed:
            return
        required, least = record.required, sets.sizes.min()
        if not required:
            if least > 0:
                fail(f"{whose} does not list the empty parent set")
            return
        # The number of required parents in each set, by differences of a running count.
        present = offsets_of(np.isin(sets.members, required))
        has_all = np.diff(present[sets.offsets]) == len(required)
        if not has_all.all():
            fail(f"{whose}: parent set {int(np.argmin(has_all)) + 1} lacks a required parent")
        if least > len(required):
            fail(f"{whose} does not list the set of its required parents alone")

    def _check_scores(self, record: ParentSetRecord, whose: str, fail: Fail) -> None:
        finite = np.abs(record.scores) <= LARGEST_SCORE
        if self.unknown_scores:
            finite |= np.isnan(record.scores)
        if not finite.all():
            index = int(np.argmin(finite))
            shown = "null (unknown)" if np.isnan(record.scores[index]) else str(record.scores[index])
            fail(f"{whose}: score {index + 1} is {shown}, not a finite number that can be summed up")

    def _check_indices(self, record: ParentSetRecord, whose: str, fail: Fail) -> None:
        members = record.parents.members
        if not len(members):
            return
        low, high = int(members.min()), int(members.max())
        if low < 0 or high >= len(self.names):
            fail(f"parent index {low if low < 0 else high} {self._declared}")
        if (members == record.child).any():
            fail(f"{whose} is among its own parents")

    def _sorted_within(self, sets: ListedSets, whose: str, fail: Fail) -> ListedSets:
        """The sets with ascending members, of type int32."""
        members = sets.members.astype(np.int32, copy=False)
        if _ascends_within(sets.offsets, members):
            return ListedSets(sets.offsets, members)
        members = members[np.lexsort((members, np.repeat(np.arange(len(sets)), sets.sizes)))]
        found = ListedSets(sets.offsets, members)
        if not _ascends_within(sets.offsets, members):
            for index, parent_set in enumerate(found):
                if len(set(parent_set)) < len(parent_set):
                    named = ", ".join(self.names[p] for p in parent_set)
                    fail(f"{whose}: parent set {index + 1} names a parent twice ({named})")
        return found

    def _may_repeat(self, sets: ListedSets) -> bool:
        """Whether some sets may be equal."""
        if len(sets) < 2:
            return False
        # Each set is hashed to the sum of its members' keys. Distinct sets rarely collide; equal sets always do.
        sums = np.zeros(len(sets.members) + 1, dtype=np.uint64)
        np.cumsum(self._keys[sets.members], out=sums[1:])
        keys = np.sort(np.diff(sums[sets.offsets]))
        return bool((keys[1:] == keys[:-1]).any())

    def _first_of_equals(self, sets: ListedSets) -> np.ndarray:
        """Positions of the sets that equal no earlier one."""
        if not self._may_repeat(sets):
            return np.arange(len(sets))
        first: dict[tuple[int, ...], int] = {}
        for index, parent_set in enumerate(sets):
            first.setdefault(parent_set, index)
        return np.array(list(first.values()))

    def _check_distinct(self, sets: ListedSets, whose: str, fail: Fail) -> None:
        if not self._may_repeat(sets):
            return
        seen: dict[tuple[int, ...], int] = {}
        for index, parent_set in enumerate(sets):
            first = seen.setdefault(parent_set, index)
            if first != index:
                named = "{" + ", ".join(self.names[p] for p in parent_set) + "}"
                fail(f"{whose} lists the set {named} twice (as sets {first + 1} and {index + 1})")


def _ascends_within(offsets: np.ndarray, members: np.ndarray) -> bool:
    """Whether the members of each set ascend."""
    if len(members) < 2:
        return True
    rises = members[1:] > members[:-1]
    # Order is not required between the last member of a set and the first member of the next.
    starts = offsets[1:-1]
    starts = starts[(starts > 0) & (starts < len(members))]
    # Entry i of `rises` compares members i and i + 1.
    rises[starts - 1] = True
    return bool(rises.all())


def check_facts(record: ParentSetRecord, header: Header, fail: Fail) -> None:
    """Call `fail` if a checked record contradicts its own facts or the last header before it."""
    whose = f"variable {header.names[record.child]!r}"
    if record.complete and record.is_cut_short:
        fail(f"{whose} is marked complete, and as cut short")
    if record.evaluated is not None and record.evaluated < 0:
        fail(f"{whose} has {record.evaluated} scores evaluated")
    most = (header.limits or {}).get("max_parents")
    if most is not None and not record.fixed and (largest := record.parents.sizes.max()) > most:
        fail(f"{whose} lists a set of {largest} parents; the header says that they are {most} at most")


def foreign_claims(header: Header) -> str | None:
    """A warning about keys of networks in the header of parent sets; None if there are none."""
    keys = [repr(key) for key in ("total", "bound", "gap", "treewidth") if key in header.extra]
    return f"the header's {', '.join(keys)} describe a network, not these sets: ignored" if keys else None
