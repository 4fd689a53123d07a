"""Messages made safe for a terminal, text for UTF-8; abbreviated names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

MOST = 4000
"""Longest line of a message, characters."""


def printable_lines(message: str) -> str:
    """A message made printable line by line, line ends kept; very long lines are cut."""
    lines = message.split("\n")
    if not all(map(str.isprintable, lines)):  # plain messages need no package, even if another one hides `formats`
        from formats.wording import printable

        lines = list(map(printable, lines))
    return "\n".join(line if len(line) <= MOST else f"{line[:MOST]}..." for line in lines)


def escaped(text: str) -> str:
    """The text with lone surrogates (for undecodable bytes of a file name) as escapes."""
    return text.encode(errors="backslashreplace").decode()


def abbreviated(names: Sequence[str], width: int) -> list[str]:
    """Names of at most `width` characters (3 or more), longer only where that would make different names equal."""
    short = {name: _cut(name, width, (width - 1) // 2) for name in names}
    taken: dict[str, list[str]] = {}
    for name, cut in short.items():
        taken.setdefault(cut, []).append(name)
    for cut, group in taken.items():
        if len(group) > 1:
            others = set(short.values()) - {cut}
            short.update(next(found for found in _candidates(group, width) if _differ(found, others)))
    return [short[name] for name in names]


def _cut(name: str, width: int, head: int) -> str:
    """The first `head` characters and as many of the last ones as fit, with an ellipsis between."""
    if len(name) <= width or "…" in name:
        return name
    tail = width - 1 - head
    return f"{name[:head]}…{name[len(name) - tail :]}"


def _candidates(group: Sequence[str], width: int) -> Iterator[dict[str, str]]:
    """Abbreviations of names that would be equal when cut in the middle: cut elsewhere, then less and less."""
    for head in sorted(range(1, width - 1), key=lambda head: abs(2 * head - width)):
        yield {name: _cut(name, width, head) for name in group}
    start, end = _common(group), _common([name[::-1] for name in group])
    rest = width - 2 - max(len(name) - start - end for name in group)
    if rest >= 2:
        yield {name: _around(name, start, len(name) - end, rest) for name in group}
    longest = max(map(len, group))
    while width < longest:
        width = min(longest, width + max(1, width // 8))
        yield {name: _cut(name, width, (width - 1) // 2) for name in group}


def _common(group: Sequence[str]) -> int:
    """Length of the longest common prefix."""
    return sum(1 for _ in takewhile(lambda signs: len(set(signs)) == 1, zip(*group)))


def _around(name: str, start: int, end: int, rest: int) -> str:
    """The characters from `start` to `end`, with `rest` characters of the beginning and the end."""
    if "…" in name:
        return name
    return f"{name[: rest // 2]}…{name[start:end]}…{name[len(name) - (rest - rest // 2) :]}"


def _differ(found: dict[str, str], others: set[str]) -> bool:
    return len(set(found.values())) == len(found) and not others.intersection(found.values())
