"""Tables 2 and 3 of Scanagatta et al. (2015): reads the networks CASE.LISTS.SOLVER.net.jsonl of all combinations."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from stages.evaluate.comparison import DELTA_CLASSES, count_delta_classes, sign_test

SHORT = {"indep": "IS", "greedy": "GS", "sequential": "SQ", "exact": "GP", "asobs": "AS", "obs": "OB"}
BOUNDS = ("> 10", "6 to 10", "2 to 6", "-2 to 2", "-6 to -2", "-10 to -6", "< -10")
"""Nats, in the order of `DELTA_CLASSES`."""


def read_totals(paths: Iterable[str]) -> dict[tuple[str, str], list[float]]:
    """BIC of the networks by (lists, solver), cases in the same order everywhere."""
    totals: dict[tuple[str, str], list[float]] = {}
    for path in map(Path, paths):
        _, lists, solver = path.name.split(".")[:3]
        with path.open() as lines:
            totals.setdefault((lists, solver), []).append(json.loads(next(lines))["total"])
    return totals


def print_table(columns: list[tuple[str, str, list[float], list[float]]]) -> None:
    """Classes of differences: one column per (group, title, scores, rival's scores)."""
    counts = [count_delta_classes(ours, theirs) for _, _, ours, theirs in columns]
    print(f"{'':31}" + "".join(f"{group:>13}" for group, *_ in columns))
    print(f"{'Difference of BIC':31}" + "".join(f"{title:>13}" for _, title, *_ in columns))
    for name, bounds in zip(DELTA_CLASSES, BOUNDS, strict=True):
        print(f"{f'{name} ({bounds})':31}" + "".join(f"{count[name]:>13}" for count in counts))
    p_values = [sign_test(ours, theirs).p_value for _, _, ours, theirs in columns]
    print(f"{'p (sign test)':31}" + "".join(f"{p:>13.2g}" for p in p_values))
    print()


def main() -> None:
    """Both tables."""
    totals = read_totals(sys.argv[1:])
    lists = list(dict.fromkeys(key[0] for key in totals))
    solvers = list(dict.fromkeys(key[1] for key in totals))
    print(f"{len(totals[lists[0], solvers[0]])} cases. GP exact search, AS asobs, OB obs; IS, GS, SQ: indep,")
    print("greedy, sequential lists\n")
    print("Ways to list parent sets, by solver")
    print_table(
        [
            (SHORT[solver], f"IS vs {SHORT[other]}", totals["indep", solver], totals[other, solver])
            for solver in solvers
            for other in lists
            if other != "indep"
        ]
    )
    print("Solvers, by lists")
    print_table(
        [
            (SHORT[name], f"AS vs {SHORT[other]}", totals[name, "asobs"], totals[name, other])
            for name in lists
            for other in solvers
            if other != "asobs"
        ]
    )


if __name__ == "__main__":
    main()
