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
        header["data"] = f"{data} ({len(header['variables'])})"
        header["seconds"] = f"{sum(map(float, spent.read_text().split())):.1f}" if spent.exists() else ""
        runs[data, int(bound)][method] = header
    return runs


def tell(head: list[str], rows: list[list[str]]) -> None:
    """Print a table in Markdown; a first cell that repeats the one above is left empty."""
    before = ""
    for cells in [head, ["---"] * len(head), *rows]:
        print("| " + " | ".join(["" if cells[0] == before else cells[0], *cells[1:]]) + " |")
        before = cells[0]


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
    """The best score of any run, the gap that --exact leaves, and by how much each search misses the best."""
    methods = list(dict.fromkeys(m for found in runs.values() for m in found if m != "exact"))
    rows = []
    for (_, bound), found in runs.items():
        exact = found["exact"]
        best = max(header["total"] for header in found.values())
        # A bound below a network would be an error of the program.
        assert exact["bound"] >= best - 1e-6, f"{exact['data']}, {bound}: {exact['bound']} is below {best}"
        figures = [number(best), gap_of(exact["bound"], best), str(exact.get("branches", "")), exact["seconds"]]
        below = [number(best - found[m]["total"]) if m in found else "" for m in methods]
        rows.append([exact["data"], str(bound), *figures, *below])
    names = [SHORT.get(m, m) for m in methods]
    tell(["data (variables)", "bound", "best score", "gap", "branches", "seconds", *names], rows)


def gaps(runs: Runs) -> None:
    """The best score, the gap within the treewidth and without, and for what networks the first bound holds."""
    rows = []
    for (_, bound), found in runs.items():
        within, free = found["within"], found["any"]
        is_narrow = "treewidth at most" in within["bound_relative_to"]
        shown = [gap_of(header["bound"], within["total"]) for header in (within, free)]
        claim = "the treewidth" if is_narrow else "any width"
        rows.append([within["data"], str(bound), number(within["total"]), *shown, claim])
    tell(["data (variables)", "bound", "best score", "gap", "gap to any width", "the bound is that of"], rows)


def lines(runs: Runs) -> None:
    """For the picture: scores and bounds by data and treewidth."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["data", "bound", "score", "bound under --tw", "bound of any width"])
    for (data, bound), found in runs.items():
        writer.writerow([data, bound, found["within"]["total"], found["within"]["bound"], found["any"]["bound"]])


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    if command == "within":
        within(int(words[0]))
    else:
        {"optima": optima, "gaps": gaps, "lines": lines}[command](read(words))
