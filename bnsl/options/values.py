"""Types of option values: the permitted values, and the conversion of a text or a Python value.

A type has `take`, which returns the value of a text or of a Python value, or raises `ValueError` with the reason.
Command line and Python use the same types; the command line derives click's types from them.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from formats.wording import type_of

Path = str | os.PathLike[str]
"""The annotation of a path."""

GRAPH_PACKAGES = ("pgmpy", "pyagrum", "networkx")
"""Packages whose networks `Network` takes by a method of its own."""

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

LARGEST_COUNT = 2**63 - 1
"""The largest integer in headers and arrays."""


class Text:
    """Any text."""

    def take(self, value: Any) -> str:
        """The text."""
        return os.fspath(value) if isinstance(value, (str, os.PathLike)) else str(value)


class Flag:
    """True or False."""

    def take(self, value: Any) -> bool:
        """The truth value."""
        if not isinstance(value, bool) and value not in (0, 1):
            raise ValueError("True or False")
        return bool(value)


@dataclass(eq=False, repr=False)
class Choice:
    """One of several words, in lower or upper case."""

    words: tuple[str, ...]

    def take(self, value: Any) -> str:
        """The word in its listed spelling."""
        found = [word for word in self.words if str(value).casefold() == word.casefold()]
        if not found:
            raise ValueError(f"one of {', '.join(self.words)}")
        return found[0]


@dataclass(eq=False, repr=False)
class MethodFlag:
    """The flag ``--NAME`` of a method: a spelling of ``--method NAME`` on the command line."""

    name: str
    section: str
    help: str


@dataclass(eq=False, repr=False)
class MethodName(Choice):
    """The name of a method; each has a flag on the command line."""

    flags: tuple[MethodFlag, ...] = ()


@dataclass(eq=False, repr=False)
class Whole:
    """A whole number within limits; an upper limit of 2^63 - 1 is not shown."""

    least: int | None = None
    most: int | None = None

    def take(self, value: Any) -> int:
        """The number."""
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError("a whole number") from None
        if isinstance(value, bool) or (not isinstance(value, str) and number != value):
            raise ValueError("a whole number")
        if (self.least is not None and number < self.least) or number > (self.most or LARGEST_COUNT):
            raise ValueError(limits_text(self.least, self.most or LARGEST_COUNT))
        return number


@dataclass(eq=False, repr=False)
class Number:
    """A finite number within limits; with `is_open` the limits are excluded, with `open_most` the upper one."""

    least: float | None = None
    most: float | None = None
    is_open: bool = False
    open_most: bool = False

    def take(self, value: Any) -> float:
        """The number."""
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError("a number") from None
        if not math.isfinite(number):
            raise ValueError("a finite number")
        too_small = self.least is not None and (number < self.least or (self.is_open and number == self.least))
        excludes_most = self.is_open or self.open_most
        too_large = self.most is not None and (number > self.most or (excludes_most and number == self.most))
        if too_small or too_large:
            raise ValueError(limits_text(self.least, self.most, self.is_open, excludes_most))
        return number


def limits_text(least: float | None, most: float | None, above: bool = False, below: bool = False) -> str:
    """Limits in words: ``at least 1``, ``from 0 to 1``, ``above 0 and below 1``."""
    if most in (None, LARGEST_COUNT):
        return f"{'above' if above else 'at least'} {least:g}" if least is not None else f"below {most:.3e}"
    if least is None:
        return f"{'below' if below else 'at most'} {most:g}"
    if above or below:
        return f"{'above' if above else 'at least'} {least:g} and {'below' if below else 'at most'} {most:g}"
    return f"from {least:g} to {most:g}"


@dataclass(eq=False, repr=False)
class Parsed:
    """The result of `parse` for a text; `parse` raises `ValueError` with the message.

    `name` stands for a value in the help, `words` complete a text in a shell. `adapt` converts a Python value that is
    no text into one.
    """

    name: str
    parse: Callable[[str], Any]
    words: tuple[str, ...] = ()
    adapt: Callable[[Any], Any] | None = None

    def take(self, value: Any) -> Any:
        """The parsed text, or the value."""
        if self.adapt is None and not isinstance(value, str):
            example = f", such as {self.words[0]}" if self.words else ""
            raise ValueError(f"a text of the form {self.name}{example}")
        if isinstance(value, str) or self.adapt is None:
            return self.parse(value)
        try:
            text = self.adapt(value)
        except TypeError:
            raise ValueError(f"a text of the form {self.name}, not {type_of(value)}") from None
        return self.parse(text)


TABLES = "a dict of columns, a list of dicts, or anything with __arrow_c_stream__ (pandas, Polars, DuckDB, pyarrow)"
"""The kinds of tables in Python, for messages."""


@dataclass(eq=False, repr=False)
class Input:
    """An input: a path, with `dash` also ``-``; from Python a table or a result as well."""

    dash: bool = True

    def take(self, value: Any) -> Any:
        """The path as text; any other input unchanged."""
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        is_list = isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)
        known = ("record", "__arrow_c_stream__", "readable", "dtype", "batches")
        if not (is_list or isinstance(value, Mapping) or any(hasattr(value, name) for name in known)):
            modules = (base.__module__.partition(".")[0] for base in type(value).__mro__)
            package = next((name for name in modules if name in GRAPH_PACKAGES), None)
            remedy = f"call bnsl.Network.from_{package}" if package else f"give a path, a result, {TABLES}"
            raise ValueError(f"{type_of(value)} cannot be read: {remedy}")
        return value.read_all() if hasattr(value, "read_all") else value  # a reader of Arrow, which reads once

    def paths(self, value: Any) -> list[str]:
        """The files that a value of the option names, without standard input."""
        values = value if isinstance(value, tuple) else (value,)
        return [path for path in values if isinstance(path, str) and path != "-"]


class Tiers(Input):
    """A file of tiers; from Python also a list of tiers, each a list of names."""

    def take(self, value: Any) -> Any:
        """The path as text, or the tiers."""
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        if isinstance(value, dict):
            raise ValueError("tiers are the path of a file or a list of lists of names, not a dict")
        return tuple((tier,) if isinstance(tier, str) else tuple(tier) for tier in value)

    def paths(self, value: Any) -> list[str]:
        return super().paths(value) if isinstance(value, str) else []


class States(Input):
    """A file of states, or the word ``observed``; from Python also states by column, or a result that has states."""

    words = ("observed",)

    def take(self, value: Any) -> Any:
        """The path or word as text, or the states of each column."""
        if hasattr(value, "record"):
            return {v.name: v.states for v in value.record.header.variables if v.states is not None}
        if isinstance(value, Mapping):
            levels = {str(name): tuple(map(str, states)) for name, states in value.items()}
            wrong = [name for name, states in levels.items() if not states or len(set(states)) < len(states)]
            if wrong:
                raise ValueError(f"states of {wrong[0]!r}, each once")
            return levels
        if not isinstance(value, (str, os.PathLike)):
            raise ValueError("a path, 'observed', or a dict of columns and their states")
        return os.fspath(value)

    def paths(self, value: Any) -> list[str]:
        return [path for path in super().paths(value) if path != OBSERVED]


OBSERVED = "observed"
"""Value of ``--states``: the labels that occur are the states."""


class Arcs(Input):
    """An arc, or a file of arcs: its path, with ``@`` before it or, if the file exists, without."""

    def take(self, value: Any) -> str:
        """The arc as it is typed."""
        if isinstance(value, (list, tuple)):
            if len(value) != 2:
                raise ValueError(f"an arc has two ends, ('a', 'b'), not {len(value)}")
            return as_line(value)
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        raise ValueError("an arc such as 'a->b' or ('a', 'b'), or the path of a file of arcs")

    def paths(self, value: Any) -> list[str]:
        return [path.removeprefix("@") for path in super().paths(value)]


@dataclass(eq=False, repr=False)
class Output:
    """A file to write; with `dash` also ``-``, standard output."""

    dash: bool = False

    def take(self, value: Any) -> str:
        """The path as text."""
        return path_text(value)


@dataclass(eq=False, repr=False)
class FiguresFile(Output):
    """A file for figures in JSON, or with `drawn` a picture of them; its name means no table."""

    drawn: bool = False

    def take(self, value: Any) -> str:
        """The path as text."""
        from formats.kinds import Kind
        from formats.registry import named_formats

        path = super().take(value)
        refused = (Kind.DATA,) if self.drawn else (Kind.DATA, Kind.PICTURE)
        if named := [row for row in named_formats(path) if row.kind in refused]:
            raise ValueError(f"{path} names {named[0].called}, and figures are JSON: let the name end in .json")
        return path


def path_text(value: Any) -> str:
    """A path as text; raises `ValueError` for anything else."""
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError(f"a path, not {type_of(value)}")
    return os.fspath(value)


def as_line(values: Any) -> str:
    """Several values as they are typed: separated by commas, quoted as in CSV."""
    import csv
    import io

    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    return line.getvalue()


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
    """One character between cells, or a word for the character."""
    from formats.tables.tabular import parse_delimiter

    return parse_delimiter(text)


def _as_names(value: Any) -> str:
    return as_line([value] if isinstance(value, str) or not isinstance(value, Iterable) else value)


DURATION = Parsed("time", _duration, adapt=str)
SIZE = Parsed("size", _size, adapt=str)
SEED = Parsed("seed", _seed, adapt=str)
COLUMN_RULE = Parsed("[column=]method", _column_rule, ("median", "quantile:4", "width:5", "hartemink:3"))
COLUMNS = Parsed("a,b,...", _columns, adapt=_as_names)
DELIMITER = Parsed("char", _delimiter)


TEXT, FLAG, INPUT, ARCS, TIERS, STATES = Text(), Flag(), Input(), Arcs(), Tiers(), States(dash=False)
OUTPUT, OUTPUT_FILE, FIGURES_FILE = Output(dash=True), Output(), FiguresFile()
