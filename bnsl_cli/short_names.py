"""Names shortened in the middle, so that different ones stay different."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def shortened(names: Sequence[str], width: int) -> list[str]:
    """Names of at most `width` characters where that tells them apart; longer where it takes more.

    Parameters
    ----------
    names : sequence of str
        Equal ones stay equal.
    width : int
        3 or more.
    """
    short = {name: _cut(name, width, (width - 1) // 2) for name in names}
    taken: dict[str, list[str]] = {}
    for name, cut in short.items():
        taken.setdefault(cut, []).append(name)
    for cut, group in taken.items():
        if len(group) > 1:
            others = set(short.values()) - {cut}
            short.update(next(found for found in _ways(group, width) if _differ(found, others)))
    return [short[name] for name in names]


def _cut(name: str, width: int, head: int) -> str:
    """The first `head` characters and as many of the last as fit, an ellipsis between."""
    if len(name) <= width or "…" in name:
        return name
    tail = width - 1 - head
    return f"{name[:head]}…{name[len(name) - tail :]}"


def _ways(group: Sequence[str], width: int) -> Iterator[dict[str, str]]:
    """Ways of shortening names that look alike: cut elsewhere, then less and less, in the end not at all."""
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
    """How many characters all names begin with; a name that ends there counts as differing before."""
    least = min(map(len, group))
    return next((i for i in range(least) if len({name[i] for name in group}) > 1), least) if least else 0


def _around(name: str, start: int, end: int, rest: int) -> str:
    """What differs, with some of the beginning and some of the end."""
    if "…" in name:
        return name
    return f"{name[: rest // 2]}…{name[start:end]}…{name[len(name) - (rest - rest // 2) :]}"


def _differ(found: dict[str, str], others: set[str]) -> bool:
    return len(set(found.values())) == len(found) and not others.intersection(found.values())
