"""Types of option values: numbers, durations, sizes, columns, files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import click

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

LARGEST_COUNT = 2**63 - 1
"""What headers and arrays can hold."""


class Count(click.IntRange):
    """A whole number; an upper limit of 2^63 - 1 is not shown in the help."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = super().convert(value, param, ctx)
        if number > LARGEST_COUNT:
            self.fail(f"{number:.3e} is too large." if number < 10**300 else "too large.", param, ctx)
        return number


class Finite(click.FloatRange):
    """A number in a range; neither NaN nor an infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class Parsed(click.ParamType):
    """A type of values that `parse` makes of a text; it raises ValueError with the message of the usage error.

    `name` stands for a value in the help; `words` complete a text in a shell.
    """

    def __init__(self, name: str, parse: Callable[[str], Any], words: tuple[str, ...] = ()):
        self.name = name
        self.parse = parse
        self.words = words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list:
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


def _duration(text: str) -> float:
    """Seconds, from 30s, 10m, 2h, 1h30m, 500ms; a bare number means seconds."""
    compact = text.strip().lower().replace(" ", "")
    compact = f"{compact}s" if re.fullmatch(r"\d+(\.\d*)?|\.\d+", compact) else compact
    parts = re.findall(r"(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h|d)", compact)
    if not parts or "".join(number + unit for number, unit in parts) != compact:
        raise ValueError(f"{text!r} is not a time; write it like 30s, 10m, 2h or 1h30m")
    seconds = sum(float(number) * SECONDS[unit] for number, unit in parts)
    if seconds <= 0:
        raise ValueError("a time limit must be positive")
    return seconds


def _size(text: str) -> int:
    """Bytes, from 800M, 4G, 1.5GiB; a bare number means bytes."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
    if not match:
        raise ValueError(f"{text!r} is no size; write it like 800M, 4G or 1.5GiB")
    return int(float(match[1]) * 1024 ** ("kmgt".index(match[2]) + 1 if match[2] else 0))


def _seed(text: str) -> int:
    """A whole number that fits into 63 bits."""
    if not (text.isascii() and text.isdigit() and int(text) < 2**63):
        raise ValueError(f"{text!r} is not a whole number from 0 to 2^63 - 1")
    return int(text)


def _column_rule(text: str) -> str:
    """A rule for numeric columns: median, quantile:K, width:K, hartemink:K, cuts:A,B; or COLUMN=RULE."""
    from formats.tables.cuts.discretization import parse_column_rule

    parse_column_rule(text)
    return text


def _columns(text: str) -> tuple[str, ...]:
    """Names of columns separated by commas; quoted as in CSV if a name has a comma."""
    import csv

    names = tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))
    if not names or not all(names):
        raise ValueError(f"{text!r} is not a list of columns; write it like age,sex or 'x*'")
    return names


def _delimiter(text: str) -> str:
    """One character between cells, or a word for it."""
    from formats.tables.tabular import parse_delimiter

    return parse_delimiter(text)


DURATION = Parsed("time", _duration)
SIZE = Parsed("size", _size)
SEED = Parsed("seed", _seed)
COLUMN_RULE = Parsed("[column=]method", _column_rule, ("median", "quantile:4", "width:5", "hartemink:3"))
COLUMNS = Parsed("a,b,...", _columns)
DELIMITER = Parsed("char", _delimiter)


class InputPath(click.Path):
    """A file that a command reads."""

    def paths(self, value: Any) -> list[str]:
        """The files that a value of the parameter names, without standard input."""
        values = value if isinstance(value, tuple) else (value,)
        return [path for path in values if path not in (None, "-")]


class ArcsOrPath(InputPath):
    """An arc, or a file of arcs: its path, with ``@`` before it or, if the file exists, without."""

    def paths(self, value: Any) -> list[str]:
        return [path.removeprefix("@") for path in super().paths(value)]


class OutputPath(click.Path):
    """A file that a command writes."""


INPUT_PATH = InputPath(allow_dash=True)
OUTPUT_PATH = OutputPath(allow_dash=True)
OUTPUT_FILE = OutputPath(dir_okay=False)
