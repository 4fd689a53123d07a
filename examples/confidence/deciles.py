"""Calibration pooled over many networks: of arcs of about the same strength, how many are true.

deciles.py RUN.json...        a row for each decile of strength, columns for each method

Runs are the JSON of `bnsl evaluate --strengths`, named DATA.METHOD.SEED.json. Arcs of one network depend on each
other, networks do not: the error of a share is the standard error over networks (of a ratio of sums, linearised).
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

Counts = list[tuple[float, float, float]]
"""Of each network: arcs in a decile, the sum of their strengths, how many are true."""


def read_counts(paths: list[Path]) -> dict[str, list[Counts]]:
    """The counts of each method, by decile."""
    found: dict[str, list[Counts]] = {}
    for path in paths:
        method = path.name.split(".")[1]
        of_method = found.setdefault(method, [[] for _ in range(10)])
        for row in json.loads(path.read_text())["calibration"]:
            arcs = row["arcs"]
            of_method[round(10 * row["above"])].append((arcs, arcs * row["strength"], arcs * row["share"]))
    return found


def cell(counts: Counts) -> str:
    """Mean strength, share of true arcs with its standard error, number of arcs."""
    n = sum(arcs for arcs, _, _ in counts)
    if not n:
        return f"{'':>28}"
    strength, share = (sum(row[k] for row in counts) / n for k in (1, 2))
    error = math.sqrt(sum((true - share * arcs) ** 2 for arcs, _, true in counts)) / n
    return f"{strength:6.3f} {share:6.3f} +- {error:5.3f} {n:7d}"


def main() -> None:
    found = read_counts([Path(name) for name in sys.argv[1:]])
    print(f"{'strength':12}" + "".join(f"   {method:28}" for method in found))
    print(f"{'':12}" + f"   {'mean':>6} {'share true':>15} {'arcs':>5}" * len(found))
    for k in range(10):
        row = "".join(f"   {cell(counts[k])}" for counts in found.values())
        print(f"{k / 10:.1f} to {(k + 1) / 10:.1f}  {row}".rstrip())


if __name__ == "__main__":
    main()
