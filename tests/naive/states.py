"""How the labels of one column become states, written from the rules, cell by cell."""

from __future__ import annotations

import re
from decimal import Decimal

MISSING = {"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"}
MISSING_AMONG_NUMBERS = {"None", "none", ".", "-"}
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def is_canonical(cell: str) -> bool:
    """Whether a cell is a number as Python spells it, or with more digits than a float has."""
    if re.fullmatch(r"-?[0-9]+", cell):
        return cell == str(int(cell))
    if re.fullmatch(r"-?[0-9]+\.[0-9]+", cell):
        whole, _, digits = cell.removeprefix("-").partition(".")
        return whole == str(int(whole)) and (digits == "0" or not digits.endswith("0"))
    return NUMBER.fullmatch(cell) is not None and cell == repr(float(cell))


def are_numbers(cells: list[str]) -> bool:
    """Whether the cells of a text file are numbers: ``1`` and ``1.0`` may be the same number, no others."""
    if not all(map(is_canonical, cells)):
        return False
    spelled = {cell.removesuffix(".0") for cell in cells}
    has_exponent = any("e" in cell for cell in cells)
    return not has_exponent or len({Decimal(cell) for cell in spelled}) == len(spelled)


def encode(cells: list[str]) -> tuple[list[str], list[int]]:
    """States and codes of a column of a text file; missing cells are a last state NA."""
    cells = [cell.strip() for cell in cells]
    others = [cell for cell in cells if cell not in MISSING | MISSING_AMONG_NUMBERS]
    missing = MISSING | MISSING_AMONG_NUMBERS if others and all(map(NUMBER.fullmatch, others)) else MISSING
    present = [cell for cell in cells if cell not in missing]
    numeric = are_numbers(present)
    by_value = all(map(NUMBER.fullmatch, present))

    def key(cell):
        return (Decimal(cell) if by_value else cell, "" if numeric else cell)

    states = []
    for value in sorted({key(cell) for cell in present}):
        spellings = [cell for cell in present if key(cell) == value]
        states.append(min(spellings, key=lambda cell: (len(cell), cell)))
    keys = [key(state) for state in states]
    if len(present) < len(cells):
        states.append("NA")
    return states, [len(keys) if cell in missing else keys.index(key(cell)) for cell in cells]
