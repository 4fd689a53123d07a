"""Arcs as the user gave them: all from some variables to others, without a list of the pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import Inconsistent
from ..graph_records import Arc
from ..tables.selection import names_like

LISTED_ARCS = 1000
"""Largest number of arcs that a header lists one by one; arcs of patterns do not count."""


class ArcEnds(NamedTuple):
    """Variables at one end of arcs: by index, ascending."""

    members: tuple[int, ...]
    pattern: str | None = None
    """The pattern that the user gave for them; None if they were named."""


class ArcGroup(NamedTuple):
    """All arcs from any of the tails to any of the heads, without loops unless there are only loops."""

    tails: ArcEnds
    heads: ArcEnds

    def arcs(self) -> list[Arc]:
        """The arcs one by one."""
        every = [(tail, head) for tail in self.tails.members for head in self.heads.members]
        return [arc for arc in every if arc[0] != arc[1]] or every

    @property
    def is_pattern(self) -> bool:
        """Whether a pattern stands for one of the ends."""
        return self.tails.pattern is not None or self.heads.pattern is not None


def group_of(tails: Iterable[int], heads: Iterable[int]) -> ArcGroup:
    """The arcs between variables that are named."""
    return ArcGroup(ArcEnds(tuple(sorted(tails))), ArcEnds(tuple(sorted(heads))))


def grouped_arcs(arcs: Iterable[Arc]) -> list[ArcGroup]:
    """Single arcs as groups, see `groups_by_child`; each loop is a group of its own."""
    parents: dict[int, set[int]] = {}
    loops = set()
    for parent, child in arcs:
        if parent == child:
            loops.add(child)
        else:
            parents.setdefault(child, set()).add(parent)
    by_child = ((child, np.array(sorted(parents[child]), dtype=np.int32)) for child in sorted(parents))
    return groups_by_child(by_child) + [group_of((v,), (v,)) for v in sorted(loops)]


def groups_by_child(parents: Iterable[tuple[int, np.ndarray]]) -> list[ArcGroup]:
    """Groups of the arcs from the parents (int32, ascending) to each child: one group for all children with the same
    parents.

    A group has no loops. So parents are compared without the child itself.
    """
    keys: list[tuple[int, bytes, bytes]] = []
    for child, tails in parents:
        others = tails[tails != child]
        place = int(np.searchsorted(others, child))
        keys.append((child, others.tobytes(), np.insert(others, place, child).tobytes()))
    common = Counter(key for _, *both in keys for key in both)
    heads: dict[bytes, list[int]] = {}
    for child, without, with_child in keys:
        key = with_child if common[with_child] > common[without] else without
        heads.setdefault(key, []).append(child)
    return [group_of(np.frombuffer(tails, dtype=np.int32).tolist(), heads[tails]) for tails in heads if tails]


def recorded_arcs(groups: Iterable[ArcGroup], names: Sequence[str]) -> list[str | dict[str, Any]]:
    """Groups as a header records them.

    A single arc is ``A->B``. A group is ``{"from": ..., "to": ...}``: at either end a pattern, or a list of names.
    Arcs between named variables are recorded singly up to `LISTED_ARCS`, beyond that as groups.
    """
    groups = tuple(dict.fromkeys(groups))
    named = [group for group in groups if not group.is_pattern]
    objects = [group for group in groups if group.is_pattern]
    if sum(len(group.tails.members) * len(group.heads.members) for group in named) > LISTED_ARCS:
        objects, named = [*named, *objects], []
    single = sorted({arc for group in named for arc in group.arcs()}, key=lambda arc: arc[::-1])
    texts = [f"{names[parent]}->{names[child]}" for parent, child in single]
    return texts + [{"from": _recorded(group.tails, names), "to": _recorded(group.heads, names)} for group in objects]


def _recorded(ends: ArcEnds, names: Sequence[str]) -> str | list[str]:
    return ends.pattern if ends.pattern is not None else [names[variable] for variable in ends.members]


def resolved_arcs(items: Iterable[Any], index: Mapping[str, int]) -> list[ArcGroup]:
    """The groups that `recorded_arcs` wrote, for the variables of `index`; parts about other variables are left out.

    Raises `Inconsistent`: an item is neither an arc nor a group.
    """
    arcs: list[Arc] = []
    groups = []
    for item in items:
        if isinstance(item, str):
            arcs += _arcs_of(item, index)
            continue
        ends = (item.get("from"), item.get("to")) if isinstance(item, dict) else (None, None)
        group = ArcGroup(*(_resolved(end, index) for end in ends))
        if group.tails.members and group.heads.members:
            groups.append(group)
    return grouped_arcs(arcs) + groups


def _arcs_of(text: str, index: Mapping[str, int]) -> list[Arc]:
    pieces = text.split("->")  # names may contain arrows themselves
    if len(pieces) == 1:
        raise Inconsistent(
            f"the header records {text!r}, which is no arc", remedy="make the file again, with arcs or tiers"
        )
    ends = (("->".join(pieces[:at]), "->".join(pieces[at:])) for at in range(1, len(pieces)))
    return [(index[a], index[b]) for a, b in ends if a in index and b in index][:1]


def _resolved(end: Any, index: Mapping[str, int]) -> ArcEnds:
    if isinstance(end, str):
        return ArcEnds(tuple(sorted(index[name] for name in names_like(end, index.keys()))), end)
    if not isinstance(end, list) or not all(isinstance(name, str) for name in end):
        raise Inconsistent("an end of arcs is neither a pattern nor a list of names")
    return ArcEnds(tuple(sorted({index[name] for name in end if name in index})))
