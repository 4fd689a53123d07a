"""The table of results."""

from __future__ import annotations

import math
import textwrap
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
        gains = [round(beside["result"] - without, 6) for beside, without in both]
        spread = max(results, default=0.0) - min(results, default=0.0)
        found.append(Row(*group, gains, spread, sign_test(gains), acted))
    return found


def _shown(value: float) -> str:
    """With its sign, and the digits that mean something."""
    return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3g}"


def markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """A table with a line for each part and table in which it acted; then where parts never acted.

    Holm's correction is over all tests.
    """
    found = sorted(rows(lines), key=lambda row: row[:4])
    ran = sorted((row for row in [*found, *rows(gaps_of(lines))] if row.acted), key=lambda row: row[:4])
    text = [
        "| part | task | table | s | gain: mean [least, largest] | spread of the full program "
        "| wins | p | p (Holm) | verdict |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row, adjusted in zip(ran, holm([row.p for row in ran])):
        wins = f"{sum(gain > 0 for gain in row.gains)} of {len(row.gains)}"
        gains = f"{_shown(row.mean)} [{_shown(min(row.gains))}, {_shown(max(row.gains))}]"
        cells = [row.part, row.task, row.table, f"{row.limit:g}", gains, _shown(row.spread)[1:], wins]
        text.append("| " + " | ".join([*cells, f"{row.p:.3f}", f"{adjusted:.2f}", row.verdict]) + " |")
    idle: dict[str, dict[str, list[str]]] = {}
    for row in found:
        tables = idle.setdefault(row.part, {}).setdefault(row.task, []) if not row.acted else [row.table]
        if row.table not in tables:
            tables.append(row.table)
    text += ["", "Never ran:", ""]
    for part, tasks in idle.items():
        places = "; ".join(f"{task} on {', '.join(tables)}" for task, tables in tasks.items())
        text += textwrap.wrap(f"- {part}: {places}", 118, subsequent_indent="  ")
    return "\n".join(text)
