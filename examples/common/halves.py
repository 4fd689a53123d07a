"""Every column of a table cut in two at the median of its codes, labels as well as numbers; rows with ? left out.

python halves.py TABLE [COLUMN...] > CSV    TABLE is CSV, plain or gzip, or Parquet; the COLUMNs are left out

A number is its own code. Labels are numbered in the order of `ORDERS`, or in that of the alphabet where they are not
in it. Codes up to the median become 0, greater ones 1; of a column of two values, the greater one becomes 1.
"""

from __future__ import annotations

import csv
import statistics
import sys

from third import lines_of

ORDERS = (
    "usual pretentious great_pret",
    "proper less_proper improper critical very_crit",
    "complete completed incomplete foster",
    "1 2 3 more",
    "convenient less_conv critical",
    "convenient inconv",
    "nonprob slightly_prob problematic",
    "recommended priority not_recom",
    "not_recom recommend very_recom priority spec_prior",
)
"""The states of nursery in the order in which the collection (UCI) describes them: from best to worst."""


def codes_of(cells: list[str]) -> list[float]:
    """Numbers as they are, labels as their places in an order that has them all."""
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        found = set(cells)
        known = next((order.split() for order in ORDERS if found <= set(order.split())), sorted(found))
        return [known.index(cell) for cell in cells]


def halves_of(codes: list[float]) -> list[int]:
    """0 up to the median, 1 above; of two values 0 and 1, whatever the median is."""
    limit = min(codes) if len(set(codes)) == 2 else statistics.median(codes)
    return [int(code > limit) for code in codes]


def halved(lines: list[str], left_out: set[str]) -> list[list[object]]:
    """The header and the rows of the halved table."""
    header, *rows = csv.reader(lines)
    complete = [
        row for row in rows if "?" not in (cell for cell, name in zip(row, header) if name.lower() not in left_out)
    ]
    kept = [place for place, name in enumerate(header) if name.lower() not in left_out]
    columns = [halves_of(codes_of([row[place] for row in complete])) for place in kept]
    return [[header[place] for place in kept], *map(list, zip(*columns))]


if __name__ == "__main__":
    table, *names = sys.argv[1:]
    csv.writer(sys.stdout, lineterminator="\n").writerows(halved(lines_of(table), {name.lower() for name in names}))
