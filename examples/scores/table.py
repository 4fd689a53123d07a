"""Scores side by side: mean ranks of their log-likelihoods by number of rows, then log-likelihoods and distances."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

SAME = 1e-9
"""Log-likelihoods that differ by no more have the same rank."""


def ranks(values: list[float]) -> list[float]:
    """Places from 1, the highest first; equal values share the mean of their places."""
    return [
        1
        + sum(other > value + SAME for other in values)
        + (sum(abs(other - value) <= SAME for other in values) - 1) / 2
        for value in values
    ]


def line(name: str, rows: str, values: list[float], form: str) -> str:
    """A line of a table in Markdown."""
    return f"| {name} | {int(rows):,} | " + " | ".join(format(value, form) for value in values) + " |"


def main(paths: list[str]) -> None:
    """Show the tables."""
    runs = {tuple(Path(p).stem.split(".")): [json.loads(x) for x in Path(p).read_text().splitlines()] for p in paths}
    scores = [run["score"] for run in next(iter(runs.values()))]
    head = f"| data | rows | {' | '.join(scores)} |\n|---|---|{'---|' * len(scores)}"
    print(f"mean rank of the log-likelihood of unseen rows\n{head}")
    kinds = {"networks": lambda run: run["shd"] is not None, "tables": lambda run: run["shd"] is None}
    for kind, belongs in {**kinds, "all": lambda run: True}.items():
        for rows in dict.fromkeys(key[1] for key in runs):
            placed = [
                ranks([run["loglik"] for run in some])
                for key, some in runs.items()
                if key[1] == rows and belongs(some[0])
            ]
            if placed:
                print(line(f"{kind} ({len(placed)} runs)", rows, [statistics.mean(x) for x in zip(*placed)], ".2f"))
    for measure, form in (("loglik", ".3f"), ("shd", ".1f")):
        print(f"\nmean {measure}\n{head}")
        for name, rows in dict.fromkeys(key[:2] for key in runs):
            some = [[run[measure] for run in runs[key]] for key in runs if key[:2] == (name, rows)]
            if some[0][0] is not None:
                print(line(name, rows, [statistics.mean(values) for values in zip(*some)], form))


main(sys.argv[1:])
