"""Table 1 of Scanagatta, Corani, de Campos and Zaffalon (2016) beside our scores.

table1.py find FOLDER...    the data sets of table1.csv that lie in a folder or one below, each as NAME=FILE=COLUMNS,
                            where the COLUMNS, with commas between, are left out
table1.py beside ROWS       two tables in Markdown from the rows of compare.py --show values --format jsonl: scores,
                            and W-scores (G - T) / |G| in per cent, ours and in brackets the paper's
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

from check import found_in

METHODS = {"s2": "S2", "s2plus": "S2+", "kg": "k-G", "kastar": "k-A*"}
FREE = "no bound"


def paper() -> dict[str, dict[str, str]]:
    """The paper's figures, by data set."""
    with Path(__file__).with_name("table1.csv").open(newline="") as stream:
        return {row["data"]: row for row in csv.DictReader(stream)}


def find(folders: list[str]) -> None:
    """Print the data sets that are at hand."""
    for name, row in paper().items():
        if path := found_in(folders, row["file"]):
            print(f"{name}={path}={row['left_out'].replace(' ', ',')}")


def scores_of(path: str) -> dict[str, dict[str, float]]:
    """Our scores by data set and method; under ``free`` those without a bound."""
    found: dict[str, dict[str, float]] = {}
    for row in map(json.loads, Path(path).read_text().splitlines()):
        own = found.setdefault(row["data"].removeprefix("halves-"), {})
        own["free" if row["bound"] == "free" else row["method"]] = row["value"]
    return found


def signed(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}".replace("-", "−")


def beside(path: str) -> None:
    """Print our figures beside the paper's."""
    theirs, ours = paper(), scores_of(path)
    sets = [name for name in theirs if name in ours]
    print(f"| data (variables) | {FREE} | {' | '.join(METHODS.values())} |\n|---|{'---|' * (len(METHODS) + 1)}")
    for name in sets:
        cells = [
            f"{signed(ours[name][key], 1)} ({signed(float(theirs[name][key]), 0)})" for key in ("free", *METHODS)
        ]
        print(f"| {name} (n = {theirs[name]['variables']}) | {' | '.join(cells)} |")
    print(f"\n| W-score | {' | '.join(METHODS.values())} |\n|---|{'---|' * len(METHODS)}")
    for name in sets:
        cells = [f"{worse(ours[name], key):.2f} ({worse(theirs[name], key):.2f})" for key in METHODS]
        print(f"| {name} | {' | '.join(cells)} |")


def worse(scores: dict, method: str) -> float:
    """The W-score in per cent."""
    best, own = float(scores["free"]), float(scores[method])
    return 100 * (best - own) / abs(best)


if __name__ == "__main__":
    task, *given = sys.argv[1:]
    if task == "find":
        find(given)
    else:
        beside(*given)
