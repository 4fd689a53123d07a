"""Score over time of many runs: gathered into one file, and read off at some moments.

curves.py gather RUN.stats.json... > curves.csv            columns method, data, seconds, score
curves.py table CURVES.csv [OTHERS.csv...] --times 1 3 10  a row for each data set and time, a column for each method

Runs are named DATA.METHOD. A method LISTS-SEARCH begins when its lists are made: their seconds, read from
DATA.LISTS.sets.stats.json, are added.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = ("method", "data", "seconds", "score")
TIE = 0.05
"""Scores that differ by less (nats) look alike in the table."""

Curve = list[tuple[float, float]]
"""Seconds and score, whenever it rose."""


def gather(paths: list[Path]) -> Iterator[tuple[str, str, float, float]]:
    """Rows of the file of curves: whenever the score of a run rose."""
    for path in paths:
        data, method = path.name.removesuffix(".stats.json").split(".")
        before = seconds_of_lists(path.parent / f"{data}.{method.partition('-')[0]}.sets.stats.json", method)
        for entry in json.loads(path.read_text())["trace"]:
            yield method, data, round(before + entry["seconds"], 3), round(entry["score"], 4)


def seconds_of_lists(path: Path, method: str) -> float:
    """How long the lists took that a method begins with; 0 for one on data."""
    return json.loads(path.read_text())["seconds"] if "-" in method else 0.0


def read_curves(paths: list[Path]) -> dict[str, dict[str, Curve]]:
    """Curves by data set and method, in the order of the files; of the data sets that the first one has."""
    curves: dict[str, dict[str, Curve]] = {}
    for number, path in enumerate(paths):
        with open(path, newline="") as stream:
            reader = csv.DictReader(stream)
            if not set(COLUMNS) <= set(reader.fieldnames or ()):
                sys.exit(f"{path}: columns are to be {', '.join(COLUMNS)}")
            for row in reader:
                if number == 0 or row["data"] in curves:
                    point = float(row["seconds"]), float(row["score"])
                    curves.setdefault(row["data"], {}).setdefault(row["method"], []).append(point)
    return curves


def score_at(curve: Curve, seconds: float) -> float | None:
    """The best score until then; None if there was no network yet."""
    return max((score for at, score in curve if at <= seconds), default=None)


def table_lines(curves: dict[str, dict[str, Curve]], times: list[float]) -> Iterator[str]:
    """A table in Markdown; the best of each row stands between asterisks, - is for no network yet."""
    methods = list(dict.fromkeys(itertools.chain.from_iterable(curves.values())))
    yield f"| data | seconds | {' | '.join(methods)} |"
    yield "|---" * (2 + len(methods)) + "|"
    for data, runs in curves.items():
        for seconds in times:
            scores = [score_at(runs.get(method, []), seconds) for method in methods]
            best = max((score for score in scores if score is not None), default=0.0)
            cells = [cell(score, best) for score in scores]
            yield f"| {data if seconds == times[0] else ''} | {seconds:g} | {' | '.join(cells)} |"


def cell(score: float | None, best: float) -> str:
    """A score as the table shows it."""
    if score is None:
        return "-"
    text = f"{score:,.1f}"
    return f"**{text}**" if score > best - TIE else text


def main() -> None:
    """Read the command line; write to standard output."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS
    )
    parser.add_argument("task", choices=("gather", "table"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--times", nargs="+", type=float, default=[1.0, 3.0, 10.0])
    given = parser.parse_args()
    if given.task == "gather":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([COLUMNS, *gather(given.files)])
    else:
        print(*table_lines(read_curves(given.files), given.times), sep="\n")


if __name__ == "__main__":
    main()
