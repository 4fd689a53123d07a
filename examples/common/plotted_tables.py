"""What plot.py draws: traces, statistics and tables of runs, read, split into groups, and named in words.

A file that is none of them ends the program with a sentence.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

WORDS = {
    "bdeu": "BDeu (nats)",
    "cv_loglik": "log-likelihood per row, cross-validated",
    "eps": "threshold (thousandths of a nat)",
    "ess": "equivalent sample size",
    "parents": "limit on parents",
    "processor_seconds": "processor seconds",
    "size": "variables",
}
"""What axes and legends call measures, settings and parts of names that are not words."""

Rows = list[dict[str, Any]]


def read_trace(path: str, child: str) -> tuple[list[int], list[float]]:
    """Numbers and scores of the sets of a variable."""
    try:
        with open(path) as stream:
            header, *rows = map(json.loads, stream)
        names = [variable["name"] for variable in header["variables"]]
        own = [row for row in rows if names[row["child"]] == child]
        looked_at, scores = zip(*((row["evaluated"], row["score"]) for row in own))
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{path}: no trace of variable {child!r} by bnsl parentsets --trace ({error})")
    return list(looked_at), list(scores)


def name_of(path: str) -> str:
    """The method in the name of a file such as wdbc.indep.trace.jsonl, else its first part."""
    words = Path(path).name.split(".")
    return words[1] if len(words) > 3 else words[0]


def setting_of(row: dict[str, Any]) -> tuple[str, float]:
    """The setting and its number in the name of a method, such as eps-300."""
    name, _, number = row["method"].partition("-")
    try:
        return name, float(number)
    except ValueError:
        sys.exit(f"method {row['method']!r} does not end with a number, as eps-300 does")


def read_json(path: str) -> Any:
    """The content of a file of JSON, or the end of the program."""
    try:
        return json.loads(Path(path).read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: {error}")


def read_table(path: str, columns: set[str]) -> Rows:
    """Rows of a CSV file that has these columns, or the end of the program."""
    try:
        with open(path, newline="") as stream:
            rows: Rows = list(csv.DictReader(stream))
    except OSError as error:
        sys.exit(f"{path}: {error}")
    if not rows or not columns <= rows[0].keys():
        sys.exit(f"{path}: columns are to be {', '.join(sorted(columns))}")
    return rows


def read_rows(paths: list[str]) -> Rows:
    """Rows of ``compare.py --format jsonl``; ``-`` is standard input."""
    lines = [line for p in paths for line in (sys.stdin if p == "-" else Path(p).read_text().splitlines())]
    try:
        rows = [row for row in map(json.loads, lines) if value_of(row) is not None]
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.exit("not what compare.py --format jsonl writes with --show wscores or --show values")
    return rows or sys.exit("nothing to draw")


def parts_of(rows: Rows) -> list[str]:
    """Parts of the runs' names that split them into groups."""
    return [key for key in rows[0] if key not in ("table", "measure", "data", "method", "value", "w_score")]


def split(rows: Rows, keys: list[str]) -> dict[str, Rows]:
    """Rows by the values of some keys, numbers in their order."""
    groups: dict[str, Rows] = {}
    for row in rows:
        label = row[keys[0]] if len(keys) == 1 else ", ".join(f"{key} {row[key]}" for key in keys)
        groups.setdefault(str(label), []).append(row)
    numeric = all(label.replace(".", "", 1).isdigit() for label in groups)
    return dict(sorted(groups.items(), key=lambda item: float(item[0]))) if numeric else groups


def in_words(name: str) -> str:
    """What a reader calls a measure or a part of a name."""
    return WORDS.get(name, name)


def value_of(row: dict[str, Any]) -> float:
    """W-scores in per cent, other values as they are."""
    return 100 * row["w_score"] if "w_score" in row else row["value"]


def quantity_of(rows: Rows) -> str:
    """What the vertical axis shows."""
    return "W-score (per cent)" if "w_score" in rows[0] else in_words(str(rows[0]["measure"]))
