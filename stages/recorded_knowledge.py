"""Knowledge about arcs in headers, recorded as values of the options that gave it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from formats.errors import Inconsistent
from formats.graphs.arc_groups import ArcGroup, groups_by_child, recorded_arcs, resolved_arcs
from stages.knowledge import Arc, Knowledge, by_child, tier_of_variables


def knowledge_record(knowledge: Knowledge | None) -> dict[str, Any]:
    """The constraints as values of options, for the header; the value is None for an option without constraints."""
    if knowledge is None:
        return {}
    names, tiers = knowledge.names, None
    if knowledge.tiers is not None:
        numbers = range(int(knowledge.tiers.max(initial=-1)) + 1)
        tiers = [[names[v] for v in (knowledge.tiers == k).nonzero()[0]] for k in numbers]
    return {
        "require": [f"{names[parent]}->{names[child]}" for parent, child in knowledge.required_arcs] or None,
        "forbid": recorded_arcs(knowledge.forbidden, names) or None,
        "allow": None if knowledge.allowed is None else recorded_arcs(knowledge.allowed, names),
        "tiers": tiers or None,
    }


def recorded_knowledge(by: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Knowledge:
    """The knowledge that the entries of a header's ``by`` record, all together.

    Records about variables outside `names` (the part of the network) are left out. Raises `Inconsistent` if an entry
    is unreadable, or has only a digest of its knowledge (earlier versions wrote a digest for more than 100,000 arcs).
    """
    index = {name: variable for variable, name in enumerate(names)}
    required: set[Arc] = set()
    forbidden: list[ArcGroup] = []
    allowed: tuple[ArcGroup, ...] | None = None
    tiers = None
    for entry in by:
        options = entry.get("options") or {}
        required.update(arc for group in _recorded_arcs(options, "require", index) for arc in group.arcs())
        forbidden += _recorded_arcs(options, "forbid", index)
        members = [[index[v] for v in tier if v in index] for tier in _recorded_list(options, "tiers")]
        found = tier_of_variables(members, index)
        if tiers is None or found is None:
            tiers = found if tiers is None else tiers
        elif not np.array_equal(tiers, found):  # two different sets of tiers, both in force
            forbidden += _excluded(Knowledge(tuple(names), tiers=found))
        if options.get("allow") is not None:
            only = tuple(_recorded_arcs(options, "allow", index))
            if allowed is not None and allowed != only:  # an arc must be allowed by both
                forbidden += _excluded(Knowledge(tuple(names), allowed=only))
            allowed = only if allowed is None else allowed
    return Knowledge(tuple(names), by_child(required), tuple(dict.fromkeys(forbidden)), tiers, allowed)


def _excluded(knowledge: Knowledge) -> list[ArcGroup]:
    """The excluded arcs."""
    masks = ((child, ~knowledge.may_be_parent(child)) for child in range(knowledge.n_variables))
    return groups_by_child((child, mask.nonzero()[0].astype(np.int32)) for child, mask in masks)


def _recorded_list(options: Mapping[str, Any], name: str) -> list[Any]:
    found = options.get(name) or []
    kinds: tuple[type, ...] = (list,) if name == "tiers" else (str, dict)
    if not isinstance(found, list) or not all(isinstance(item, kinds) for item in found):
        raise Inconsistent(
            f"the header does not record what --{name} was: it holds no list, perhaps a digest of one",
            remedy="make the file again: knowledge is recorded in full now, however many arcs it names",
        )
    return found


def _recorded_arcs(options: Mapping[str, Any], name: str, index: Mapping[str, int]) -> list[ArcGroup]:
    return resolved_arcs(_recorded_list(options, name), index)
