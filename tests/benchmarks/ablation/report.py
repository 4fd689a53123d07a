"""The table of results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

KEYS, GROUP = ("task", "table", "seed", "limit"), ("task", "table", "limit")


class Row(NamedTuple):
    """A part on a table, over the seeds."""

    part: str
    task: str
    table: str
    limit: float
    gains: list[float]  # result of the full program less that without the part, by seed
    spread: float  # of the full program: largest less smallest result of these seeds
    p: float  # of the sign test that the part gains nothing, one-sided
    acted: int  # runs of the full program in which the part acted

    @property
    def mean(self) -> float:
        """Of the gains."""
        return sum(self.gains) / len(self.gains)

    @property
    def verdict(self) -> str:
        """Of this table alone: it gains, or loses, where every seed does or the mean exceeds the spread."""
        if not any(self.gains):
            return "equal"
        if min(self.gains) > 0.0 or self.mean > self.spread:
            return "gains"
        return "loses" if max(self.gains) < 0.0 or -self.mean > self.spread else "undecided"


def sign_test(gains: Sequence[float]) -> float:
    """Probability of at least as many positive ones among all that are not zero, if both signs are equally likely."""
    positive, n = sum(g > 0 for g in gains), sum(g != 0 for g in gains)
    return sum(math.comb(n, k) for k in range(positive, n + 1)) / 2**n


def holm(p: Sequence[float]) -> list[float]:
    """Adjusted p values (Holm 1979)."""
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - rank) * p[place]))
        adjusted[place] = largest
    return adjusted


def gaps_of(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The runs of searches that leave a gap, judged by it (nats, negative)."""
    left = [line for line in lines if line.get("gap") is not None]
    return [{**line, "task": f"{line['task']}, gap", "result": -line["gap"]} for line in left]


def rows(lines: Sequence[Mapping[str, Any]]) -> list[Row]:
    """All parts on all tables that were measured, in the order of the lines."""
    full = {tuple(line[key] for key in KEYS): line for line in lines if not line["part"]}
    pairs: dict[tuple[Any, ...], list[tuple[Mapping[str, Any], float]]] = {}
    for line in full.values():
        for part in line["acts"]:
            pairs.setdefault((part, line["task"], line["table"], line["limit"]), [])
    for line in lines:
        beside = full.get(tuple(line[key] for key in KEYS))
        if line["part"] and beside is not None:
            group = (line["part"], line["task"], line["table"], line["limit"])
            pairs.setdefault(group, []).append((beside, line["result"]))
    found = []
    for group, both in pairs.items():
        same = [line for line in full.values() if tuple(line[key] for key in GROUP) == group[1:]]
        acted = sum(line["acts"].get(group[0], 1) > 0 for line in same)
        if not both and acted:
            continue  # not measured yet
        results = [beside["result"] for beside, _ in both]
        gains = [round(beside["result"] - without, 5) for beside, without in both]
        spread = round(max(results, default=0.0) - min(results, default=0.0), 5)
        found.append(Row(*group, gains, spread, sign_test(gains), acted))
    return found


def _shown(value: float) -> str:
    """With its sign, and the digits that mean something."""
    return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3g}"


def cell(row: Row) -> str:
    """The mean gain, and on how many of the seeds there was one; bold where the verdict is clear."""
    if not row.acted:
        return "never"
    if row.verdict == "equal":
        return "equal"
    text = f"{_shown(row.mean)}, {sum(gain > 0 for gain in row.gains)}/{len(row.gains)}"
    return text if row.verdict == "undecided" else f"**{text}**"


def grid(found: Sequence[Row]) -> list[str]:
    """Lines of a table with a row for each part, a column for each table; all of one task and limit."""
    tables = list(dict.fromkeys(row.table for row in found))
    parts = list(dict.fromkeys(row.part for row in found))
    cells = {(row.part, row.table): cell(row) for row in found}
    spreads = {row.table: row.spread for row in found if row.acted}
    text = [["part", *tables], ["---"] * (len(tables) + 1)]
    text.append(["spread of the full program", *(_shown(spreads[t])[1:] if t in spreads else "" for t in tables)])
    text += [[part, *(cells.get((part, table), "") for table in tables)] for part in parts]
    return ["| " + " | ".join(line) + " |" for line in text]


def markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """For each task and limit a table of gains by part and table; then the least p after Holm's correction."""
    found = [*rows(lines), *(row for row in rows(gaps_of(lines)) if row.acted)]
    groups: dict[tuple[str, float], list[Row]] = {}
    for row in found:
        groups.setdefault((row.task, row.limit), []).append(row)
    text = []
    for (task, limit), members in sorted(groups.items()):
        text += [f"### {task}, {limit:g} s", "", *grid(sorted(members, key=lambda row: row.part)), ""]
    p = [row.p for row in found if row.acted]
    return "\n".join([*text, f"Tests: {len(p)}; least p after Holm's correction: {min(holm(p), default=1.0):.2f}."])
