"""The start: the table of commands, each loaded when used, and the only place that ends the process.

Exceptions become exit codes and one or two lines on stderr only here. This module and the command modules import only
click and tables, so help and completion answer at once.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import Any, NoReturn

import click

from bnsl.running.exit_codes import ExitCode
from bnsl.running.interrupts import install_handlers
from formats.printable import printable_lines
from formats.temporaries import remove_unfinished

from .running.section_options import WIDTH, debug_option

STAGES = {
    "entropy": "Compute entropies of variables and conditional entropies of pairs.",
    "screen": "Find variables that another variable nearly determines.",
    "parentsets": "Identify candidate parent sets with their local scores.",
    "optimize": "Choose the best network among candidate parent sets.",
    "posterior": "Compute probabilities of arcs, given candidate parent sets.",
    "evaluate": "Evaluate networks: scores, likelihood of test rows, distance, treewidth.",
}
HELPERS = {
    "average": "Average networks: compute arc strengths and a consensus network.",
    "sample": "Draw rows from a given network, or from a random one.",
    "fit": "Estimate the parameters of a network from data.",
    "query": "Query a network given evidence: distributions, most probable states, samples.",
    "explain": "Explain why a network has its arcs, and what drives a variable.",
    "effects": "Estimate the effects of setting variables, with credible intervals.",
    "convert": "Convert between this program's files and other formats.",
    "discretize": "Cut numeric columns into intervals.",
    "formats": "List the formats that are read and written.",
    "data": "List or write the tables and networks that come with bnsl.",
    "help": "Show a page of the manual, list the pages, or search them all.",
}
COMMANDS = STAGES | HELPERS
"""Each command's line in the overview."""


