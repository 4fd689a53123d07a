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
    n_full: int  # all runs of the full program


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
        acted = sum(line["acts"].get(group[0], 0) > 0 for line in same)
        if not both and acted:
            continue  # not measured yet
        results = [beside["result"] for beside, _ in both]
        gains = [beside["result"] - without for beside, without in both]
        spread = max(results, default=0.0) - min(results, default=0.0)
        found.append(Row(*group, gains, spread, sign_test(gains), acted, len(same)))
    return found


def _shown(value: float) -> str:
    """With its sign, and the digits that mean something."""
    return f"{value:+,.0f}" if abs(value) >= 100 else f"{value:+.3g}"


def markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """A table with a line for each part and table, by part; Holm's correction is over all tests."""
    found = sorted(rows(lines), key=lambda row: row[:4])
    ran = [row for row in found if row.acted]
    adjusted = dict(zip(map(id, ran), holm([row.p for row in ran])))
    text = [
        "| part | task | table | s | acted in | gain: mean [least, largest] | spread of the full program "
        "| wins | p | p (Holm) |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in found:
        cells = [row.part, row.task, row.table, f"{row.limit:g}", f"{row.acted} of {row.n_full}"]
        if row.acted:
            mean, wins = sum(row.gains) / len(row.gains), sum(gain > 0 for gain in row.gains)
            least, most = min(row.gains), max(row.gains)
            cells += [f"{_shown(mean)} [{_shown(least)}, {_shown(most)}]", _shown(row.spread)[1:]]
            cells += [f"{wins} of {len(row.gains)}", f"{row.p:.3f}", f"{adjusted[id(row)]:.2f}"]
        else:
            cells += ["never ran", "", "", "", ""]
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text)
