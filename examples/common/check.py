"""Compute a cell of a table in results.md anew, and compare: what `make check` of the experiments runs.

check.py [--tables FOLDER...] [--within SHARE] [--key KEY] DATA ROW COLUMN COMMAND

- DATA: the name of a file among the bundled data, or in one of the folders or one folder below; COMMAND, in bash,
  finds it as $DATA. The check is skipped where there is no such file. Without data: -
- ROW, COLUMN: the first cell of a row, and a heading of its table. Of rows with the same first cell give more
  cells, with / between; an empty cell repeats the one above.
- COMMAND prints a number, or a JSON object with KEY in its first line (total, as networks have, by default). The
  first number of the cell must be this one to the digits that it shows; with --within it may be off by that share,
  which is for searches that the clock ends.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

BUNDLED = Path(__file__).resolve().parents[2] / "bnsl" / "bundled"
NUMBER = re.compile(r"−?[0-9][0-9,]*(?:\.[0-9]+)?")


def tables_of(text: str) -> list[list[list[str]]]:
    """The tables of a text in Markdown: their lines, as cells without marks."""
    blocks = re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    return [[[cell.strip(" *") for cell in line.strip("|").split("|")] for line in b.splitlines()] for b in blocks]


def cell_of(text: str, row: str, column: str) -> str:
    """The cell in the first table that has such a row and column; exits without one."""
    wanted = row.split("/")
    for head, _, *lines in tables_of(text):
        above = [""] * len(wanted)
        for line in lines:
            above = [mine or last for mine, last in zip(line, above)]
            if above == wanted and column in head:
                return line[head.index(column)]
    sys.exit(f"no row {row!r} with a column {column!r} in the tables")


def found_in(tables: list[str], name: str) -> Path | None:
    """The file of data; None if there is none."""
    folders = [BUNDLED, *(place for folder in map(Path, tables) for place in (folder, *sorted(folder.glob("*/"))))]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def value_of(output: str, key: str) -> float:
    """The number that a command prints, or has under a key of the object in its first line."""
    return float(json.loads(output.splitlines()[0])[key] if output.startswith("{") else output)


def agree(cell: str, value: float, within: float) -> bool:
    """Whether the first number of a cell is the value, to its last digit or within a share."""
    shown = Decimal(NUMBER.findall(cell)[0].replace("−", "-").replace(",", ""))
    last_digit = Decimal(1).scaleb(int(shown.as_tuple().exponent))
    return abs(float(shown) - value) <= max(0.5001 * float(last_digit), within * abs(value))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--within", type=float, default=0.0)
    parser.add_argument("--key", default="total")
    for name in ("data", "row", "column", "command"):
        parser.add_argument(name)
    given = parser.parse_args()
    path = None if given.data == "-" else found_in(given.tables, given.data)
    name = f"{Path.cwd().name}: {given.row}, {given.column}"
    if path is None and given.data != "-":
        print(f"{name}: skipped, no {given.data} (make check TABLES=FOLDER)")
        return
    words = ["bash", "-eo", "pipefail", "-c", given.command]
    run = subprocess.run(words, env={**os.environ, "DATA": str(path)}, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        sys.exit(f"{name}: the command failed")
    cell, value = cell_of(Path("results.md").read_text(), given.row, given.column), value_of(run.stdout, given.key)
    if not agree(cell, value, given.within):
        sys.exit(f"{name}: {value:,.4f}, but results.md has {cell}")
    print(f"{name}: {cell}, as computed now")


if __name__ == "__main__":
    main()
