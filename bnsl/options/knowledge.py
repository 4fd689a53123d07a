"""Constraints on arcs: ``--require``, ``--forbid``, ``--allow``, ``--tiers``, the same in every stage."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypedDict

from stages.optimize import OptimizeOptions

from ..running.errors import UsageError
from .option import Given, Option
from .values import ARCS, TIERS

if TYPE_CHECKING:
    from formats.graphs.tetrad_knowledge import GivenKnowledge
    from stages.knowledge import Knowledge


Arcs = Annotated[
    str | tuple[str, str] | Iterable[str | tuple[str, str]],
    Option(kind=ARCS, metavar="ARC|@FILE", is_several=True, section="Constraints"),
]
"""Arcs as typed, or ``@FILE``; a text after it is the help."""


class KnowledgeOptions(TypedDict, total=False):
    """Constraints on arcs."""

    require: Annotated[
        Arcs,
        "Require an arc, PARENT->CHILD (in quotes) or PARENT,CHILD, or the arcs of a file. A file has one arc per "
        "line, or is CSV or JSON lines. Names may be patterns: 'smoke->*'. May be repeated.",
    ]
    forbid: Annotated[
        Arcs, "Forbid an arc, or the arcs of a file. '*->asia' forbids all arcs into asia. May be repeated."
    ]
    allow: Annotated[
        Arcs,
        "Allow this arc, or the arcs of a file, and forbid all others. May be repeated; then all given arcs are "
        "allowed. With 'TF*->*' only variables named TF... have children. --forbid and --tiers exclude arcs from the "
        "allowed ones. Required arcs must be among the allowed ones.",
    ]
    tiers: Annotated[
        str | os.PathLike[str] | Iterable[Iterable[str]] | None,
        Option(
            "A file with one tier of variables per line, the earliest first: no arc leads back to an earlier tier. "
            "Names are separated by commas or blanks. A knowledge file of Tetrad may be given instead; its forbidden "
            "and required arcs hold, too.",
            TIERS,
            "FILE",
            section="Constraints",
        ),
    ]


class GivenConstraints(Given):
    """The given constraints: arcs as typed, or ``@FILE``; a file of tiers."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The files to read, possibly including standard input."""
        arcs = tuple(value[1:] for value in (*self.require, *self.forbid, *self.allow) if value.startswith("@"))
        return (*arcs, self.tiers) if isinstance(self.tiers, str) else arcs

    def resolve(self, names: Sequence[str]) -> "Knowledge | None":
        """The constraints on variables with these names; None if there are none.

        Raises `UsageError`: a text is no arc, or names an unknown variable; `FormatError`: a file is damaged or names
        an unknown variable; `InfeasibleError`: the constraints contradict each other.
        """
        if not (self.require or self.forbid or self.allow or self.tiers):
            return None
        from formats.graphs.tetrad_knowledge import read_knowledge
        from stages.knowledge import make_knowledge

        index = {name: position for position, name in enumerate(names)}
        options = ("require", self.require), ("forbid", self.forbid), ("allow", self.allow)
        read = [lists for name, values in options for lists in _read_arcs(values, index, name)]
        read += [read_knowledge(self.tiers, index, "tiers")] if isinstance(self.tiers, str) else []
        tiers = [lists.tiers for lists in read if lists.tiers]
        if isinstance(self.tiers, tuple):
            tiers.append(_positions(self.tiers, index))
        if any(others != tiers[0] for others in tiers):
            raise UsageError("several files give different tiers; give one.")
        required = [arc for lists in read for arc in lists.required]
        forbidden = [group for lists in read for group in lists.forbidden]
        allowed = [group for lists in read for group in lists.allowed or ()]
        is_limited = any(lists.allowed is not None for lists in read)
        return make_knowledge(names, required, forbidden, tiers[0] if tiers else (), allowed if is_limited else None)


def _positions(tiers: Sequence[Sequence[str]], index: Mapping[str, int]) -> list[list[int]]:
    """Translate tiers of names into tiers of positions.

    Raises `UsageError`: a name is no variable.
    """
    unknown = [name for tier in tiers for name in tier if name not in index]
    if unknown:
        raise UsageError(f"--tiers: {unknown[0]!r} is no variable.")
    return [[index[name] for name in tier] for tier in tiers]


def _read_arcs(values: Sequence[str], index: Mapping[str, int], name: str) -> "Iterator[GivenKnowledge]":
    """What the values of an option of arcs stand for: arcs, and all that a knowledge file holds."""
    from formats.errors import Inconsistent
    from formats.graphs.arc_files import parse_arcs
    from formats.graphs.tetrad_knowledge import knowledge_about, read_knowledge

    content = {"require": "required", "forbid": "forbidden", "allow": "allowed"}[name]
    for value in values:
        path = value.removeprefix("@") if value.startswith("@") else None
        if path is None:
            try:
                yield knowledge_about([parse_arcs(value, index)], content)
                continue
            except Inconsistent as error:
                if not os.path.isfile(value):
                    raise UsageError(f"--{name}: {error}.") from None
                path = value
        yield read_knowledge(path, index, content)


def with_knowledge(options: OptimizeOptions, knowledge: "Knowledge | None") -> OptimizeOptions:
    """The options of a search under these constraints."""
    if knowledge is None:
        return options
    return replace(options, knowledge=knowledge)
