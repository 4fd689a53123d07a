"""A table as a join of a relational database leaves it: a few keys, and columns looked up by one key each.

Prints CSV. Keys depend on one another; each looked-up column is a function of its key, so a screening forest finds
the schema again.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator


def rows_of(n_columns: int, n_keys: int, n_rows: int, seed: int) -> Iterator[list[str]]:
    """The header and the rows."""
    rng = random.Random(seed)
    sizes = [rng.randint(8, 16) for _ in range(n_keys)]
    tables = [
        [rng.randrange(rng.randint(2, 5)) for _ in range(sizes[column % n_keys])]
        for column in range(n_columns - n_keys)
    ]
    # A key follows the one before it by a table of its own, which no column looked up by that one can stand for.
    follow = [[rng.randrange(size) for _ in range(before)] for before, size in itertools.pairwise(sizes)]
    yield [f"key{k}" for k in range(n_keys)] + [f"column{c}" for c in range(len(tables))]
    for _ in range(n_rows):
        keys: list[int] = []
        for k, size in enumerate(sizes):
            follows = k and rng.random() < 0.6
            keys.append(follow[k - 1][keys[-1]] if follows else rng.randrange(size))
        yield [str(key) for key in keys] + [str(table[keys[c % n_keys]]) for c, table in enumerate(tables)]


def main() -> None:
    """``relational.py COLUMNS KEYS ROWS SEED``"""
    for row in rows_of(*map(int, sys.argv[1:5])):
        print(",".join(row))


if __name__ == "__main__":
    main()
