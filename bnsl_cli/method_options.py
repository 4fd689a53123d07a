"""The options that method tables bring along: ``--method``, a flag for every method, the methods' own options.

Everything here is made from the tables and options records of the stages, see `stages.methods`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any

import click

from stages.methods import OwnOption, own_options

from .parameter_types import Count, Finite
from .stage_command import Decorator, given_parameters, option


def method_options(helps: Mapping[str, str], text: str) -> Decorator:
    """``--method NAME`` and for every name the flag ``--NAME``, from the help of each name."""
    choices = click.Choice(list(helps))

    def decorate(function: Callable) -> Callable:
        for name in reversed(choices.choices):
            add = option(f"--{name}", "method", flag_value=name, section="Method", help=helps[name])
            function = add(function)
        return option("--method", type=choices, section="Method", help=text)(function)

    return decorate


def own_method_options(
    parameter: str, record: type, takers: Callable[[str], str], section: Callable[[str], str]
) -> Decorator:
    """The own options of all methods, given to the callback as one dictionary.

    Parameters
    ----------
    parameter : str
        Name of the callback's parameter.
    record : type
        The options record of the stage.
    takers : callable
        Says for an option which methods take it; added to its help.
    section : callable
        Section of the help page for an option.
    """
    described = own_options(record)
    defaults = {field.name: field.default for field in fields(record)}

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def callback(*args: Any, **values: Any) -> Any:
            values[parameter] = {name: values.pop(name) for name in described}
            return function(*args, **values)

        decorated: Callable = callback
        for name, about in reversed(described.items()):
            text = with_takers(about.help, takers(name))
            add = _own_option(name, about, defaults[name], text, about.section or section(name))
            decorated = add(decorated)
        return decorated

    return decorate


def with_takers(text: str, takers: str) -> str:
    """A sentence of help, and in brackets which methods it is about."""
    return f"{text.removesuffix('.')} ({takers})." if takers else text


def _own_option(name: str, about: OwnOption, default: Any, text: str, section: str) -> Decorator:
    settings: dict[str, Any] = {"section": section, "help": text, "default": default}
    if about.choices:
        settings |= {"type": click.Choice(about.choices), "show_default": True}
    elif isinstance(default, bool):
        settings |= {"is_flag": True}
    elif isinstance(about.least, int):
        settings |= {"type": Count(about.least, about.most), "metavar": about.metavar}
        settings |= {"show_default": default is not None}
    else:
        settings |= {"type": Finite(about.least, about.most), "metavar": about.metavar}
        settings |= {"show_default": default is not None}
    return option(f"--{name.replace('_', '-')}", **settings)


# ----------------------------------------------------------------------------------------- refusals


def refuse_unused(
    ctx: click.Context,
    governed: Collection[str],
    taken: Collection[str],
    who: str,
    takers: Callable[[str], str],
) -> None:
    """Refuse options that belong to methods, but not to the one that will run.

    Parameters
    ----------
    ctx : click.Context
    governed : collection of str
        Options that belong to some methods only.
    taken : collection of str
        Those that may be given here.
    who : str
        The method that will run.
    takers : callable
        The methods that take an option, for the message.

    Raises
    ------
    click.UsageError
    """
    for parameter in given_parameters(ctx):
        name = parameter.name or ""
        if name in governed and name not in taken:
            who_else = takers(name)
            verb = "take" if "," in who_else else "takes"
            raise click.UsageError(
                f"{spelled(parameter, ctx)} does not go with method {who}; {who_else} {verb} it."
            )


def refuse_incomplete(ctx: click.Context, record: type) -> None:
    """Refuse options that mean nothing without another one, which is not given.

    Raises
    ------
    click.UsageError
    """
    needs = {name: about.needs for name, about in own_options(record).items()}
    for parameter in given_parameters(ctx):
        needed = needs.get(parameter.name or "")
        if needed and ctx.params[needed] is None:
            other = next(p for p in ctx.command.params if p.name == needed)
            raise click.UsageError(f"{spelled(parameter, ctx)} goes with {spelled(other, ctx)} only.")


def spelled(parameter: click.Parameter, ctx: click.Context) -> str:
    """An option or argument as the user writes it."""
    return parameter.make_metavar(ctx) if isinstance(parameter, click.Argument) else parameter.opts[0]
