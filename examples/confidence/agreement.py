"""Is the stated error true? Arc probabilities of two independent runs, the second much longer.

    agreement.py NAME SHORT LONG

Of each run: RUN.arcs.csv, RUN.stats.json and RUN.seconds, its processor time. Prints a row of the table: the number
of variables, how many networks the runs drew, how many arcs have a probability above LEAST in either run, how many of
them differ by more than two and three standard errors of the difference, the largest difference and in brackets its
standard error, the largest standard error that the short run states, R-hat and processor seconds of both. Normal
errors exceed two standard errors in 5 %, three in 0.3 % of cases.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from typing import Any

LEAST = 0.005


def read(path: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Probability and standard error by arc."""
    with open(path, newline="") as file:
        return {
            (row["parent"], row["child"]): (float(row["probability"]), float(row["standard_error"]))
            for row in csv.DictReader(file)
        }


def figures_of(run: str) -> tuple[dict[str, Any], str]:
    """The figures of a run and its processor seconds."""
    with open(f"{run}.stats.json") as stats, open(f"{run}.seconds") as seconds:
        return json.load(stats), seconds.read().split()[-1]


def main(name: str, short: str, long: str) -> None:
    """Print the row."""
    here, there = read(f"{short}.arcs.csv"), read(f"{long}.arcs.csv")
    of_short, of_long = figures_of(short), figures_of(long)
    found = []
    for arc, (share, error) in here.items():
        other, other_error = there[arc]
        if max(share, other) > LEAST:
            found.append((abs(share - other), math.hypot(error, other_error)))
    beyond = [sum(difference > k * error for difference, error in found) for k in (2, 3)]
    largest, stated = max(found)
    variables = len({parent for parent, _ in here})
    networks = " and ".join(f"{stats['samples']:,}" for stats, _ in (of_short, of_long))
    figures = [
        variables,
        networks,
        len(found),
        *beyond,
        f"{largest:.3f} ({stated:.3f})",
        f"{of_short[0]['largest_error']:.3f}",
    ]
    for stats, seconds in (of_short, of_long):
        figures += ["-" if stats["rhat"] is None else f"{stats['rhat']:.3f}", seconds]
    print("|", " | ".join(map(str, [name, *figures])), "|")


if __name__ == "__main__":
    main(*sys.argv[1:])
