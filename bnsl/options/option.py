"""Options of functions: annotations of parameters, or of the items of a `TypedDict` that functions unpack.

::

    class BudgetOptions(TypedDict, total=False):
        time: Annotated[float | str | None, Option("Stop after this time: 30s, 10m.", DURATION)]

    class SearchOptions(BudgetOptions, total=False):
        tabu: Annotated[int, Option("Length of the tabu list.", Whole(0), "N", default=0)]

    @function
    def search(run: Run, data: Annotated[Source, Argument("DATA")], **options: Unpack[SearchOptions]) -> Network: ...

Editors and mypy read the annotations; `options_of` reads the options of the same annotations, and from these come the
keywords of Python, the options of the command line, and the help of both. An option is named after its keyword:
``keep_mass`` is ``--keep-mass`` in the shell, unless it names other spellings.

A text or a dict after the `Option` changes it in one function: ``Annotated[Time, "Stop each search after this."]``
has another help, ``Annotated[Time, {"section": "Method"}]`` another section.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, Literal, Self, Unpack, get_args, get_origin

from .values import FLAG, INPUT, TEXT, Choice, Number, Whole

Source = Any
"""A path, a table (pandas, Polars, DuckDB, pyarrow, a dict of columns) or a result of this package."""


class Given(SimpleNamespace):
    """The checked values of the options of a call, as attributes; groups of options add methods."""

    def changed(self, **changes: Any) -> Self:
        """The same with other values."""
        return type(self)(**{**vars(self), **changes})


@dataclass(frozen=True, eq=False)
class Option:
    """An option of a function, or an argument if it is `positional`."""

    help: str = ""
    kind: Any = None  # type of the value, see `values`; None: what the annotation implies
    metavar: str | None = None
    names: tuple[str, ...] = ()  # spellings of the shell; by default made from the keyword
    default: Any = None
    section: str = "Run"  # of the help page
    is_required: bool = False
    is_several: bool = False  # may be repeated; the value is a tuple
    is_joined: bool = False  # the values of all repetitions are one tuple
    is_standard_input: bool = False  # an argument that defaults to standard input
    nargs: int = 1  # number of values per use
    show_default: bool | None = None  # None: shown if there is a default
    positional: bool = False
    keyword: str = ""  # set by `options_of`
    type: Any = None  # its annotation; set by `options_of`

    @property
    def spellings(self) -> tuple[str, ...]:
        """Its spellings on the command line; for an argument its metavar."""
        if self.positional:
            return ((self.metavar or self.keyword.upper()).strip("[]."),)
        return self.names or (f"--{self.keyword.replace('_', '-')}",)

    @property
    def called(self) -> str:
        """The name in messages: the first spelling, or the metavar of an argument."""
        spelling = self.spellings[0]
        return spelling if self.is_required or not self.positional else f"[{spelling}]"

    @property
    def is_flag(self) -> bool:
        """Whether it takes no value on a command line."""
        return self.kind is FLAG


def Argument(metavar: str, kind: Any = INPUT, **settings: Any) -> Option:
    """An input by position; with ``is_standard_input`` it may be left out where standard input is read."""
    return Option(kind=kind, metavar=metavar, positional=True, **settings)


def options_of(function: Callable) -> dict[str, Option]:
    """The options of a function by keyword, arguments first, in the order of its signature.

    Parameters without an `Option` among their annotations are not options.
    """
    return _options_of(inspect.unwrap(function))


@functools.cache
def _options_of(function: Callable) -> dict[str, Option]:
    found: dict[str, Option] = {}
    group: dict[str, Option] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = parameter.annotation
        hint = eval(hint, function.__globals__) if isinstance(hint, str) else hint
        if get_origin(hint) is Unpack:
            group = group_options(get_args(hint)[0])
        elif (option := _option(name, hint)) is not None:
            has_default = parameter.default is not inspect.Parameter.empty
            found[name] = changed(option, {"default": parameter.default} if has_default else {"is_required": True})
    positional = {name: option for name, option in found.items() if option.positional}
    return positional | group | found


@functools.cache
def group_options(group: Any) -> dict[str, Option]:
    """The options among the items of a `TypedDict`, by keyword; its module evaluates annotations at once."""
    found = {name: _option(name, hint) for name, hint in group.__annotations__.items()}
    return {name: option for name, option in found.items() if option is not None}


def _option(name: str, hint: Any) -> Option | None:
    """The option of an annotated parameter; None if it has none."""
    if get_origin(hint) is not Annotated:
        return None
    of, *metadata = get_args(hint)
    option = next((each for each in metadata if isinstance(each, Option)), None)
    if option is None:
        return None
    changes: dict[str, Any] = {"keyword": name, "type": of}
    for each in metadata[metadata.index(option) + 1 :]:
        changes |= {"help": each} if isinstance(each, str) else each
    option = changed(option, changes)
    kind = option.kind or _kind(of)
    default = option.default
    if default is None and kind is FLAG and bool in (of, *get_args(of)) and type(None) not in get_args(of):
        default = False
    if default is None and option.is_several and type(None) not in get_args(of):
        default = ()
    return changed(option, {"kind": kind, "default": default})


def changed(option: Option, changes: Mapping[str, Any]) -> Option:
    """The option with other settings."""
    return Option(**{**vars(option), **changes})


def _kind(of: Any) -> Any:
    """The kind of values that a type implies: words, whole numbers, numbers, truth values or text."""
    types = [each for each in get_args(of) if each is not type(None)] if get_origin(of) is not Literal else [of]
    types = types or [of]
    if get_origin(types[0]) is Literal:
        return Choice(tuple(get_args(types[0])))
    if bool in types:
        return FLAG
    if int in types:
        return Whole()
    if float in types:
        return Number()
    return TEXT
