"""Types of option values: durations, seeds, ways to cut columns."""

from __future__ import annotations

import math
import re
from typing import Any

import click

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


LARGEST_COUNT = 2**63 - 1
"""What headers and arrays can hold."""


class Count(click.IntRange):
    """A whole number within limits, of which an upper one that nobody reaches is not spoken of."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number = super().convert(value, param, ctx)
        if number > LARGEST_COUNT:
            self.fail(f"{number:.3e} is too large." if number < 10**300 else "too large.", param, ctx)
        return number


class Duration(click.ParamType):
    """A time span with units: 30s, 10m, 2h, 1h30m, 500ms; a bare number means seconds."""

    name = "duration"
    _part = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h|d)")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, (int, float)):
            return float(value)
        text = value.strip().lower().replace(" ", "")
        text = f"{text}s" if re.fullmatch(r"\d+(\.\d*)?|\.\d+", text) else text
        parts = self._part.findall(text)
        if not parts or "".join(number + unit for number, unit in parts) != text:
            self.fail(f"{value!r} is not a time; write it like 30s, 10m, 2h or 1h30m.", param, ctx)
        seconds = sum(float(number) * SECONDS[unit] for number, unit in parts)
        if seconds <= 0:
            self.fail("a time limit must be positive.", param, ctx)
        return seconds


class Discretization(click.ParamType):
    """A way to cut numeric columns: median, quantile:K, width:K, hartemink:K, cuts:A,B; or COLUMN=RULE."""

    name = "[column=]method"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from formats.tables.discretization import parse_column_rule

        try:
            parse_column_rule(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list:
        from click.shell_completion import CompletionItem

        words = ("median", "quantile:4", "width:5", "hartemink:3")
        return [CompletionItem(word) for word in words if word.startswith(incomplete)]


class Columns(click.ParamType):
    """Names of columns with commas between; quoted as in CSV where a name has a comma."""

    name = "a,b,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        import csv

        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in next(csv.reader([value], skipinitialspace=True), []))
        if not names or not all(names):
            self.fail(f"{value!r} is not a list of columns; write it like age,sex or 'x*'.", param, ctx)
        return names


class Size(click.ParamType):
    """Memory with units: 800M, 4G, 1.5GiB; a bare number means bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)(?:i?b)?", value.strip().lower())
        if not match:
            self.fail(f"{value!r} is no size; write it like 800M, 4G or 1.5GiB.", param, ctx)
        return int(float(match[1]) * 1024 ** ("kmgt".index(match[2]) + 1 if match[2] else 0))


class Delimiter(click.ParamType):
    """One character between cells, or a word for it."""

    name = "char"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from formats.tables.tabular import parse_delimiter

        try:
            return parse_delimiter(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


class Finite(click.FloatRange):
    """A number in a range; neither NaN nor an infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class ResamplingRule(click.ParamType):
    """How rows of replicates are drawn: bootstrap, subsample:SHARE, jackknife, imputed."""

    name = "rule"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        kind, colon, share = value.partition(":")
        if kind in ("bootstrap", "jackknife", "imputed") and not colon:
            return value
        try:
            if kind == "subsample" and 0 < float(share) <= 1:
                return value
        except ValueError:
            pass
        self.fail(
            f"{value!r} is none of bootstrap, subsample:SHARE (of the rows, up to 1), jackknife, imputed.",
            param,
            ctx,
        )


class Seed(click.ParamType):
    """A whole number that fits into 63 bits."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not (text.isascii() and text.isdigit() and int(text) < 2**63):
            self.fail(f"{value!r} is not a whole number from 0 to 2^63 - 1.", param, ctx)
        return int(text)


class InputPath(click.Path):
    """A file that a command reads."""

    def paths(self, value: Any) -> list[str]:
        """The files that a value of the parameter names; standard input apart."""
        values = value if isinstance(value, tuple) else (value,)
        return [path for path in values if path not in (None, "-")]


class ArcsOrPath(InputPath):
    """An arc, or a file of arcs: its path, with ``@`` before it or, if there is such a file, without."""

    def paths(self, value: Any) -> list[str]:
        return [path.removeprefix("@") for path in super().paths(value)]


class OutputPath(click.Path):
    """A file that a command writes."""


INPUT_PATH = InputPath(allow_dash=True)
OUTPUT_PATH = OutputPath(allow_dash=True)
OUTPUT_FILE = OutputPath(dir_okay=False)
DURATION = Duration()
COLUMNS = Columns()
DISCRETIZATION = Discretization()
RESAMPLING = ResamplingRule()
SEED = Seed()
