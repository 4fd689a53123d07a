"""Click's types for the values of options: messages of click, parsers of the library."""

from __future__ import annotations

import math
from typing import Any

import click

from bnsl.options.values import LARGEST_COUNT, Input, Output, Parsed, limits_text
from bnsl.running.errors import refuse_removed


class ClickChoice(click.Choice):
    """One of several words, in lower or upper case."""

    def __init__(self, words: tuple[str, ...]):
        super().__init__(words, case_sensitive=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            if param is not None and ctx is not None:
                typed = f"{param.opts[-1]} {value}"
                refuse_removed(typed, f"{ctx.info_name} {typed}")
            raise


class Count(click.IntRange):
    """A whole number; an upper limit of 2^63 - 1 is not shown in the help."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        _require_number(self, int, value, param, ctx)
        number = super().convert(value, param, ctx)
        if number > LARGEST_COUNT:
            self.fail(f"{number:.3e} is too large." if number < 10**300 else "too large.", param, ctx)
        return number


class Finite(click.FloatRange):
    """A number in a range; neither NaN nor an infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        _require_number(self, float, value, param, ctx)
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def _require_number(
    kind: Count | Finite, number: type, value: Any, param: click.Parameter | None, ctx: click.Context | None
) -> None:
    """Refuse a text that is no number, with the limits of the number that is wanted."""
    try:
        number(value)
    except ValueError:
        has_limits = kind.min is not None or kind.max is not None
        limits = f"; write one, {limits_text(kind.min, kind.max, kind.min_open, kind.max_open)}" if has_limits else ""
        kind.fail(f"{value!r} is not a {'whole ' if number is int else ''}number{limits}.", param, ctx)


class ParsedText(click.ParamType):
    """What a parser makes of a text."""

    def __init__(self, kind: Parsed):
        self.kind = kind
        self.name = kind.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.kind.parse(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list:
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.kind.words if word.startswith(incomplete)]


class InputPath(click.Path):
    """A file that a command reads."""

    def __init__(self, kind: Input):
        super().__init__(dir_okay=kind.dash, allow_dash=kind.dash)
        self.kind = kind

    def paths(self, value: Any) -> list[str]:
        """The files that a value of the option names, without standard input."""
        return self.kind.paths(value)


class ArcsOrPath(InputPath):
    """An arc, or a file of arcs."""


class OutputPath(click.Path):
    """A file that a command writes."""

    def __init__(self, kind: Output):
        super().__init__(dir_okay=kind.dash, allow_dash=kind.dash)
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.kind.take(super().convert(value, param, ctx))
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)
