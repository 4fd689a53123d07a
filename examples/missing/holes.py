"""Cells of a CSV table removed: at random, or so that what is missing depends on what it hides.

python holes.py DATA SHARE SEED > HOLES          at random
python holes.py DATA SHARE SEED --hiding > HOLES not at random: the last state of a column is thrice as likely to go
python holes.py DATA HOLES FILLED                share of the removed cells that FILLED has right
"""

from __future__ import annotations

import csv
import gzip
import io
import random
import sys
from pathlib import Path


def read_rows(path: str) -> list[list[str]]:
    """Header and rows of a table, plain or gzip."""
    data = Path(path).read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return list(csv.reader(io.StringIO(text.decode())))


def remove(rows: list[list[str]], share: float, seed: int, is_hiding: bool) -> list[list[str]]:
    """The table without this share of its cells."""
    rng = random.Random(seed)
    header, *cells = rows
    chances = []
    for column in zip(*cells):
        last = max(column)
        part = column.count(last) / len(column)
        # the same share in all, three times as much of the last state
        rest = share / (1 + 2 * part) if is_hiding else share
        chances.append((last, min(1.0, 3 * rest) if is_hiding else share, rest))
    holes = [
        [
            "" if rng.random() < (often if cell == last else rest) else cell
            for cell, (last, often, rest) in zip(row, chances)
        ]
        for row in cells
    ]
    return [header, *holes]


def share_right(rows: list[list[str]], holes: list[list[str]], filled: list[list[str]]) -> float:
    """Of the cells removed, how many the filled table has right; its columns may come in another order."""
    place = [filled[0].index(name) for name in rows[0]]
    found = [
        true == after[place[i]]
        for row, before, after in zip(rows[1:], holes[1:], filled[1:])
        for i, (true, hole) in enumerate(zip(row, before))
        if not hole
    ]
    return sum(found) / len(found)


def main(data: str, second: str, third: str, *flags: str) -> None:
    """Remove cells, or judge a filled table."""
    if Path(second).exists():
        print(f"{share_right(read_rows(data), read_rows(second), read_rows(third)):.4f}")
        return
    rows = remove(read_rows(data), float(second), int(third), "--hiding" in flags)
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)


main(*sys.argv[1:])
