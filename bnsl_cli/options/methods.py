"""The options of methods: ``--method``, a flag for every method, the methods' own options, and their refusal.

All are derived from the tables and options records of the stages, see `stages.methods`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any

import click

from stages.methods import OwnOption, own_options

from ..running.option_records import collected
from ..running.stage_command import Decorator, given_parameters, option
from .parameter_types import Count, Finite


def section_of(name: str, spec: Any, main: Collection[str]) -> str:
    """The section of the help page that lists a method."""
    if name in main:
        return "Methods"
    return "Published methods" if spec.source else "Methods of other packages"


def method_options(
    specs: Mapping[str, Any], text: str, lead: str = "Search method", main: Collection[str] | None = None
) -> Decorator:
    """``--method NAME`` and for every name the flag ``--NAME``.

    - `specs`: by name the description of a method: `about`, `source` and, if the stage has families, `family`.
    - `text`, `lead`: sentence about the default, and the noun for a method, in the help of ``--method``.
    - `main`: methods of the main road; None for all.
    """
    names = list(specs)

    def decorate(function: Callable) -> Callable:
        for name in reversed(names):
            spec = specs[name]
            family = getattr(spec, "family", None)
            add = option(
                f"--{name}",
                "method",
                flag_value=name,
                section=section_of(name, spec, names if main is None else main),
                help=f"{family}: {spec.about}" if family else spec.about,
            )
            function = add(function)
        text_of_all = f"{lead}: {', '.join(names)}. --NAME is the same as --method NAME. {text}"
        choices = click.Choice(names)
        return option("--method", type=choices, metavar="NAME", section="Method", help=text_of_all)(function)

    return decorate


def own_method_options(record: type, takers: Callable[[str], str], section: Callable[[str], str]) -> Decorator:
    """The own options of all methods, passed to the callback as one dictionary, its argument ``own``.

    They are fields of `record`; `takers` and `section` give the methods that take an option, for its help, and its
    section of the help page.
    """
    defaults = {field.name: field.default for field in fields(record)}
    declared = {
        name: {
            **_settings(about, defaults[name]),
            "section": about.section or section(name),
            "help": with_takers(about.help, takers(name)),
        }
        for name, about in own_options(record).items()
    }
    return collected("own", dict, declared)


def _settings(about: OwnOption, default: Any) -> dict[str, Any]:
    """Type and default of an option."""
    if isinstance(default, bool):
        return {"is_flag": True, "default": default}
    kind: click.ParamType
    if about.choices:
        kind = click.Choice(about.choices)
    elif isinstance(about.least, int):
        kind = Count(about.least, about.most)
    else:
        kind = Finite(about.least, about.most, about.is_open, about.is_open)
    return {"type": kind, "metavar": about.metavar, "default": default}


def with_takers(text: str, takers: str) -> str:
    """A sentence of help with the methods that it applies to in brackets."""
    return f"{text.removesuffix('.')} ({takers})." if takers else text


def refuse_unused(
    ctx: click.Context, governed: Collection[str], taken: Collection[str], who: str, takers: Callable[[str], str]
) -> None:
    """Refuse options of other methods than `who`, which will run.

    Of the options `governed` by methods only those in `taken` may be given; `takers` lists the methods that take an
    option.
    """
    for parameter in given_parameters(ctx):
        name = parameter.name or ""
        if name in governed and name not in taken:
            who_else = takers(name)
            verb = "take" if "," in who_else else "takes"
            raise click.UsageError(f"{spelled(parameter, ctx)} does not go with method {who}; {who_else} {verb} it.")


def refuse_incomplete(ctx: click.Context, record: type) -> None:
    """Refuse options that need another one, which is not given."""
    needs = {name: about.needs for name, about in own_options(record).items()}
    for parameter in given_parameters(ctx):
        needed = needs.get(parameter.name or "")
        if needed and ctx.params[needed] is None:
            other = next(p for p in ctx.command.params if p.name == needed)
            raise click.UsageError(f"{spelled(parameter, ctx)} goes with {spelled(other, ctx)} only.")


def spelled(parameter: click.Parameter, ctx: click.Context) -> str:
    """An option or argument as the user writes it."""
    return parameter.make_metavar(ctx) if isinstance(parameter, click.Argument) else parameter.opts[0]
