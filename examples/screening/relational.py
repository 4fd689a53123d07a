"""A table as a join of a relational database leaves it: a few keys, and columns looked up by one key each.

Prints CSV. Keys depend on one another; each looked-up column is a function of its key, so a screening forest finds
the schema again. Looked-up tables have more rows than columns, as those of databases have: were there eight rows and
35 columns, columns would be functions of one another by chance.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator

FOLLOWING = 0.8
"""Share of the rows in which a key follows the one before it."""


def rows_of(n_columns: int, n_keys: int, n_rows: int, seed: int) -> Iterator[list[str]]:
    """The header and the rows."""
    rng = random.Random(seed)
    n_looked_up = n_columns - n_keys
    fewest = n_looked_up // n_keys + 1
    sizes = sorted(rng.randint(fewest, 3 * fewest // 2) for _ in range(n_keys))
    tables = []
    for column in range(n_looked_up):
        n_states = rng.randint(2, 5)
        tables.append([rng.randrange(n_states) for _ in range(sizes[column % n_keys])])
    # A key mostly follows the one before it, each state to one of its own.
    follow = [rng.sample(range(size), before) for before, size in itertools.pairwise(sizes)]
    yield [f"key{k}" for k in range(n_keys)] + [f"column{c}" for c in range(len(tables))]
    for _ in range(n_rows):
        keys: list[int] = []
        for k, size in enumerate(sizes):
            follows = k and rng.random() < FOLLOWING
            keys.append(follow[k - 1][keys[-1]] if follows else rng.randrange(size))
        yield [f"id{key}" for key in keys] + [str(table[keys[c % n_keys]]) for c, table in enumerate(tables)]


def main() -> None:
    """``relational.py COLUMNS KEYS ROWS SEED``"""
    for row in rows_of(*map(int, sys.argv[1:5])):
        print(",".join(row))


if __name__ == "__main__":
    main()