class StageGroup(click.Group):
    """The `bnsl` command: loads a subcommand's module when it is called, maps exceptions to exit codes."""

    active = "bnsl"
    debug = False
    words: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        self.words = tuple(args)
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(ExitCode.USAGE)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return importlib.import_module(f".commands.{cmd_name.replace('-', '_')}", __package__).command

    def full_help(self, name: str) -> str:
        """The ``--help-all`` page of a command."""
        from .pages import command_sections

        parent = click.Context(self, info_name="bnsl")
        command: Any = self.get_command(parent, name)  # `stage_command.StageCommand`
        ctx = click.Context(command, parent, name, **command.context_settings)
        formatter = ctx.make_formatter()
        command.format_usage(ctx, formatter)
        command.format_help_text(ctx, formatter)
        command.format_sections(ctx, formatter)
        for title, text in command_sections(name):
            with formatter.section(title):
                formatter.write_text(text)
        with formatter.section("Exit status"):
            formatter.write_text(
                "0 done, 1 failed, 2 usage, 65 bad input, 129 to 143 interrupted: 'bnsl help exit-codes'."
            )
        return formatter.getvalue().rstrip("\n")

    def resolve_command(self, ctx: click.Context, args: list[str]):
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            from bnsl.running.errors import refuse_removed

            refuse_removed(str(args[0]))
            close = difflib.get_close_matches(str(args[0]), COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise click.UsageError(f"no such command {args[0]!r}.{hint}", ctx) from error
        self.active = f"bnsl {name}"
        return name, command, rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, table in (("Stages, in the order of the pipeline", STAGES), ("Helpers", HELPERS)):
            with formatter.section(title):
                formatter.write_dl(list(table.items()))

    def invoke(self, ctx: click.Context) -> Any:
        # A closed pipe ends the process, except for commands with workers, which ignore its signal. Within `invoke`,
        # because `main` of click would turn it into exit code 1.
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            return ExitCode.CLOSED_PIPE
        return code

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a command line and exit with its code; every exception ends here."""
        self.active = "bnsl"
        self.debug = os.environ.get("BNSL_DEBUG", "0") not in ("", "0")
        extra = {"prog_name": "bnsl", **extra, "standalone_mode": False}
        try:
            code = super().main(*args, **extra)
        except Exception as error:
            code = self._report(error)
        sys.exit(int(code or 0))

    def _report(self, error: Exception) -> ExitCode:
        # Data already written must come before the message.
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        from bnsl.running.errors import UsageError

        if self.debug and not isinstance(error, (click.ClickException, UsageError)):
            import traceback

            traceback.print_exc()
        code, message = describe_failure(error, self.active)
        message += self._ready_line(error)
        self.say(f"error: {message}")
        return code

    def say(self, message: str, before: str = "") -> None:
        """Write a message that no reporter writes."""
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{before}{self.active}: {printable_lines(message)}\n")
            sys.stderr.flush()

    def leave(self, message: str) -> None:
        """Remove temporary files and write a message in place of the line of progress, for the process ends."""
        remove_unfinished()
        with contextlib.suppress(RuntimeError):  # the signal came while this very stream was written to
            self.say(message, "\r\x1b[K" if sys.stderr.isatty() else "")

    def _ready_line(self, error: Exception) -> str:
        """A line with the command that can read a refused table, if there is one."""
        mend = getattr(error, "mend", None)
        name = self.active.removeprefix("bnsl ")
        if not mend or name not in COMMANDS:
            return ""
        import shlex

        import bnsl
        from bnsl.options.option import options_of
        from bnsl.running.wording import mended, shell_words

        keywords = options_of(getattr(bnsl, name)) if name in bnsl.FUNCTIONS else {}
        options = mended(keywords, mend)
        words = ["bnsl", *self.words, *shell_words(keywords, options)]
        return f"\n  For example: {shlex.join(words)}" if options else ""


def describe_failure(error: Exception, active: str = "bnsl") -> tuple[ExitCode, str]:
    """Exit code and message for an exception that ended the command `active`."""
    from bnsl.running.errors import BugError, RemovedError, UsageError, described

    match error:
        case click.UsageError():
            path = error.ctx.command_path if error.ctx else "bnsl"
            return ExitCode.USAGE, f"{error.format_message()}\n  Try '{path} --help'."
        case click.ClickException():
            return ExitCode.FAILURE, error.format_message()
    found = described(error)
    match found:
        case UsageError() if not isinstance(found, RemovedError):
            return found.code, f"{found}\n  Try '{active} --help'."
        case BugError():
            return found.code, f"{found}\n  Please report it with the output of the same command under --debug."
    return found.code, str(found)


def show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version, which is looked up only here, and exit."""
    if wanted and not ctx.resilient_parsing:
        from formats.version import VERSION

        click.echo(f"bnsl {VERSION}")
        ctx.exit()


@click.group(cls=StageGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH})
@click.option(
    "-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=show_version,
    help="Show the version and exit.",
)  # fmt: skip
@debug_option
def cli() -> None:
    """Learn the structure of Bayesian networks from discrete data, as a pipeline of small stages.

    Every stage reads standard input or files and writes standard output, so stages join by pipes; messages go
    to standard error. 'bnsl COMMAND --help' is one screen with examples, --help-all has all options, 'bnsl help'
    lists the pages of the manual.

    \b
    Examples:
      bnsl parentsets --discretize median wdbc.csv | bnsl optimize --asobs --tw 5
      bnsl screen --roots 0.5 --discretize median wdbc.csv |
        bnsl parentsets --screen - --discretize median wdbc.csv |
        bnsl optimize --asobs
    """


def run() -> NoReturn:
    """What the `bnsl` script calls: handle signals, run the command line, end the process.

    The process ends without the interpreter's own shutdown: this would wait for worker threads in the middle of their
    tasks, and pyarrow's threads occasionally abort it (apache/arrow issue 34314).
    """
    install_handlers(cli.leave)
    code = 0
    try:
        cli.main(prog_name="bnsl")
    except SystemExit as end:
        code = int(end.code or 0)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
