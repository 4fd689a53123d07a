"""The command of a stage and its options: two help pages, inputs kept whole.

``--help`` is one screen: the docstring of the command and its common options. These are named once, where the command
is declared (`stage_command`); each appears with the first sentence of its help. ``--help-all`` has all options by
section, and the command's text in `pages/commands` (`main.StageGroup.full_help`).
"""

from __future__ import annotations

import contextlib
import functools
import signal
from collections.abc import Callable, Mapping
from typing import Any, cast

import click

from bnsl.options.option import options_of
from bnsl.running.errors import UsageError, refuse_removed
from bnsl.running.function import Run, call_body
from bnsl.running.reporter import LineReporter
from formats.printable import escaped

from .overwriting import check_outputs
from .section_options import WIDTH, SectionOption, debug_option, option
from .signatures import with_options

Row = tuple[str, str]

FIRST = ("Method", "Methods", "Published methods")
SHARED = ("Constraints", "Score", "Data", "Budget", "Run", "Output", "General")
"""Sections that come first, and those that many commands share, which come last, in the order of the help page."""


class StageCommand(click.Command):
    """A subcommand with two help pages that never overwrites its inputs."""

    common: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        self._refuse_two_methods(ctx, args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            refuse_removed(error.option_name, f"{ctx.info_name} {error.option_name}")
            hint = self._meant_by(error.option_name, ctx)
            raise click.UsageError(f"{error.message}{hint}", ctx) from None

    def _refuse_two_methods(self, ctx: click.Context, args: list[str]) -> None:
        """Of two methods click would take the last."""
        words = [word.partition("=")[0] for word in (args[: args.index("--")] if "--" in args else args)]
        named = {p.opts[0] for p in self.params if isinstance(p, click.Option) and p.name == "method"}
        given = sorted(named.intersection(words), key=words.index)
        if len(given) > 1:
            raise click.UsageError(f"{given[0]} and {given[1]}: give one method.", ctx)

    def _meant_by(self, unknown: str, ctx: click.Context) -> str:
        """A hint for an unknown option: the argument of that name, or options of similar spelling."""
        from difflib import get_close_matches

        word = unknown.lstrip("-")
        arguments = [p.make_metavar(ctx) for p in self.params if isinstance(p, click.Argument)]
        named = [metavar for metavar in arguments if metavar.strip("[].") == word.upper()]
        if named:
            return f" {named[0].strip('[].')} is an argument: {' '.join([ctx.command_path, *arguments])}"
        options = [p for p in self.params if isinstance(p, click.Option)]
        names = [name.lstrip("-") for option in options for name in (*option.opts, *option.secondary_opts)]
        close = get_close_matches(word, names, n=2)
        close += [name for name in names if word and name.startswith(f"{word}-") and name not in close]
        return f" Did you mean {' or '.join(f'--{name}' for name in close)}?" if close else ""

    def invoke(self, ctx: click.Context) -> Any:
        _require_text(ctx)
        check_outputs(ctx)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self.common:
            self.format_sections(ctx, formatter)
        else:
            options = {name: p for p in self.params if isinstance(p, SectionOption) for name in p.opts}
            with formatter.section("Common options"):
                formatter.write_dl([options[name].short_record(ctx) for name in self.common], col_max=24)
        formatter.write_paragraph()
        formatter.write_text(f"{ctx.command_path} --help-all: all options and details. bnsl help: pages.")

    def format_sections(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """All options, section by section; the methods first, shared sections last."""
        sections: dict[str, list[Row]] = {}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "General"), []).append(row)
        own = [title for title in sections if title not in (*FIRST, *SHARED)]
        for title in [title for title in (*FIRST, *own, *SHARED) if title in sections]:
            with formatter.section(title):
                formatter.write_dl(sections[title])


def _require_text(ctx: click.Context) -> None:
    """Refuse arguments that are not UTF-8, unless they are file names, which may have any bytes."""
    for parameter in ctx.command.params:
        value = None if isinstance(parameter.type, click.Path) else ctx.params.get(parameter.name or "")
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and escaped(text) != text:
                raise UsageError(f"{parameter.get_error_hint(ctx)}: {text!r} is no UTF-8 text.")


def _show_full_help(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(cast(Any, ctx.find_root().command).full_help(ctx.info_name))  # `main.StageGroup`
        ctx.exit()


_help_all_option = option(
    "--help-all",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_full_help,
    section="General",
    help="Show all options and details, and exit.",
)


class Call:
    """A call of a function of the library by a command line with parsed options.

    - `reporter`: receives messages and progress.
    - `values`: by field, the value of each option.
    """

    def __init__(self, function: Callable, values: Mapping[str, Any], run: Run):
        self.function = function
        self.values = values
        self.run = run
        self.reporter = run.reporter

    def __call__(self, **changes: Any) -> Any:
        """The result of the function; `changes` replace values."""
        return call_body(self.function, {**self.values, **changes}, self.run)


def stage_command(common: str = "", of: Callable | None = None) -> Callable[[Callable], StageCommand]:
    """Make a callback a command; the table of the command line gives the command its name.

    - `common`: the options that ``--help`` shows, in this order, as typed (``"--data --time"``); none means all.
    - `of`: the function of the library that the command calls. The options of the function come before options of the
      callback's own signature, and the callback gets a `Call` as its argument ``call``; without `of` it gets a
      ``reporter``.
    The command ends with the exit code that the callback returns, else with the exit code of the call.
    """
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": WIDTH}

    def decorate(callback: Callable) -> StageCommand:
        told = _message_options(_calling(callback, of))
        options = {**({} if of is None else options_of(of)), **options_of(callback)}
        command = click.command(cls=StageCommand, context_settings=settings)(
            _help_all_option(with_options(told, options.values()))
        )
        command.common = tuple(common.split())
        return command

    return decorate


def _calling(callback: Callable, of: Callable | None) -> Callable:
    """The callback with a call of a function for the values of its options."""
    if of is None:
        return callback

    @functools.wraps(callback)
    def with_call(reporter: LineReporter, **values: Any) -> Any:
        given = [parameter.name or "" for parameter in given_parameters(click.get_current_context())]
        own = {keyword: values.pop(keyword) for keyword in options_of(of)}
        if own.get("workers") is not None:
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # lost connections are errors, with a message
        with contextlib.ExitStack() as resources:
            call = Call(of, own, Run(of, reporter, given, resources))
            code = callback(call=call, **values)
            return call.run.exit_code if code is None else code

    return with_call


def _message_options(function: Callable) -> Callable:
    """``-q``, ``-v`` and ``--debug``; the callback gets an open `reporter`."""

    @functools.wraps(function)
    def callback(*args: Any, quiet: bool, verbose: int, **values: Any) -> Any:
        from bnsl.running.live_reporter import open_reporter

        context = click.get_current_context()
        writes_stdout = context.params.get("output") in (None, "-")
        with open_reporter(f"bnsl {context.info_name}", -1 if quiet else verbose, writes_stdout) as reporter:
            return function(*args, reporter=reporter, **values)

    verbose_option = option(
        "-v",
        "--verbose",
        count=True,
        section="General",
        help="Settings and progress on standard error; -vv adds timings.",
    )
    quiet_option = option("-q", "--quiet", is_flag=True, section="General", help="Errors only.")
    return quiet_option(verbose_option(debug_option(callback)))


def given_parameters(ctx: click.Context) -> list[click.Parameter]:
    """The parameters given on the command line, in the order of the help page."""
    typed = click.core.ParameterSource.COMMANDLINE
    return [p for p in ctx.command.params if p.name and ctx.get_parameter_source(p.name) == typed]
