"""Prior knowledge about arcs: required arcs, forbidden arcs, tiers.

Tiers are ordered groups of variables: no variable may be a parent of one in an earlier tier. Variables in no tier are
unconstrained. All arcs are (parent, child).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from formats.errors import Inconsistent
from stages.graphs import CycleError, pull_parents_forward
from stages.runtime.errors import InfeasibleError, StageError

Arc = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Consistent constraints on the arcs of a network (see `make_knowledge`)."""

    names: tuple[str, ...]
    # Parents that each child must have, ascending; children without required parents do not occur.
    required: dict[int, tuple[int, ...]] = field(default_factory=dict)
    # Parents that each child must not have, likewise.
    forbidden: dict[int, tuple[int, ...]] = field(default_factory=dict)
    tiers: np.ndarray | None = None  # int32, shape (n_variables,), or None: tier of each variable from 0; -1 for none

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
        return cls(tuple(names), _by_child(required), _by_child(forbidden), tier_of)

    @property
    def n_variables(self) -> int:
        return len(self.names)

    def arcs(self, parents: Mapping[int, Sequence[int]]) -> tuple[Arc, ...]:
        """Parents by child (`required`, `forbidden`) as arcs."""
        return tuple((parent, child) for child in parents for parent in parents[child])

    def equals(self, other: Knowledge) -> bool:
        """Whether both state the same constraints on the same variables."""
        tiers = [[] if k.tiers is None else k.tiers.tolist() for k in (self, other)]
        return (self.required, self.forbidden, tiers[0]) == (other.required, other.forbidden, tiers[1])

    def required_of(self, child: int) -> tuple[int, ...]:
        """Parents that `child` must have, ascending."""
        return self.required.get(child, ())

    def may_be_parent(self, child: int) -> np.ndarray:
        """The variables that may be parents of `child`; bool, shape (n_variables,)."""
        allowed = np.ones(self.n_variables, dtype=np.bool_)
        if self.tiers is not None and self.tiers[child] >= 0:
            allowed[self.tiers > self.tiers[child]] = False
        allowed[list(self.forbidden.get(child, ()))] = False
        allowed[child] = False
        return allowed

    def excludes(self, parent: int, child: int) -> str | None:
        """Why the arc is excluded, in words; None if it is not."""
        if parent in self.forbidden.get(child, ()):
            return "is forbidden"
        if self.tiers is not None and 0 <= self.tiers[child] < self.tiers[parent]:
            return f"goes from tier {self.tiers[parent] + 1} back to tier {self.tiers[child] + 1}"
        return None

    def settles(self, parent: int, child: int) -> bool:
        """Whether the arc is required or its reverse excluded: then two joined variables have this direction."""
        return parent in self.required_of(child) or self.excludes(child, parent) is not None

    def check_required(self, parent: int, child: int) -> None:
        """Raise `InfeasibleError` if a required arc is a loop or excluded."""
        if parent == child:
            raise InfeasibleError(f"the required arc {self.arc_text(parent, child)} is a loop")
        reason = self.excludes(parent, child)
        if reason:
            both = "both required and forbidden" if reason == "is forbidden" else f"required but {reason}"
            raise InfeasibleError(f"the arc {self.arc_text(parent, child)} is {both}")

    def arc_text(self, parent: int, child: int) -> str:
        """An arc as messages show it."""
        return f"{self.names[parent]} -> {self.names[child]}"


def make_knowledge(
    names: Sequence[str],
    required: Iterable[tuple[int | str, int | str]] = (),
    forbidden: Iterable[tuple[int | str, int | str]] = (),
    tiers: Sequence[Sequence[int | str]] = (),
) -> Knowledge:
    """Check and index prior knowledge.

    Raises `StageError` if a name or index is no variable, or a variable is in two tiers; `InfeasibleError` if the
    constraints contradict each other. Arcs are (parent, child) of names or indices, and so are the members of the
    `tiers`, the earliest first.
    """
    index = {name: i for i, name in enumerate(names)}

    def resolve(arcs: Iterable[tuple[int | str, int | str]]) -> list[Arc]:
        return [(_index_of(parent, index), _index_of(child, index)) for parent, child in arcs]

    arcs = resolve(required)
    tier_of = _tier_of_variables(tiers, index)
    knowledge = Knowledge.of_arcs(names, arcs, resolve(forbidden), tier_of)
    for parent, child in arcs:
        knowledge.check_required(parent, child)
    require_no_cycle(knowledge.required, names, "the required arcs")
    return knowledge


