"""What a bound on the treewidth costs: lists of at most K parents, and tables in Markdown.

widths.py within K < SETS > SETS    the sets of at most K parents
widths.py optima RUN...             networks of --exact and of searches: how far the searches are from the optimum
widths.py gaps RUN...               gaps within a treewidth (method `within`) and of networks of any width (`any`)
widths.py lines RUN...              CSV of the same runs: data, bound, the best score, and both bounds

A RUN is a network named DATA.K.METHOD.*, written by bnsl optimize; NAME.cpu beside it has the processor seconds.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

SHORT = {"s2plus": "S2+", "kg": "k-G", "kastar": "k-A*"}

Runs = dict[tuple[str, int], dict[str, dict]]


def within(most: int) -> None:
    """Copy lists of parent sets without the sets of more than `most` parents."""
    for line in sys.stdin:
        record = json.loads(line)
        if "child" in record:
            kept = [i for i, parents in enumerate(record["parents"]) if len(parents) <= most]
            record |= {key: [record[key][i] for i in kept] for key in ("parents", "scores")}
        print(json.dumps(record))


def read(paths: list[str]) -> Runs:
    """Headers of networks, by data and bound, then method."""
    runs: Runs = defaultdict(dict)
    for path in map(Path, paths):
        data, bound, method = path.name.split(".")[:3]
        with path.open() as stream:
            header = json.loads(stream.readline())
        spent = path.with_name(f"{path.name}.cpu")
        header["seconds"] = sum(map(float, spent.read_text().split())) if spent.exists() else None
        runs[data, int(bound)][method] = header
    return runs


def tell(cells: list[str]) -> None:
    """Print a row of a table in Markdown."""
    print("| " + " | ".join(cells) + " |")


def head(cells: list[str]) -> None:
    """Print the first rows of a table in Markdown."""
    tell(cells)
    print("|" + "---|" * len(cells))


def number(value: float) -> str:
    """A score or difference in nats; a difference that rounding leaves is none."""
    if abs(value) < 1e-4:
        return "0"
    return f"{value:,.1f}".replace("-", "−") if abs(value) < 1e5 else f"{value:,.0f}".replace("-", "−")


def gap_of(bound: float, score: float) -> str:
    """A gap in nats and in per cent of the score."""
    gap = bound - score
    return "0" if gap < 1e-4 else f"{number(gap)} ({100 * gap / abs(score):.2g} %)"


def optima(runs: Runs) -> None:
    """The best score of any run, what --exact proves, and the distance of each search from the best."""
    methods = list(dict.fromkeys(m for found in runs.values() for m in found if m != "exact"))
    head(["data", "bound", "best score", "gap", "branches", "seconds", *(SHORT.get(m, m) for m in methods)])
    before = ""
    for (data, bound), found in runs.items():
        exact = found["exact"]
        best = max(header["total"] for header in found.values())
        # A bound below a network would be an error of the program.
        assert exact["bound"] >= best - 1e-6, f"{data}, {bound}: {exact['bound']} is below {best}"
        below = [number(best - found[m]["total"]) for m in methods]
        branches = str(exact.get("branches", "")).replace("None", "")
        seconds = f"{exact['seconds']:.1f}"
        tell(
            [
                data if data != before else "",
                str(bound),
                number(best),
                gap_of(exact["bound"], best),
                branches,
                seconds,
                *below,
            ]
        )
        before = data


def gaps(runs: Runs) -> None:
    """The best score, the gap within the treewidth and without, and for what networks the first bound holds."""
    head(["data", "bound", "best score", "gap of the treewidth", "gap of any width", "the bound is that of"])
    before = ""
    for (data, bound), found in runs.items():
        score = found["within"]["total"]
        claim = "the treewidth" if "treewidth at most" in found["within"]["bound_relative_to"] else "any width"
        shown = [gap_of(found[m]["bound"], score) for m in ("within", "any")]
        tell([data if data != before else "", str(bound), number(score), *shown, claim])
        before = data


def lines(runs: Runs) -> None:
    """For the picture: scores and bounds by data and treewidth."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["data", "bound", "score", "bound of the treewidth", "bound of any width"])
    for (data, bound), found in runs.items():
        writer.writerow([data, bound, found["within"]["total"], found["within"]["bound"], found["any"]["bound"]])


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    if command == "within":
        within(int(words[0]))
    else:
        {"optima": optima, "gaps": gaps, "lines": lines}[command](read(words))
