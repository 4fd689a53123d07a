"""Rows as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from typing import Any


class _Lines(list[str]):
    """Line ends as the writer of the standard library makes them; here lines end in a line feed."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Lines of cells, quoted where needed; the library quotes a carriage return only if one ends its lines."""
    lines = _Lines()
    csv.writer(lines, lineterminator="\r\n").writerows(rows)
    return "".join(lines)