def recorded_knowledge(by: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Knowledge:
    """The knowledge that the entries of a header's ``by`` record, all together.

    What is recorded about variables that are not in `names` (those of a part of the network) is left out. Raises
    `Inconsistent` if an entry has only a digest of its knowledge, or none that can be read.
    """
    index = {name: variable for variable, name in enumerate(names)}
    required: set[Arc] = set()
    forbidden: set[Arc] = set()
    tiers = None
    for entry in by:
        options = entry.get("options") or {}
        required.update(_recorded_arcs(options, "require", index))
        forbidden.update(_recorded_arcs(options, "forbid", index))
        members = [[index[v] for v in tier if v in index] for tier in _recorded_list(options, "tiers", list)]
        found = _tier_of_variables(members, index)
        if tiers is None or found is None:
            tiers = found if tiers is None else tiers
        elif not np.array_equal(tiers, found):  # two sets of tiers, both in force
            other = Knowledge(tuple(names), tiers=found)
            forbidden.update((a, b) for a, b in permutations(range(len(names)), 2) if other.excludes(a, b))
    return Knowledge.of_arcs(names, required, forbidden, tiers)


def _recorded_list(options: Mapping[str, Any], name: str, kind: type) -> list[Any]:
    found = options.get(name) or []
    if not isinstance(found, list) or not all(isinstance(item, kind) for item in found):
        raise Inconsistent(f"the header does not record what --{name} was: it holds no list, perhaps a digest of one")
    return found


def _recorded_arcs(options: Mapping[str, Any], name: str, index: Mapping[str, int]) -> Iterator[Arc]:
    for text in _recorded_list(options, name, str):
        pieces = text.split("->")  # names may contain arrows themselves
        ends = (("->".join(pieces[:at]), "->".join(pieces[at:])) for at in range(1, len(pieces)))
        yield from [(index[a], index[b]) for a, b in ends if a in index and b in index][:1]


def _index_of(variable: int | str, index: Mapping[str, int]) -> int:
    if isinstance(variable, str):
        if variable not in index:
            raise StageError(f"{variable!r} is no variable of the data")
        return index[variable]
    if not 0 <= variable < len(index):
        raise StageError(f"there is no variable {variable}: the data have {len(index)} (0-{len(index) - 1})")
    return int(variable)


def _by_child(arcs: Iterable[Arc]) -> dict[int, tuple[int, ...]]:
    parents: dict[int, set[int]] = {}
    for parent, child in arcs:
        parents.setdefault(child, set()).add(parent)
    return {child: tuple(sorted(parents[child])) for child in sorted(parents)}


def _tier_of_variables(tiers: Sequence[Sequence[int | str]], index: Mapping[str, int]) -> np.ndarray | None:
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


def check_screened(knowledge: Knowledge, screened: Mapping[int, int]) -> None:
    """Raise `InfeasibleError` if arcs of a screening forest (child to parent) contradict the knowledge."""
    release = "leave it out of the screening forest or drop the constraint"
    for child, parent in screened.items():
        name = knowledge.names[child]
        others = [p for p in knowledge.required_of(child) if p != parent]
        if others:
            raise InfeasibleError(
                f"{name!r} is screened with the single parent {knowledge.names[parent]!r}, but the arc "
                f"{knowledge.arc_text(others[0], child)} is required: {release}"
            )
        reason = knowledge.excludes(parent, child)
        if reason:
            raise InfeasibleError(f"the screened arc {knowledge.arc_text(parent, child)} {reason}: {release}")
    together = {child: (parent,) for child, parent in screened.items()} | knowledge.required
    require_no_cycle(together, knowledge.names, "the screened and the required arcs")
