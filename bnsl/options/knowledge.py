"""Constraints on arcs: ``--require``, ``--forbid``, ``--tiers``, the same in every stage."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stages.optimize import OptimizeOptions

from ..running.errors import UsageError
from ..tables import as_file
from .declared import option, record
from .values import ARCS, INPUT

if TYPE_CHECKING:
    from formats.graphs.tetrad_knowledge import KnowledgeLists
    from stages.knowledge import Knowledge

RECORDED_ARCS = 100_000
"""Largest number of arcs, or of variables in tiers, that a header lists. Beyond, it holds the number and a digest,
which does not show what decides the directions of arcs."""


@dataclass(frozen=True)
class KnowledgeOptions:
    """Arcs as typed, or ``@FILE``; a file of tiers."""

    require: tuple[str, ...] = option(
        "An arc that the network must have, PARENT->CHILD (quote it) or PARENT,CHILD, or a file of such "
        "arcs (one per line, CSV or JSON lines); may be given several times. Names may be patterns: 'smoke->*'.",
        ARCS,
        "ARC|@FILE",
        is_several=True,
    )
    forbid: tuple[str, ...] = option(
        "An arc that the network must not have, or a file of arcs; may be given several times. '*->asia' forbids "
        "all arcs into asia.",
        ARCS,
        "ARC|@FILE",
        is_several=True,
    )
    tiers: str | None = option(
        "One tier of variables per line, the earliest first, names separated by commas or blanks: no arc "
        "leads back to an earlier tier. Or a knowledge file of Tetrad, with its forbidden and required arcs.",
        INPUT,
        "FILE",
    )

    @property
    def sources(self) -> tuple[str, ...]:
        """The files that are read, among them perhaps standard input."""
        arcs = tuple(value[1:] for value in (*self.require, *self.forbid) if value.startswith("@"))
        return arcs if self.tiers is None else (*arcs, self.tiers)

    def resolve(self, names: Sequence[str]) -> Knowledge | None:
        """The constraints on variables with these names; None if there are none.

        Raises `UsageError`: an arc is none, or names an unknown variable; `FormatError`: a file is damaged or
        names an unknown variable; `InfeasibleError`: the constraints contradict each other.
        """
        if not (self.require or self.forbid or self.tiers):
            return None
        from formats.graphs.tetrad_knowledge import read_knowledge
        from stages.knowledge import make_knowledge

        index = {name: position for position, name in enumerate(names)}
        read = [*_read_arcs(self.require, index, "require"), *_read_arcs(self.forbid, index, "forbid")]
        read += [read_knowledge(as_file(self.tiers, "file of tiers"), index, "tiers")] if self.tiers else []
        tiers = [lists.tiers for lists in read if lists.tiers]
        if any(others != tiers[0] for others in tiers):
            raise UsageError("several files give different tiers; give one.")
        required = [arc for lists in read for arc in lists.required]
        forbidden = [arc for lists in read for arc in lists.forbidden]
        return make_knowledge(names, required, forbidden, tiers[0] if tiers else ())


KNOWLEDGE = record(KnowledgeOptions, "Constraints")


def _read_arcs(values: Sequence[str], index: Mapping[str, int], name: str) -> Iterator[KnowledgeLists]:
    """What the values of ``--require`` or ``--forbid`` stand for: arcs, and all that a knowledge file holds."""
    from formats.errors import Inconsistent
    from formats.graphs.arc_files import parse_arcs
    from formats.graphs.tetrad_knowledge import KnowledgeLists, read_knowledge

    for value in values:
        path = value.removeprefix("@") if value.startswith("@") else None
        if path is None:
            try:
                arcs = parse_arcs(value, index)
                yield KnowledgeLists(arcs, [], []) if name == "require" else KnowledgeLists([], arcs, [])
                continue
            except Inconsistent as error:
                if not os.path.isfile(value):
                    raise UsageError(f"--{name}: {error}.") from None
                path = value
        yield read_knowledge(path, index, "required" if name == "require" else "forbidden")


def recorded_knowledge(knowledge: Knowledge | None) -> dict[str, Any]:
    """The constraints as values of options, for the header."""
    if knowledge is None:
        return {}
    tiers: list[list[str]] = []
    if knowledge.tiers is not None:
        numbers = range(int(knowledge.tiers.max(initial=-1)) + 1)
        tiers = [[knowledge.names[v] for v in (knowledge.tiers == k).nonzero()[0]] for k in numbers]
    return {
        "require": _recorded(_arc_texts(knowledge, knowledge.required)),
        "forbid": _recorded(_arc_texts(knowledge, knowledge.forbidden)),
        "tiers": _recorded(tiers, sum(map(len, tiers))),
    }


def _arc_texts(knowledge: Knowledge, parents: Mapping[int, Sequence[int]]) -> list[str]:
    names = knowledge.names
    return [f"{names[parent]}->{names[child]}" for child in sorted(parents) for parent in parents[child]]


def _recorded(items: list, count: int | None = None) -> list | dict[str, Any] | None:
    count = len(items) if count is None else count
    if count <= RECORDED_ARCS:
        return items or None
    digest = hashlib.sha256(json.dumps(items).encode()).hexdigest()
    return {"number": count, "digest": f"sha256:{digest}"}


def with_knowledge(options: OptimizeOptions, knowledge: Knowledge | None) -> OptimizeOptions:
    """The options of a search under these constraints."""
    if knowledge is None:
        return options
    return replace(
        options,
        required=knowledge.arcs(knowledge.required),
        forbidden=knowledge.arcs(knowledge.forbidden),
        tiers=None if knowledge.tiers is None else tuple(knowledge.tiers.tolist()),
    )
