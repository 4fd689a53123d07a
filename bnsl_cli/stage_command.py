"""The command of a stage and its options: help by section, options packed into records, inputs kept whole."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import click

from .interrupts import Interrupted, read_patiently, remembered_signal
from .overwriting import check_outputs
from .parameter_types import InputPath

Decorator = Callable[[Callable], Callable]


class SectionOption(click.Option):
    """An option that belongs to a section of the help page."""

    def __init__(self, declarations: Sequence[str], section: str = "Run", **settings: Any):
        super().__init__(declarations, **settings)
        self.section = section


def option(*declarations: str, section: str = "Run", **settings: Any) -> Decorator:
    """`click.option` with a help section."""
    return click.option(*declarations, cls=SectionOption, section=section, **settings)


class StageCommand(click.Command):
    """A subcommand whose help page lists its options by section, and which never writes over its inputs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            hint = self._meant_by(error.option_name, ctx)
            raise click.UsageError(f"{error.message}{hint}", ctx) from None

    def _meant_by(self, unknown: str, ctx: click.Context) -> str:
        """What an unknown option may stand for: an argument of that name, or options spelt alike."""
        from difflib import get_close_matches

        word = unknown.lstrip("-")
        arguments = [p.make_metavar(ctx) for p in self.params if isinstance(p, click.Argument)]
        named = [metavar for metavar in arguments if metavar.strip("[].") == word.upper()]
        if named:
            return f" {named[0].strip('[].')} stands without one: {' '.join([ctx.command_path, *arguments])}"
        options = [p for p in self.params if isinstance(p, click.Option)]
        names = [name.lstrip("-") for option in options for name in (*option.opts, *option.secondary_opts)]
        close = get_close_matches(word, names, n=2)
        close += [name for name in names if word and name.startswith(f"{word}-") and name not in close]
        return f" Did you mean {' or '.join(f'--{name}' for name in close)}?" if close else ""

    def invoke(self, ctx: click.Context) -> Any:
        check_outputs(ctx)
        if not self._reads_standard_input(ctx):
            return super().invoke(ctx)
        with read_patiently():
            try:
                code = super().invoke(ctx)
            except Exception as error:
                number = remembered_signal()
                if number is None:
                    raise
                raise Interrupted(number, "the command before handed nothing over") from error
        number = remembered_signal()
        return code if code or number is None else 128 + number

    def _reads_standard_input(self, ctx: click.Context) -> bool:
        values = [(p, ctx.params.get(p.name or "")) for p in self.params if isinstance(p.type, InputPath)]
        named = any("-" in (value if isinstance(value, tuple) else (value,)) for _, value in values)
        return named or any(isinstance(p, click.Argument) and not value for p, value in values)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "General"), []).append(row)
        general = sections.pop("General", [])
        for title, rows in [*sections.items(), ("General", general)]:
            with formatter.section(title):
                formatter.write_dl(rows)


def stage_command(function: Callable) -> click.Command:
    """Make a callback a command; the command line's table gives it its name."""
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    return click.command(cls=StageCommand, context_settings=settings)(function)


def given_parameters(ctx: click.Context) -> list[click.Parameter]:
    """What the command line itself gives, in the order of the help page."""
    typed = click.core.ParameterSource.COMMANDLINE
    return [p for p in ctx.command.params if p.name and ctx.get_parameter_source(p.name) == typed]


def packed(
    parameter: str,
    record: type,
    *options: Decorator,
    check: Callable[[click.Context, Any], None] | None = None,
) -> Decorator:
    """Decorator that adds options and gives the callback one `record` of their values as `parameter`.

    The options' Python names must be the fields of `record`; `check` may refuse what they say together.
    """
    names = [field.name for field in fields(record)]

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def callback(*args: Any, **values: Any) -> Any:
            values[parameter] = record(**{name: values.pop(name) for name in names})
            if check is not None:
                check(click.get_current_context(), values[parameter])
            return function(*args, **values)

        for add in reversed(options):
            callback = add(callback)
        return callback

    return decorate
