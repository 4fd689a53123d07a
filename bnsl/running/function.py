"""Functions of the library: their parameters, and calls with keywords.

`function` makes a `Function` of a callable whose arguments are declared by `options`. The command line and Python
call `Function.run` with values by field name and a `Run`, the caller's side of a call. The command line passes values
parsed by click; keywords from Python (`Function.__call__`) are checked here.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

from ..options.assigned import assignments, is_mapping
from ..options.declared import Declared, Option, declared_of
from ..options.values import COLUMNS, FLAG, TEXT, Whole
from .calls import calling
from .errors import UsageError, refuse_removed
from .interrupts import graceful_stop
from .reporter import Reporter
from .wording import in_python, mended, python_line

MESSAGES = (
    Option("quiet", "Errors only.", FLAG, default=False),
    Option("verbose", "1 for settings and progress, 2 for timings as well.", Whole(0), default=0),
)
"""Keywords of every function in Python; the command line has its own."""


class Run:
    """The caller's side of a call: the receiver of messages, the given options, and the resources of the call.

    - `reporter`: receives messages and progress.
    - `given`: fields of the options that the caller wrote.
    - `resources`: closed once the result is written or returned.
    - `is_called`: whether a Python program calls; then standard input belongs to that program.
    """

    def __init__(
        self,
        of: Function,
        reporter: Reporter,
        given: Collection[str],
        resources: contextlib.ExitStack,
        is_called: bool = False,
    ):
        self.of = of
        self.reporter = reporter
        self.given = frozenset(given)
        self.resources = resources
        self.is_called = is_called
        self.stop: Any = None

    def of_part(self, of: Function, given: Collection[str] = ()) -> Run:
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
        """The options that the caller wrote, in the order of the help page."""
        return [option for option in self.of.options if option.field in self.given]

    def refuse(self, names: Collection[str], why: str) -> None:
        """Refuse the options of these fields: raise a usage error with the first given one and the words `why`."""
        for option in self.given_options():
            if option.field in names:
                raise UsageError(f"{option.spellings[-1]} {why}")


class Function:
    """A function of the library with declared parameters; called by keywords it returns an object of `results`."""

    __name__: str
    __qualname__: str

    def __init__(self, body: Callable[..., Any], finish: Callable[[Any], Any] | None):
        self.__name__, self.__module__, self.__qualname__ = body.__name__, body.__module__, body.__qualname__
        self.body = body
        self.finish = finish or (lambda found: found)
        defaults = {name: p.default for name, p in inspect.signature(body).parameters.items() if name != "run"}
        self.declared: dict[str, Declared] = dict(declared_of(defaults))
        self.options = tuple(option for declared in self.declared.values() for option in declared.options)
        self.keywords = keywords_of(self.options)

    # Signature and docstring are made on request, so the command line starts without them.

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        return signature_of(self.keywords | keywords_of(MESSAGES))

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return documentation(self.body.__doc__ or "", self.keywords | keywords_of(MESSAGES))

    @functools.cached_property
    def _defaults(self) -> dict[str, Any]:
        """The value of every option that is not given, by field name."""
        taken_texts = {
            option.field: option.kind.take(option.default)
            for option in self.options
            if isinstance(option.default, str)
        }
        return {option.field: option.default for option in self.keywords.values()} | taken_texts

    @functools.cached_property
    def _positional(self) -> list[str]:
        return [name for name, option in self.keywords.items() if option.positional]

    @functools.cached_property
    def _required(self) -> set[str]:
        return {name for name, option in self.keywords.items() if option.is_required}

    @functools.cached_property
    def _inputs(self) -> dict[str, Option]:
        """The options, by keyword, that are read from standard input by a command and must be given in Python."""
        return {name: option for name, option in self.keywords.items() if option.is_standard_input}

    def option(self, field: str) -> Option:
        """The option of a field."""
        (found,) = (option for option in self.options if option.field == field)
        return found

    def run(self, values: Mapping[str, Any], run: Run) -> Any:
        """Call with the value of every option by field name; returns the result in the form that the command line
        writes.
        """
        arguments = {}
        for name, declared in self.declared.items():
            made = declared.make({option.field: values[option.field] for option in declared.options})
            if declared.check is not None:
                declared.check(run, made)
            arguments[name] = made
        return self.body(**arguments, run=run)

    def __call__(self, *inputs: Any, quiet: bool = False, verbose: int = 0, **keywords: Any) -> Any:
        def line(mending: Mapping[str, Any]) -> str:
            return python_line(self.__name__, names, {**keywords, **mending})

        names = self._positional[: len(inputs)]
        return self.call_as(self.keywords, line, inputs, keywords, -1 if quiet else verbose)

    def call_as(
        self,
        spoken: Mapping[str, Option],
        line: Callable[[Mapping[str, Any]], str],
        inputs: Collection[Any],
        keywords: Mapping[str, Any],
        verbosity: int,
    ) -> Any:
        """Call with these keywords; messages name options by the keywords `spoken`.

        `line`: the call, with further keywords that mend it, as a line that the caller could write.
        """

        def ready(mend: Mapping[str, Any]) -> str:
            options = mended(self.keywords, mend)
            if "drop" in options and keywords.get("drop"):
                options["drop"] = [*taken(self.keywords["drop"], "drop", keywords["drop"]), *options["drop"]]
            return f"\n  For example: {line(options)}" if options else ""

        with calling(self.__name__, spoken, verbosity, ready) as (reporter, resources):
            values, given = self.values(inputs, keywords)
            run = Run(self, reporter, given, resources, is_called=True)
            return self.finish(self.run(values, run))

    def values(self, inputs: Collection[Any], keywords: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
        """The value of every option by field name, and the fields that are given.

        A keyword that is None, the default, or an empty list or dict where that is the default counts as not given.

        Raises `UsageError`: an unknown or missing keyword,
        or an impossible value.
        """
        bound = {**dict(zip(self._positional, inputs)), **keywords}
        # The signature says what does not fit, but binding takes longer than a small question.
        is_fit = len(bound) == len(inputs) + len(keywords) and bound.keys() <= self.keywords.keys()
        if not (is_fit and self._required <= bound.keys()):
            try:
                self.__signature__.bind(*inputs, **keywords)
            except TypeError as error:
                self._refuse(error, keywords)
        values, given = self._defaults.copy(), set()
        for name, value in bound.items():
            option, default = self.keywords[name], self.keywords[name].default
            if value is not None and not (type(value) is type(default) and value == default):
                values[option.field] = taken(option, name, value)
                if not (option.is_several and not default and values[option.field] == ()):
                    given.add(option.field)
        for name, option in self._inputs.items():
            if values[option.field] is None:
                raise UsageError(f"no input: give {name} (a path, a table or a result).", parameter=name)
        return values, given

    def _refuse(self, error: TypeError, keywords: Mapping[str, Any]) -> NoReturn:
        """Raise the usage error of arguments that do not fit the signature."""
        from difflib import get_close_matches

        for name in keywords:
            if name not in self.keywords:
                spelled = f"--{name.replace('_', '-')}"
                refuse_removed(name, f"{self.__name__} {spelled}", spelled)
                said = in_python(spelled, self.keywords)
                close = [said] if said not in (spelled, name) else get_close_matches(name, self.keywords, n=1)
                hint = f" Did you mean {close[0]}?" if close else ""
                if not close and "evidence" in self.keywords:
                    hint = f' Evidence is a dict: network.query({{"{name}": {keywords[name]!r}}}).'.replace("'", '"')
                raise UsageError(f"{self.__name__}() has no option {name!r}.{hint}") from None
        raise UsageError(f"{self.__name__}(): {error}") from None

    def __repr__(self) -> str:
        return f"<function bnsl.{self.__name__}{self.__signature__}>"


def function(body: Callable[..., Any] | None = None, *, finish: Callable[[Any], Any] | None = None) -> Any:
    """Make a function of the library from a callable.

    Its arguments are declared by `options`, except for ``run``, which is a `Run`. `finish` makes the object that
    callers in Python get from the result.
    """
    return Function(body, finish) if body else functools.partial(function, finish=finish)


def taken(option: Option, name: str, value: Any) -> Any:
    """The checked value of a keyword."""
    if option.is_count:
        return int(value)
    if option.nargs > 1:
        if not isinstance(value, (list, tuple)) or len(value) != option.nargs:
            raise UsageError(f"{name}={value!r}: a tuple of {option.nargs}", parameter=name)
        return tuple(_taken(option, name, each) for each in value)
    if not option.is_several:
        return _taken(option, name, value)
    if option.kind is TEXT and is_mapping(value):
        value = assignments(value)
    elif isinstance(value, str) or not isinstance(value, (list, tuple, set, frozenset)) or _is_one(option, value):
        value = [value]
    elif option.kind is COLUMNS:
        value = [[each] for each in value]  # a comma in an item of a list is part of a name
    several = tuple(_taken(option, name, each) for each in value)
    return tuple(part for each in several for part in each) if option.is_joined else several


def _is_one(option: Option, value: Any) -> bool:
    """Whether a tuple is one value of an option that takes tuples: an arc, names that belong together."""
    is_names = isinstance(value, tuple) and all(isinstance(part, str) for part in value)
    return is_names and "tuple[str, str]" in option.kind.annotation and len(value) == 2


def _taken(option: Option, name: str, value: Any) -> Any:
    try:
        return option.kind.take(value)
    except ValueError as error:
        text = repr(value)
        why = str(error)
        refuse_removed(f"{name}={text}", f"--{name} {value}")
        raise UsageError(why if text in why else f"{name}={text}: {why}", parameter=name) from None


def keywords_of(options: Collection[Option]) -> dict[str, Option]:
    """Options by their keywords, arguments first.

    The keyword is the longest spelling, or the field's name if an argument has that spelling.
    """
    found: dict[str, Option] = {}
    for option in sorted(options, key=lambda option: not option.positional):
        spelled = option.field
        if not option.positional:
            spelled = max(option.spellings, key=len).partition("/")[0].lstrip("-").replace("-", "_")
        found[option.field if spelled in found else spelled] = option
    return found


def signature_of(keywords: Mapping[str, Option]) -> inspect.Signature:
    """The signature: arguments by position or name, options by name."""
    kinds = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    named = []
    for name, option in keywords.items():
        default = inspect.Parameter.empty if option.is_required else option.default
        named.append(inspect.Parameter(name, kinds[option.positional], default=default, annotation=option.annotation))
    return inspect.Signature(named)


def documentation(text: str, keywords: Mapping[str, Option]) -> str:
    """The docstring with a section Parameters, before its sections of results and examples."""
    lines = ["Parameters", "----------"]
    for name, option in keywords.items():
        help = option.help or option.spellings[0]
        lines += [f"{name} : {option.annotation}", textwrap.indent(textwrap.fill(help, 100), "    ")]
    text = inspect.cleandoc(text)
    places = [place for mark in ("Returns\n---", "Examples\n---") if (place := text.find(mark)) >= 0]
    place = min(places, default=len(text))
    return f"{text[:place].rstrip()}\n\n{chr(10).join(lines)}\n\n{text[place:]}".rstrip() + "\n"
