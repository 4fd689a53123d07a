"""Functions of the library: calls with keywords, checked by the options in their signatures.

`function` makes a function of the library from a body, whose first parameter is a `Run`, the caller's side of a call.
The command line calls `call_body` with values that click parsed; keywords from Python are checked here.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any, Concatenate, NoReturn, ParamSpec, TypedDict, TypeVar, Unpack, get_args, get_origin

from ..options.assigned import assignments, is_mapping
from ..options.option import Option, group_options, options_of
from ..options.values import COLUMNS, FLAG, TEXT, Arcs, Input, Whole
from ..results import Deliverable
from .calls import calling, translated_errors
from .errors import UsageError, refuse_removed
from .interrupts import graceful_stop
from .reporter import LineReporter
from .wording import in_python, mended, python_line

P = ParamSpec("P")
T = TypeVar("T")


class Run:
    """The caller's side of a call: the receiver of messages, the given options, and the resources of the call.

    - `options`: the options of the called function, by keyword.
    - `reporter`: receives messages and progress.
    - `given`: keywords of the options that the caller wrote.
    - `resources`: closed once the result is written or returned.
    - `is_called`: whether a Python program calls; then standard input belongs to that program.
    """

    def __init__(
        self,
        of: Callable,
        reporter: LineReporter,
        given: Collection[str],
        resources: contextlib.ExitStack,
        is_called: bool = False,
    ):
        self.options = options_of(of)
        self.reporter = reporter
        self.given = frozenset(given)
        self.resources = resources
        self.is_called = is_called
        self.stop: Any = None

    def of_part(self, of: Callable, given: Collection[str] = ()) -> Run:
        """The run of another function that this one calls; the caller gave no options of it except for `given`."""
        return Run(of, self.reporter, given, self.resources, self.is_called)

    def search(self) -> Any:
        """The stop signal of the search; from now on the first signal sets it, until the call ends."""
        self.stop = self.resources.enter_context(graceful_stop())
        return self.stop

    @property
    def exit_code(self) -> int:
        """128 + signal number if a signal ended the search, else 0."""
        return 0 if self.stop is None else self.stop.exit_code

    def source(self, source: Any, metavar: str) -> Any:
        """The given source, or standard input; refuses a terminal, or the standard input of a calling program."""
        if source is None and (self.is_called or sys.stdin.isatty()):
            how = "(a path, or a table or a result)" if self.is_called else "(a path, or '-') or pipe it in"
            raise UsageError(f"no input: give {metavar} {how}.")
        return "-" if source is None else source

    def given_options(self) -> list[Option]:
        """The options that the caller wrote, in the order of the signature."""
        return [option for keyword, option in self.options.items() if keyword in self.given]

    def refuse(self, names: Collection[str], why: str) -> None:
        """Refuse these options: raise a usage error with the first given one and the words `why`."""
        for option in self.given_options():
            if option.keyword in names:
                raise UsageError(f"{option.spellings[-1]} {why}")


class MessageOptions(TypedDict, total=False):
    """Keywords of every function in Python; the command line has its own, -q and -v."""

    quiet: bool
    verbose: int


MESSAGES = {
    "quiet": Option("Errors only.", FLAG, keyword="quiet", default=False, type=bool),
    "verbose": Option(
        "1 for settings and progress, 2 for timings as well.", Whole(0), keyword="verbose", default=0, type=int
    ),
}
"""The options of `MessageOptions`."""


def function(body: Callable[Concatenate[Run, P], T]) -> Callable[P, T]:
    """Make a function of the library from a body: it checks the keywords and makes the `Run`.

    The body returns an object of the library. One whose result depends on its options is annotated with ``Any``, and
    has overloads.
    """

    @functools.wraps(body)
    def called(*inputs: Any, quiet: bool = False, verbose: int = 0, **keywords: Any) -> Any:
        def line(mending: Mapping[str, Any]) -> str:
            return python_line(body.__name__, names, {**keywords, **mending})

        names = [name for name, option in options_of(body).items() if option.positional][: len(inputs)]
        with translated_errors():
            verbosity = -1 if taken(MESSAGES["quiet"], quiet) else taken(MESSAGES["verbose"], verbose)
        return call_as(called, options_of(body), line, inputs, keywords, verbosity)

    return called  # type: ignore[return-value]


def delivering(body: Callable[Concatenate[Run, P], Deliverable[T]]) -> Callable[P, T]:
    """As `function`, of a body that returns a `Deliverable`: callers in Python get its ``for_python()``."""
    return function(body)  # type: ignore[arg-type]


def call_body(of: Callable, values: Mapping[str, Any], run: Run) -> Any:
    """The result of a function of the library for checked values of all options, as the command line writes it."""
    return inspect.unwrap(of)(run, **values)


def call_as(
    of: Callable,
    spoken: Mapping[str, Option],
    line: Callable[[Mapping[str, Any]], str],
    inputs: Collection[Any],
    keywords: Mapping[str, Any],
    verbosity: int,
) -> Any:
    """Call a function of the library with these keywords; messages name options by the keywords `spoken`.

    `line`: the call, with further keywords that mend it, as a line that the caller could write.
    """
    options = options_of(of)

    def ready(mend: Mapping[str, Any]) -> str:
        further = mended(options, mend)
        if "drop" in further and keywords.get("drop"):
            further["drop"] = [*taken(options["drop"], keywords["drop"]), *further["drop"]]
        return f"\n  For example: {line(further)}" if further else ""

    with calling(of.__name__, spoken, verbosity, ready) as (reporter, resources):
        values, given = checked(of, inputs, keywords)
        found = call_body(of, values, Run(of, reporter, given, resources, is_called=True))
        return found.for_python() if isinstance(found, Deliverable) else found


def checked(of: Callable, inputs: Collection[Any], keywords: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The value of every option by keyword, and the keywords that are given.

    A keyword that is None, the default, or an empty list or dict where that is the default counts as not given.

    Raises `UsageError`: an unknown or missing keyword, or an impossible value.
    """
    options = options_of(of)
    positional = [name for name, option in options.items() if option.positional]
    bound = {**dict(zip(positional, inputs)), **keywords}
    # The signature says what does not fit, but binding takes longer than a small question.
    is_fit = len(bound) == len(inputs) + len(keywords) and bound.keys() <= options.keys()
    if not (is_fit and {name for name, option in options.items() if option.is_required} <= bound.keys()):
        try:
            signature_of(options).bind(*inputs, **keywords)
        except TypeError as error:
            _refuse(of, error, keywords)
    values, given = default_values(of), set()
    for name, value in bound.items():
        option = options[name]
        if value is not None and not (type(value) is type(option.default) and value == option.default):
            values[name] = taken(option, value)
            if not (option.is_several and not option.default and values[name] == ()):
                given.add(name)
    for name, option in options.items():
        if option.is_standard_input and values[name] is None:
            raise UsageError(f"no input: give {name} (a path, a table or a result).", parameter=name)
    return values, given


