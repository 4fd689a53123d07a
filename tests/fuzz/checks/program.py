"""The program as a function from command lines to what it wrote, and the comparison of numbers."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from naive.table_scores import TableScores

from ..commands import Output, run_command
from ..tables import Table, write_table

RELATIVE, ABSOLUTE = 1e-9, 1e-8
"""Tolerances of scores, relative and in nats."""

PER_ROW = 1e-12
"""Further tolerance relative to n ln n for n rows: the program rounds every local score to multiples of 1e-13 to
2e-13 of that; totals add up some."""


MOST_BYTES = 1 << 28


class Difference(Exception):
    """The program's answer differs from the definition's."""


class Answer(NamedTuple):
    """Exit code, standard output and standard error of a command."""

    code: int
    text: str
    messages: str

    def json_lines(self) -> list[dict[str, Any]]:
        """Standard output as JSON objects, one a line."""
        return [json.loads(line) for line in self.text.splitlines()]

    def rows(self) -> list[dict[str, str]]:
        """Standard output as the rows of a CSV table."""
        return list(csv.DictReader(io.StringIO(self.text)))


class Case:
    """A random table, its scores, and the program to try on it.

    Attributes
    ----------
    rng : random.Random
        Random choices of the check at work.
    lines : list of str
        Command lines run so far.
    """

    def __init__(self, table: Table, folder: Path, output: Output):
        self.table, self.folder, self.output = table, folder, output
        self.rng = Random(0)
        self.lines: list[str] = []
        self._data: Path | None = None
        self._scores: TableScores | None = None

    @property
    def data(self) -> Path:
        """The file of the table."""
        if self._data is None:
            kind = self.rng.choice(("csv",) * 8 + ("parquet", "feather"))
            self._data = write_table(self.table, self.folder, kind)
        return self._data

    @property
    def scores(self) -> TableScores:
        """Scores by definition."""
        if self._scores is None:
            self._scores = TableScores(self.table.codes, self.table.n_states)
        return self._scores

    def run(self, *arguments: object, codes: tuple[int, ...] = (0,)) -> Answer:
        """Run a command line.

        Raises
        ------
        Difference
            The exit code is none of `codes`.
        """
        line = [str(argument) for argument in arguments]
        self.lines.append(" ".join(["bnsl", *line]))
        _, code = run_command(line, self.output)
        text, messages = (part.decode() for part in self.output.texts(MOST_BYTES))
        if code not in codes:
            raise Difference(f"exit code {code} in place of {codes}: {messages.strip()}")
        return Answer(code, text, messages)

    def write(self, name: str, text: str) -> Path:
        """A file in the folder of this case."""
        path = self.folder / name
        path.write_text(text)
        return path

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self.rng.random() < share

    def draw_score(self) -> tuple[str, float]:
        """A local score and an equivalent sample size."""
        name = self.rng.choice(("bic", "bic", "bdeu", "bdeu", "aic", "k2", "ll"))
        ess = self.rng.choice((1.0, 1.0, 0.01, 0.5, 3.0, 10.0, 100.0, 1e-4, round(self.rng.uniform(0.1, 30), 3)))
        return name, ess if name == "bdeu" else 1.0


def score_options(name: str, ess: float) -> list[str]:
    """The options that ask for a score."""
    return ["--score", name, *(["--ess", repr(ess)] if name == "bdeu" else [])]


def margin(*values: float, n_rows: int = 1) -> float:
    """Rounding that is allowed between scores of these sizes, nats."""
    return ABSOLUTE + RELATIVE * max(map(abs, values)) + PER_ROW * n_rows * math.log(n_rows + 1)


def expect(condition: object, message: str) -> None:
    """Raise `Difference` with a message unless the condition holds."""
    if not condition:
        raise Difference(message)


def expect_close(
    found: float | None, expected: float, what: str, tolerance: float | None = None, n_rows: int = 1
) -> None:
    """Raise `Difference` unless two numbers agree, by default as scores of so many rows."""
    if found is None or not math.isfinite(found):
        raise Difference(f"{what}: {found} in place of {expected!r}")
    allowed = margin(found, expected, n_rows=n_rows) if tolerance is None else tolerance
    if not abs(found - expected) <= allowed:
        raise Difference(f"{what}: {found!r} in place of {expected!r}, off by {found - expected:.3g}")
