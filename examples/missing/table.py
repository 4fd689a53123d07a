"""Runs of learning from tables with holes side by side: a line for each table and share, a column for each way."""

from __future__ import annotations

import json
import sys
from pathlib import Path

MEASURES = {"shd": "distance", "given_loglik": "log-likelihood", "right": "filled right", "seconds": "seconds"}


def text(value: float | None) -> str:
    """A figure; a line where there is none."""
    return "-" if value is None else f"{value:,.4g}"


def main(paths: list[str]) -> None:
    """Show each measure as a table."""
    runs = {tuple(Path(path).stem.split(".")): json.loads(Path(path).read_text() or "{}") for path in paths}
    ways = list(dict.fromkeys(way for _, _, way in runs))
    for measure, title in MEASURES.items():
        print(f"{title:22}" + "".join(f"{way:>10}" for way in ways))
        for name, share in dict.fromkeys(run[:2] for run in runs):
            values = [runs[name, share, way].get(measure) for way in ways]
            print(f"{name:14}{share:>6} %" + "".join(f"{text(value):>10}" for value in values))
        print()


main(sys.argv[1:])
