"""One line per data set, one column per way of listing: reads the networks DATA.WAY.net.jsonl."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from stages.evaluate.comparison import compare_ranks, tabulate_measure


def main() -> None:
    """Scores, best way marked, and the ways' average ranks."""
    runs = []
    for path in map(Path, sys.argv[1:]):
        data, way = path.name.split(".")[:2]
        with path.open() as lines:
            runs.append({"data": data, "method": way, "seed": 1, "total": json.loads(next(lines))["total"]})
    table = tabulate_measure(runs, "total")
    print(f"{'':12}" + "".join(f"{way:>14}" for way in table.methods))
    for case, values in zip(table.cases, table.values, strict=True):
        best = max(values)
        cells = (f"{value:,.1f}{'*' if value >= best - 1e-6 else ' '}" for value in values)
        print(f"{case:12}" + "".join(f"{cell:>14}" for cell in cells))
    if min(len(table.cases), len(table.methods)) > 1:
        comparison = compare_ranks(table)
        ranks = {place.method: place.average_rank for place in comparison.methods}
        print(f"{'mean rank':12}" + "".join(f"{ranks[way]:>13.2f} " for way in table.methods))


if __name__ == "__main__":
    main()
