"""Make holes in a table, and judge what `bnsl query` says of it.

measure.py learn TABLE                                 two thirds of the rows, drawn at random, to learn from
measure.py ask TABLE                                   the other third; columns that are constant in the first two are
                                                       left out of both, since other programs refuse them
measure.py holes TABLE SHARE [ROWS]                    the table with a share of its cells removed at random, its rows
                                                       over and over until there are ROWS, each with holes of its own
measure.py right TRUTH HOLES FILLED PREDICTED COLUMN   shares of cells filled and of the column predicted right, JSON
"""

from __future__ import annotations

import csv
import itertools
import json
import random
import sys


def rows_of(path: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV file."""
    with open(path, newline="") as stream:
        header, *rows = csv.reader(stream)
    return header, rows


SEED = 1
"""Of the rows that are asked, and of holes."""


def write_part(path: str, is_asked: bool) -> None:
    """Write the rows to learn from, or the others; in the order of the table."""
    header, rows = rows_of(path)
    asked = set(random.Random(SEED).sample(range(len(rows)), len(rows) // 3))
    learnt = [row for number, row in enumerate(rows) if number not in asked]
    kept = [place for place, cells in enumerate(zip(*learnt)) if len(set(cells)) > 1]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for row in [header, *([rows[number] for number in sorted(asked)] if is_asked else learnt)]:
        writer.writerow([row[place] for place in kept])


def make_holes(path: str, share: str, count: str = "") -> None:
    """Write the table with holes; the same table and share give the same holes."""
    header, rows = rows_of(path)
    drawn = random.Random(SEED)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(header)
    for row in itertools.islice(itertools.cycle(rows), int(count or len(rows))):
        writer.writerow(["" if drawn.random() < float(share) else cell for cell in row])


def judge(truth: str, holes: str, filled: str, predicted: str, column: str) -> None:
    """Compare with the truth what was filled, and what was predicted from all other cells."""
    header, rows = rows_of(truth)
    filled_header, filled_rows = rows_of(filled)
    places = [filled_header.index(name) for name in header]
    removed = [
        (row[c], guess[places[c]])
        for row, left, guess in zip(rows, rows_of(holes)[1], filled_rows)
        for c in range(len(header))
        if not left[c]
    ]
    guesses = [row[0] for row in rows_of(predicted)[1]]
    classes = [row[header.index(column)] for row in rows]
    shares = {"imputed": removed, "classified": list(zip(classes, guesses))}
    print(json.dumps({name: sum(a == b for a, b in pairs) / len(pairs) for name, pairs in shares.items()}))


if __name__ == "__main__":
    commands = {
        "learn": lambda path: write_part(path, False),
        "ask": lambda path: write_part(path, True),
        "holes": make_holes,
        "right": judge,
    }
    commands[sys.argv[1]](*sys.argv[2:])
