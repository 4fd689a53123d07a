"""How the labels of one column become states, written from the rules, cell by cell."""

from __future__ import annotations

import re
from decimal import Decimal

MISSING = {"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"}
MISSING_AMONG_NUMBERS = {"None", "none", ".", "-"}
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def encode(cells: list[str]) -> tuple[list[str], list[int]]:
    """States and codes of a column; missing cells are a last state NA."""
    cells = [cell.strip(" ") for cell in cells]
    others = [cell for cell in cells if cell not in MISSING | MISSING_AMONG_NUMBERS]
    missing = MISSING | MISSING_AMONG_NUMBERS if others and all(map(NUMBER.fullmatch, others)) else MISSING
    present = [cell for cell in cells if cell not in missing]
    numeric = all(NUMBER.fullmatch(cell) for cell in present)

    def key(cell):
        return Decimal(cell) if numeric else cell

    states = []
    for value in sorted({key(cell) for cell in present}):
        spellings = [cell for cell in present if key(cell) == value]
        states.append(min(spellings, key=lambda cell: (len(cell), cell)))
    if len(present) < len(cells):
        states.append("NA")
    keys = [key(state) if state != "NA" else "NA" for state in states]
    return states, [keys.index("NA" if cell in missing else key(cell)) for cell in cells]
