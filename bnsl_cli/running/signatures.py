"""Click's parameters for the options of a function: annotations of signatures (`bnsl.options.option`) to click."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from bnsl.options.option import Option
from bnsl.options.values import Arcs, Choice, Flag, Input, MethodName, Number, Output, Parsed, Text, Whole
from bnsl.running.errors import UsageError

from .click_types import ArcsOrPath, ClickChoice, Count, Finite, InputPath, OutputPath, ParsedText
from .section_options import Decorator, option


def with_options(function: Callable, options: Iterable[Option]) -> Callable:
    """The callback with the parameters of these options."""
    for each in reversed(list(options)):  # decorators apply from the last to the first
        for decorator in reversed(_decorators(each)):
            function = decorator(function)
    return function


def _decorators(declared: Option) -> list[Decorator]:
    if declared.positional:
        return [_argument(declared)]
    kind = declared.kind
    settings: dict[str, Any] = {"section": declared.section, "help": declared.help, "metavar": declared.metavar}
    if isinstance(kind, MethodName):
        flags = [
            option(f"--{flag.name}", declared.keyword, flag_value=flag.name, section=flag.section, help=flag.help)
            for flag in kind.flags
        ]
        return [option(*declared.spellings, declared.keyword, type=click_type(kind), **settings), *flags]
    if declared.default is not None and not (declared.is_several and declared.default == ()):
        settings["default"] = declared.default
    if declared.show_default is not None:
        settings["show_default"] = declared.show_default
    if declared.is_several:
        settings["multiple"] = True
    if declared.is_joined:
        settings["callback"] = _joined
    if isinstance(kind, Flag):
        is_switch = any("/" in spelling for spelling in declared.spellings)
        settings |= {"default": declared.default} if is_switch else {"is_flag": True, "show_default": False}
    else:
        settings["type"] = click_type(kind)
    settings |= {"nargs": declared.nargs} if declared.nargs > 1 else {}
    settings |= {"required": True} if declared.is_required else {}
    return [option(*declared.spellings, declared.keyword, **settings)]


def _joined(_ctx: click.Context, _parameter: click.Parameter, lists: Any) -> tuple[str, ...]:
    """One tuple of the names in all given lists."""
    return tuple(name for each in lists for name in each)


def _argument(declared: Option) -> Decorator:
    def callback(ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
        return value if ctx.resilient_parsing else require_input(value, declared.spellings[0])

    settings: dict[str, Any] = {"callback": callback} if declared.is_standard_input else {}
    if declared.is_several:
        settings["nargs"] = -1
    is_optional = not declared.is_required
    metavar = f"[{declared.spellings[0]}]" if is_optional else declared.spellings[0]
    metavar += "..." if declared.is_several else ""
    return click.argument(
        declared.keyword, type=click_type(declared.kind), metavar=metavar, required=not is_optional, **settings
    )


def require_input(source: str | None, metavar: str) -> str:
    """The given source, or standard input; refuses to read a terminal."""
    if source is None and sys.stdin.isatty():
        raise UsageError(f"no input: give {metavar} (a path, or '-') or pipe it in.")
    return "-" if source is None else source


def click_type(kind: Any) -> click.ParamType:
    """Click's type for the values of an option."""
    match kind:
        case Choice():
            return ClickChoice(kind.words)
        case Whole():
            return Count(kind.least, kind.most)
        case Number():
            return Finite(kind.least, kind.most, kind.is_open, kind.is_open or kind.open_most)
        case Parsed():
            return ParsedText(kind)
        case Arcs():
            return ArcsOrPath(kind)
        case Input():
            return InputPath(kind)
        case Output():
            return OutputPath(kind)
        case Text():
            return click.STRING
    raise TypeError(f"no type of click for {kind!r}")