def default_values(of: Callable) -> dict[str, Any]:
    """The value of every option of a function that is not given, by keyword."""
    return {
        name: option.kind.take(option.default) if isinstance(option.default, str) else option.default
        for name, option in options_of(of).items()
    }


def _refuse(of: Callable, error: TypeError, keywords: Mapping[str, Any]) -> NoReturn:
    """Raise the usage error of arguments that do not fit the signature."""
    from difflib import get_close_matches

    options = options_of(of)
    for name in keywords:
        if name not in options:
            spelled = f"--{name.replace('_', '-')}"
            refuse_removed(name, f"{of.__name__} {spelled}", spelled)
            said = in_python(spelled, options)
            close = [said] if said not in (spelled, name) else get_close_matches(name, options, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            if not close and "evidence" in options:
                hint = f' Evidence is a dict: network.query({{"{name}": {keywords[name]!r}}}).'.replace("'", '"')
            raise UsageError(f"{of.__name__}() has no option {name!r}.{hint}") from None
    raise UsageError(f"{of.__name__}(): {error}") from None


def taken(option: Option, value: Any) -> Any:
    """The checked value of a keyword."""
    name = option.keyword
    if option.nargs > 1:
        if not isinstance(value, (list, tuple)) or len(value) != option.nargs:
            raise UsageError(f"{name}={value!r}: a tuple of {option.nargs}", parameter=name)
        return tuple(_taken(option, each) for each in value)
    if not option.is_several:
        return _taken(option, value)
    if option.kind is TEXT and is_mapping(value):
        value = assignments(value)
    elif isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)) or _is_one(option, value):
        value = [value]
    elif option.kind is COLUMNS:
        value = [[each] for each in value]  # a comma in an item of a list is part of a name
    several = tuple(_taken(option, each) for each in value)
    return tuple(part for each in several for part in each) if option.is_joined else several


