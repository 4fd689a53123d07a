"""The options of methods: ``--method``, a flag for every method, the methods' own options, and their refusal.

All are derived from the tables and options records of the stages, see `stages.methods`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from stages.methods import OwnOption, own_options

from ..running.errors import UsageError
from .option import Option
from .values import FLAG, TEXT, Choice, MethodFlag, MethodName, Number, Whole

if TYPE_CHECKING:
    from ..running.function import Run


def method_option(
    specs: Mapping[str, Any], text: str, lead: str = "Search method", main: Collection[str] | None = None
) -> Option:
    """``--method NAME`` and for every name the flag ``--NAME``.

    - `specs`: by name the description of a method: `about` and, if the stage has families, `family`.
    - `text`, `lead`: for the help of ``--method``, a sentence about the default, and the noun for a method.
    - `main`: methods of the main road; None for all.
    """
    names = list(specs)
    flags = tuple(
        MethodFlag(
            name,
            "Methods" if main is None or name in main else "Published methods",
            f"{family}: {spec.about}" if (family := getattr(spec, "family", None)) else spec.about,
        )
        for name, spec in specs.items()
    )
    text_of_all = f"{lead}: {', '.join(names)}. In a shell, --NAME is short for --method NAME. {text}"
    return Option(text_of_all, MethodName(tuple(names), flags), "NAME", section="Method")


def own_option(of: type, name: str, takers: Callable[[str], str], section: Callable[[str], str]) -> Option:
    """An option of some methods, as the stage declares it: a field of the record `of` (`stages.methods.own`).

    `takers` and `section` give, for an option, the methods that take it and its section of the help page.
    """
    about = own_options(of)[name]
    return Option(
        with_takers(about.help, takers(name)),
        _kind_of(about),
        about.metavar,
        default=about.default,
        section=about.section or section(name),
    )


def _kind_of(about: OwnOption) -> Any:
    """The type of an option's values."""
    if isinstance(about.default, bool):
        return FLAG
    if about.choices:
        return Choice(about.choices)
    if about.default is None and about.least is None and about.most is None:
        return TEXT
    if isinstance(about.least, int):
        return Whole(about.least, None if about.most is None else int(about.most))
    return Number(about.least, about.most, about.is_open)


def with_takers(text: str, takers: str) -> str:
    """A help text, followed by the methods that take its option."""
    return f"{text} Methods: {takers}." if takers else text


def refuse_unused(
    run: Run, governed: Collection[str], taken: Collection[str], who: str, takers: Callable[[str], str]
) -> None:
    """Refuse options that `who`, the method to run, does not take.

    Only options in `taken` may be given among the options `governed` by methods; `takers` lists the methods that take
    an option.
    """
    for option in run.given_options():
        if option.keyword in governed and option.keyword not in taken:
            who_else = takers(option.keyword)
            verb = "take" if "," in who_else else "takes"
            raise UsageError(f"{option.called} does not apply to method {who}; {who_else} {verb} it.")


def refuse_incomplete(run: Run, of: type, methods: Mapping[str, Any], method: str | None) -> None:
    """Refuse options that need another one which is not given, and a `method` without an option that it requires."""
    own = own_options(of)
    for name in methods[method].options if method else ():
        if name in own and own[name].is_required and name not in run.given:
            option = run.options[name]
            raise UsageError(f"method {method} needs {option.called} {option.metavar}.")
    for option in run.given_options():
        needed = own[option.keyword].needs if option.keyword in own else None
        if needed and needed not in run.given:
            raise UsageError(f"{option.called} needs {run.options[needed].called}.")
