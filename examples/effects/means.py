"""Means over seeds of what judge.py writes: means.py FILE.csv...

The error of a mean is its standard error over seeds.
"""

from __future__ import annotations

import csv
import math
import statistics
import sys


def main() -> None:
    found: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                found.setdefault((row["network"], row["rows"], row["method"]), []).append(row)
    columns = [name for name in next(iter(found.values()))[0] if name not in ("network", "rows", "seed", "method")]
    print(f"{'network':12}{'rows':>8}  {'method':12}" + "".join(f"{column:>20}" for column in columns))
    for (network, n_rows, method), rows in found.items():
        cells = []
        for column in columns:
            values = [value for row in rows if not math.isnan(value := float(row[column]))]
            if not values:
                cells.append("")
                continue
            error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
            cells.append(f"{statistics.fmean(values):.5f} +- {error:.5f}")
        print(f"{network:12}{n_rows:>8}  {method:12}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    main()
