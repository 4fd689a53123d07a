"""Rows of a table drawn at random without replacement, or all if there are fewer: draw.py TABLE ROWS SEED."""

from __future__ import annotations

import gzip
import random
import sys


def main(path: str, n_rows: int, seed: int) -> None:
    """Write the names and the rows, in the order of the table."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        head, *rows = lines.read().splitlines()
    chosen = random.Random(seed).sample(range(len(rows)), min(n_rows, len(rows)))
    print("\n".join([head, *(rows[place] for place in sorted(chosen))]))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
