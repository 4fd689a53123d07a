"""Knowledge files of Tetrad: tiers, forbidden and required arcs in one file; names are replaced by indices.

The first line is ``/knowledge``, or ``/knowledge comma`` if commas, not blanks, separate the names. Sections::

    addtemporal       1 A B     tier 1; 1* also forbids arcs within it, 1- arcs beyond the next tier
    forbiddirect      A B       no arc from A to B; likewise requiredirect
    forbiddengroup    A B       two lines: no arc from any of the first to any of the second; likewise requiredgroup
                      C D

A name may be a pattern, as in `arc_files`. Blank lines and comments (``//``, ``#``) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple

from ..errors import Inconsistent
from ..graph_records import Arc
from ..textlines import Lines, line_by_line
from .arc_files import cells_of, read_arcs, read_tiers, variables_like
from .arc_groups import ArcEnds, ArcGroup, group_of, grouped_arcs

_HEADER = b"/knowledge"
_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect", "forbiddengroup", "requiredgroup")
_TIER = re.compile(r"(\d{1,9})([*-]*)")


class GivenKnowledge(NamedTuple):
    """Arcs and tiers, the earliest first, by index."""

    required: list[Arc]
    """(parent, child)"""
    forbidden: list[ArcGroup]
    tiers: list[list[int]]
    allowed: list[ArcGroup] | None = None
    """The only permitted arcs besides required ones; None for all."""


def read_knowledge(source: str | BinaryIO | Lines, index: Mapping[str, int], content: str) -> GivenKnowledge:
    """Read a file of arcs, of tiers, or of Tetrad's knowledge.

    `content`: the content of a file of another program than Tetrad: ``required``, ``forbidden`` or ``allowed`` arcs,
    or ``tiers``. Raises `FormatError`: with the line; also when a name is not in `index`, or a variable is in two
    tiers.
    """
    with line_by_line(source) as lines:
        if _is_tetrad(lines):
            return _TetradReader(lines, index).read()
        if content == "tiers":
            return GivenKnowledge([], [], read_tiers(lines, index))
        return knowledge_about(read_arcs(lines, index), content)


def knowledge_about(arcs: list[ArcGroup], content: str) -> GivenKnowledge:
    """The knowledge that arcs are ``required``, ``forbidden`` or ``allowed``."""
    if content == "required":
        return GivenKnowledge([arc for group in arcs for arc in group.arcs()], [], [])
    if content == "forbidden":
        return GivenKnowledge([], arcs, [])
    return GivenKnowledge([], [], [], arcs)


def _is_tetrad(lines: Lines) -> bool:
    """Whether the first non-blank line identifies the format; only blank lines are consumed."""
    for line in lines:
        if line.strip():
            lines.push_back([(lines.number, line, lines.terminated)])
            return line.split()[0].lower() == _HEADER
    return False


class _TetradReader:
    """The lines of a knowledge file, section by section."""

    def __init__(self, lines: Lines, index: Mapping[str, int]):
        self.lines = lines
        self.index = index
        self.has_commas = False
        self.tiers: dict[int, list[int]] = {}
        self.within: set[int] = set()
        self.next_only: set[int] = set()
        self.required: list[Arc] = []
        self.forbidden: list[Arc] = []
        self.forbidden_groups: list[ArcGroup] = []
        self.group: list[str] = []
        """First line of a group whose second line comes next."""

    def read(self) -> GivenKnowledge:
        section = ""
        for words in self._statements():
            first = words[0].lower()
            if first == _HEADER.decode():
                self.has_commas = [word.lower() for word in words[1:]] == ["comma"]
            elif len(words) == 1 and first in _SECTIONS:
                self._require_whole_group()
                section = first
            elif section == "addtemporal":
                self._read_tier(words)
            elif section:
                self._read_arcs(section, words)
            else:
                raise Inconsistent(f"{words[0]!r} is no section: {', '.join(_SECTIONS)}")
        self._require_whole_group()
        return GivenKnowledge(self.required, self._forbidden(), [self.tiers[k] for k in sorted(self.tiers)])

    def _statements(self) -> Iterator[list[str]]:
        for line in self.lines:
            text = self.lines.decode(line).strip()
            if text and not text.startswith(("#", "//")):
                words = cells_of(self.lines, text, "," if self.has_commas else " ")
                if words:
                    yield words

    def _read_tier(self, words: Sequence[str]) -> None:
        match = _TIER.fullmatch(words[0])
        if match is None:
            raise Inconsistent(f"{words[0]!r} is no tier: 1, 2, ..., with * behind to forbid arcs within it")
        number, flags = int(match[1]), match[2]
        self.within |= {number} if "*" in flags else set()
        self.next_only |= {number} if "-" in flags else set()
        members = self.tiers.setdefault(number, [])
        for word in words[1:]:
            for variable in variables_like(word, self.index):
                if any(variable in tier for tier in self.tiers.values()):
                    raise Inconsistent(f"{list(self.index)[variable]!r} is in a tier already")
                members.append(variable)

    def _read_arcs(self, section: str, words: list[str]) -> None:
        """An arc, or one of the two lines of a group."""
        tails, heads = words[:1], words[1:]
        if section.endswith("direct") and len(words) != 2:
            raise Inconsistent(f"an arc needs two names, this line has {len(words)}")
        if section.endswith("group"):
            tails, heads = self.group, words
            self.group = [] if tails else words
        if not tails:
            return
        group = ArcGroup(self._ends(tails), self._ends(heads))
        if section.startswith("require"):
            self.required += [arc for arc in group.arcs() if arc[0] != arc[1]]
        elif section.endswith("direct") and not group.is_pattern:
            self.forbidden += [arc for arc in group.arcs() if arc[0] != arc[1]]
        else:
            self.forbidden_groups.append(group)

    def _ends(self, words: Sequence[str]) -> ArcEnds:
        members = tuple(sorted({v for word in words for v in variables_like(word, self.index)}))
        return ArcEnds(members, words[0] if len(words) == 1 and words[0] not in self.index else None)

    def _require_whole_group(self) -> None:
        if self.group:
            raise Inconsistent("a group lacks its second line")

    def _forbidden(self) -> list[ArcGroup]:
        """The forbidden arcs, including arcs within and between tiers."""
        found = grouped_arcs(self.forbidden) + self.forbidden_groups
        found += [
            group_of(self.tiers[number], self.tiers[number])
            for number in sorted(self.within)
            if len(self.tiers[number]) > 1
        ]
        for number in sorted(self.next_only):
            later = [v for k in self.tiers if k > number + 1 for v in self.tiers[k]]
            found.append(group_of(self.tiers[number], later))
        return [group for group in found if group.tails.members and group.heads.members]
