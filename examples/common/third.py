"""One of three parts of the rows of a table, which is divided at random.

python third.py TABLE K SEED > THIRD    the K-th part (0, 1 or 2) as CSV; TABLE is CSV, plain or gzip, or Parquet

The three parts of a seed hold every row once, and differ in size by one row at most.
"""

from __future__ import annotations

import gzip
import io
import random
import sys
from pathlib import Path


def lines_of(path: str) -> list[str]:
    """The table as CSV: its header and one line per row."""
    data = Path(path).read_bytes()
    if data[:4] == b"PAR1":
        import pyarrow.csv
        import pyarrow.parquet

        written = io.BytesIO()
        pyarrow.csv.write_csv(pyarrow.parquet.read_table(path), written)
        data = written.getvalue()
    elif data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.decode().splitlines()


def third_of(lines: list[str], number: int, seed: int) -> list[str]:
    """The header and the rows of one part, in their order."""
    places = list(range(1, len(lines)))
    random.Random(seed).shuffle(places)
    return [lines[0], *(lines[place] for place in sorted(places[number::3]))]


if __name__ == "__main__":
    table, number, seed = sys.argv[1:]
    print("\n".join(third_of(lines_of(table), int(number), int(seed))))