def _is_one(option: Option, value: Any) -> bool:
    """Whether a tuple is one value of an option that takes tuples: an arc."""
    is_names = isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    return is_names and isinstance(option.kind, Arcs) and len(value) == 2


def _taken(option: Option, value: Any) -> Any:
    try:
        return option.kind.take(value)
    except ValueError as error:
        text = repr(value)
        why = str(error)
        refuse_removed(f"{option.keyword}={text}", f"--{option.keyword} {value}")
        why = why if why.startswith(text) else f"{text}: {why}"
        raise UsageError(f"{option.keyword}={why}", option.keyword) from None


def documented(of: Callable) -> Callable:
    """The function with the signature and the docstring that list its options one by one.

    Made when the package gives the function out, so that the command line starts without them.
    """
    options = {**options_of(of), **MESSAGES}
    of.__signature__ = signature_of(options)  # type: ignore[attr-defined]
    of.__annotations__ = {name: option.type for name, option in options.items()}
    of.__doc__ = documentation(of.__doc__ or "", options)
    return of


def documented_methods(of: type) -> type:
    """The class with methods whose signatures list the options one by one that they pass to a function.

    The docstring of such a method names the function ("options of `bnsl.NAME`"). Names in the annotations of the
    method are looked up in the module of that function.
    """
    for method in filter(inspect.isfunction, vars(of).values()):
        named = re.search(r"options of `bnsl\.(\w+)`", method.__doc__ or "")
        if named is None or "options" not in method.__annotations__:
            continue
        module = importlib.import_module(f"bnsl.functions.{named[1]}")
        names = {**vars(module), **method.__globals__}
        hints = {name: eval(hint, names) for name, hint in method.__annotations__.items()}
        group = hints.pop("options")
        passed = (
            group_options(get_args(group)[0]) if get_origin(group) is Unpack else options_of(vars(module)[named[1]])
        )
        options = {name: option for name, option in passed.items() if name not in hints and not option.positional}
        *own, _ = inspect.signature(method).parameters.values()
        shown = signature_of(options).parameters.values()
        method.__signature__ = inspect.Signature([*own, *shown], return_annotation=hints["return"])  # type: ignore[attr-defined]
        method.__annotations__ = {**hints, **{name: option.type for name, option in options.items()}}
    return of


class _Shown(str):
    """A type in words, which a signature shows without quotes."""

    __repr__ = str.__str__


def signature_of(options: Mapping[str, Option]) -> inspect.Signature:
    """The signature: arguments by position or name, options by name."""
    kinds = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    named = []
    for name, option in options.items():
        default = inspect.Parameter.empty if option.is_required else option.default
        named.append(
            inspect.Parameter(name, kinds[option.positional], default=default, annotation=_Shown(type_text(option)))
        )
    return inspect.Signature(named)


def documentation(text: str, options: Mapping[str, Option]) -> str:
    """The docstring with a section Parameters, before its sections of results and examples."""
    lines = ["Parameters", "----------"]
    for name, option in options.items():
        help = in_python(option.help, options)
        lines += [f"{name} : {type_text(option)}", textwrap.indent(textwrap.fill(help, 100), "    ")]
    text = inspect.cleandoc(text)
    places = [place for mark in ("Returns\n---", "Examples\n---") if (place := text.find(mark)) >= 0]
    place = min(places, default=len(text))
    return f"{text[:place].rstrip()}\n\n{chr(10).join(lines)}\n\n{text[place:]}".rstrip() + "\n"


def type_text(option: Option) -> str:
    """The type of an option's value as a signature shows it."""
    if isinstance(option.kind, Input) and option.type is Any:
        return "Source" if option.is_required else "Source | None"
    text = re.sub(r"\b(?:collections\.abc|typing|bnsl\.[a-z.]+)\.", "", inspect.formatannotation(option.type))
    return re.sub(r"^Optional\[(.*)\]$", r"\1 | None", text)
