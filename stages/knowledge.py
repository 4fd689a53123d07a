"""Prior knowledge about arcs: required arcs, forbidden arcs, the only arcs allowed, tiers.

Tiers are ordered groups of variables: no variable may be a parent of a variable in an earlier tier. Variables in no
tier are unconstrained. All arcs are (parent, child).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from formats.graphs.arc_groups import ArcGroup, group_of, grouped_arcs
from stages.graphs import CycleError, pull_parents_forward
from stages.runtime.errors import InfeasibleError, StageError

Arc = tuple[int, int]
Named = int | str
"""A variable: its index or its name."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Consistent constraints on the arcs of a network (see `make_knowledge`).

    Excluded arcs are kept in groups, as the user gave them: there may be millions.
    """

    names: tuple[str, ...]
    # Parents that each child must have, ascending; children without required parents do not occur.
    required: dict[int, tuple[int, ...]] = field(default_factory=dict)
    forbidden: tuple[ArcGroup, ...] = ()
    tiers: np.ndarray | None = None  # int32, shape (n_variables,), or None: tier of each variable from 0; -1 for none
    allowed: tuple[ArcGroup, ...] | None = None  # the only permitted arcs; None for all

    @classmethod
    def of_arcs(
        cls,
        names: Sequence[str],
        required: Iterable[Arc] = (),
        forbidden: Iterable[Arc] = (),
        tiers: Sequence[int] | np.ndarray | None = None,
    ) -> Knowledge:
        """Index arcs and the tier of each variable (-1 for none), without checks."""
        tier_of = None if tiers is None else np.array(tiers, dtype=np.int32)
        return cls(tuple(names), by_child(required), tuple(grouped_arcs(forbidden)), tier_of)

    @property
    def n_variables(self) -> int:
        return len(self.names)

    @property
    def is_empty(self) -> bool:
        """Whether there is no constraint."""
        is_limited = self.tiers is not None or self.allowed is not None
        return not (self.required or self.forbidden or is_limited)

    @property
    def required_arcs(self) -> tuple[Arc, ...]:
        """The required arcs, by child."""
        return tuple((parent, child) for child in self.required for parent in self.required[child])

    def equals(self, other: Knowledge) -> bool:
        """Whether both state the same constraints on the same variables."""
        if self.n_variables != other.n_variables or self.required != other.required:
            return False
        masks = ((self.may_be_parent(child), other.may_be_parent(child)) for child in range(self.n_variables))
        return all(np.array_equal(ours, theirs) for ours, theirs in masks)

    def among(self, members: np.ndarray) -> Knowledge:
        """The constraints on arcs among some variables (int), numbered from 0 in the given order."""
        place = {variable: number for number, variable in enumerate(members.tolist())}

        def inside(groups: Iterable[ArcGroup]) -> tuple[ArcGroup, ...]:
            ends = ([[place[v] for v in end.members if v in place] for end in group] for group in groups)
            return tuple(group_of(tails, heads) for tails, heads in ends if tails and heads)

        return Knowledge(
            tuple(self.names[v] for v in members),
            by_child((place[a], place[b]) for a, b in self.required_arcs if a in place and b in place),
            inside(self.forbidden),
            None if self.tiers is None else self.tiers[members],
            None if self.allowed is None else inside(self.allowed),
        )

    @cached_property
    def _forbidden_tails(self) -> dict[int, list[np.ndarray]]:
        return _tails_by_head(self.forbidden)

    @cached_property
    def _allowed_tails(self) -> dict[int, list[np.ndarray]]:
        return _tails_by_head(self.allowed or ())

    def required_of(self, child: int) -> tuple[int, ...]:
        """Parents that `child` must have, ascending."""
        return self.required.get(child, ())

    def limits_parents_of(self, child: int) -> bool:
        """Whether some arc into `child` may be required or excluded."""
        is_limited = self.tiers is not None or self.allowed is not None
        return is_limited or child in self.required or child in self._forbidden_tails

    def may_be_parent(self, child: int) -> np.ndarray:
        """The variables that may be parents of `child`; bool, shape (n_variables,)."""
        permitted = np.full(self.n_variables, self.allowed is None)
        for tails in self._allowed_tails.get(child, ()):
            permitted[tails] = True
        if self.tiers is not None and self.tiers[child] >= 0:
            permitted[self.tiers > self.tiers[child]] = False
        for tails in self._forbidden_tails.get(child, ()):
            permitted[tails] = False
        permitted[child] = False
        return permitted

    def excludes(self, parent: int, child: int) -> str | None:
        """Why the arc is excluded, in words; None if it is not."""
        if _holds(self._forbidden_tails.get(child, ()), parent):
            return "is forbidden"
        if self.tiers is not None and 0 <= self.tiers[child] < self.tiers[parent]:
            return f"goes from tier {self.tiers[parent] + 1} back to tier {self.tiers[child] + 1}"
        if self.allowed is not None and not _holds(self._allowed_tails.get(child, ()), parent):
            return NOT_ALLOWED
        return None

    def settles(self, parent: int, child: int) -> bool:
        """Whether the arc is required or its reverse excluded: then the knowledge decides the direction between the
        two.
        """
        return parent in self.required_of(child) or self.excludes(child, parent) is not None

    def check_required(self, parent: int, child: int) -> None:
        """Raise `InfeasibleError` if a required arc is a loop or excluded."""
        if parent == child:
            raise InfeasibleError(f"the required arc {self.arc_text(parent, child)} is a loop")
        reason = self.excludes(parent, child)
        if reason:
            both = "both required and forbidden" if reason == "is forbidden" else f"required but {reason}"
            if reason == NOT_ALLOWED:
                both = "required (--require), but no --allow permits it"
            raise InfeasibleError(f"the arc {self.arc_text(parent, child)} is {both}")

    def arc_text(self, parent: int, child: int) -> str:
        """An arc as messages show it."""
        return f"{self.names[parent]} -> {self.names[child]}"


NOT_ALLOWED = "is not among the allowed arcs"


def make_knowledge(
    names: Sequence[str],
    required: Iterable[tuple[Named, Named]] = (),
    forbidden: Iterable[ArcGroup | tuple[Named, Named]] = (),
    tiers: Sequence[Sequence[Named]] = (),
    allowed: Iterable[ArcGroup | tuple[Named, Named]] | None = None,
) -> Knowledge:
    """Check and index prior knowledge.

    Raises `StageError` if a name or index is no variable, or a variable is in two tiers; `InfeasibleError` if the
    constraints contradict each other. Arcs are pairs (parent, child) of names or indices, or groups of arcs. Members
    of `tiers`, earliest tier first, are names or indices as well. With `allowed` all other arcs are excluded;
    required arcs must be among the allowed ones.
    """
    index = {name: i for i, name in enumerate(names)}

    def resolve(arcs: Iterable[tuple[Named, Named]]) -> list[Arc]:
        return [(_index_of(parent, index), _index_of(child, index)) for parent, child in arcs]

    def grouped(arcs: Iterable[ArcGroup | tuple[Named, Named]]) -> tuple[ArcGroup, ...]:
        arcs = tuple(arcs)
        single = [arc for arc in arcs if not isinstance(arc, ArcGroup)]
        return (*grouped_arcs(resolve(single)), *(arc for arc in arcs if isinstance(arc, ArcGroup)))

    arcs = resolve(required)
    knowledge = Knowledge(
        tuple(names),
        by_child(arcs),
        grouped(forbidden),
        tier_of_variables(tiers, index),
        None if allowed is None else grouped(allowed),
    )
    for parent, child in arcs:
        knowledge.check_required(parent, child)
    require_no_cycle(knowledge.required, names, "the required arcs")
    return knowledge


def _tails_by_head(groups: Iterable[ArcGroup]) -> dict[int, list[np.ndarray]]:
    """For each variable the tails of the groups in which it is a head: int32, ascending, one array for each group."""
    found: dict[int, list[np.ndarray]] = {}
    for group in groups:
        tails = np.array(group.tails.members, dtype=np.int32)
        for head in group.heads.members:
            found.setdefault(head, []).append(tails)
    return found


def _holds(ascending: Iterable[np.ndarray], variable: int) -> bool:
    """Whether one of some ascending arrays holds a variable."""
    for members in ascending:
        place = int(np.searchsorted(members, variable))
        if place < len(members) and members[place] == variable:
            return True
    return False


def _index_of(variable: Named, index: Mapping[str, int]) -> int:
    if isinstance(variable, str):
        if variable not in index:
            raise StageError(f"{variable!r} is no variable of the data")
        return index[variable]
    if not 0 <= variable < len(index):
        raise StageError(f"there is no variable {variable}: the data have {len(index)} (0-{len(index) - 1})")
    return int(variable)


def by_child(arcs: Iterable[Arc]) -> dict[int, tuple[int, ...]]:
    """Parents by child, both ascending."""
    parents: dict[int, set[int]] = {}
    for parent, child in arcs:
        parents.setdefault(child, set()).add(parent)
    return {child: tuple(sorted(parents[child])) for child in sorted(parents)}


def tier_of_variables(tiers: Sequence[Sequence[Named]], index: Mapping[str, int]) -> np.ndarray | None:
    """Tier of each variable, int32, -1 for none; None without tiers. Raises `StageError` if a variable is in two
    tiers.
    """
    if not tiers:
        return None
    tier_of = np.full(len(index), -1, dtype=np.int32)
    for number, members in enumerate(tiers):
        for member in members:
            variable = _index_of(member, index)
            if tier_of[variable] >= 0:
                name = list(index)[variable]
                raise StageError(f"{name!r} is in tier {tier_of[variable] + 1} and in tier {number + 1}")
            tier_of[variable] = number
    return tier_of


def require_no_cycle(parents: Mapping[int, Sequence[int]], names: Sequence[str], what: str) -> None:
    """Raise `InfeasibleError`, which shows the cycle, if the given arcs close one.

    `parents` is by child; `what` names the arcs in the message.
    """
    try:
        pull_parents_forward(range(len(names)), parents)
    except CycleError as error:
        shown = [names[v] for v in reversed([*error.cycle, error.cycle[0]])]
        if len(shown) > 8:
            shown[4:-3] = ["..."]
        raise InfeasibleError(f"{what} close a cycle: {' -> '.join(shown)}") from None


def check_screened(knowledge: Knowledge, screened: Mapping[int, tuple[int, ...]]) -> None:
    """Raise `InfeasibleError` if arcs of a screening forest (child to parents) contradict the knowledge."""
    release = "leave it out of the screening forest or drop the constraint"
    for child, parents in screened.items():
        name = knowledge.names[child]
        others = [p for p in knowledge.required_of(child) if p not in parents]
        if others:
            shown = " and ".join(repr(knowledge.names[parent]) for parent in parents)
            raise InfeasibleError(
                f"{name!r} is screened with the {'single parent' if len(parents) == 1 else 'parents'} {shown}, but "
                f"the arc {knowledge.arc_text(others[0], child)} is required: {release}"
            )
        for parent in parents:
            reason = knowledge.excludes(parent, child)
            if reason:
                raise InfeasibleError(f"the screened arc {knowledge.arc_text(parent, child)} {reason}: {release}")
    together = dict(knowledge.required) | dict(screened)
    require_no_cycle(together, knowledge.names, "the screened and the required arcs")
