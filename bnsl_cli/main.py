"""Entry point: the table of commands, loaded only when used, and the one place that ends the process.

Exceptions become exit codes and one or two lines on stderr here and nowhere else. This module and the command
modules import click only, so that help and completion answer at once.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import importlib.util
import os
import re
import resource
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import click

from . import __version__
from .running.exit_codes import ExitCode
from .running.interrupts import Interrupted, install_handlers, interruption_behind
from .running.stage_command import WIDTH, StageCommand, debug_option
from .tables.printable import printable_lines

STAGES = {
    "entropy": "Compute entropies of variables and conditional entropies of pairs.",
    "screen": "Find variables that another one nearly determines.",
    "parentsets": "Identify candidate parent sets with their local scores.",
    "optimize": "Choose the best network among candidate parent sets.",
    "posterior": "Compute probabilities of arcs, given candidate parent sets.",
    "evaluate": "Evaluate networks: scores, held-out likelihood, distance, treewidth.",
}
HELPERS = {
    "compare": "Compare methods over many runs: tables, ranks, tests.",
    "average": "Average networks: arc strengths and a consensus network.",
    "sample": "Draw rows from a network, given or random.",
    "fit": "Estimate the parameters of a network from data.",
    "query": "Query a network: distributions, probable states, samples, given evidence.",
    "merge": "Merge the parts of a run of parentsets and check them.",
    "plan": "Write a script that runs a command in parts or for many settings.",
    "convert": "Convert between this program's files and those of others.",
    "discretize": "Cut numeric columns into intervals.",
    "warm-up": "Compile kernels in advance, for images and clusters.",
    "formats": "List the formats that are read and written.",
    "help": "Explain a topic, or list the topics.",
}
COMMANDS = STAGES | HELPERS
"""Each command's line in the overview."""


NO_SPACE = "\n  Nothing half-written is left behind under the output's name; free some space and run again."

# Under a limit on address space (ulimit -v) libraries cannot be loaded, or threads not started, before any array is
# too large; these are other exceptions than MemoryError.
_SIGNS = re.compile("failed to map segment|cannot allocate memory", re.IGNORECASE)
_SIGNS_UNDER_A_LIMIT = re.compile(
    "start new thread|launch worker thread|load shared object|open shared object|LLVM", re.IGNORECASE
)


class ForeignPackageError(Exception):
    """A package of another project hides ours."""


def check_packages() -> None:
    """Check that `stages` and `formats`, common names, are the packages of this project.

    Raises `ForeignPackageError`: one of them is not in the folder of `bnsl_cli`.
    """
    home = Path(__file__).resolve().parent.parent
    for name in ("stages", "formats"):
        spec = importlib.util.find_spec(name)
        found = [Path(place).resolve() for place in (spec.submodule_search_locations or [])] if spec else []
        if home / name not in found:
            where = found[0] if found else (spec.origin if spec else "nowhere")
            raise ForeignPackageError(
                f"another package named {name!r} hides ours: found {where}, expected {home / name}\n"
                "  Install bnsl-cli into an environment of its own, or run from another folder."
            )


class StageGroup(click.Group):
    """The `bnsl` command: loads a subcommand's module when it is called, maps exceptions to exit codes."""

    active = "bnsl"
    debug = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(ExitCode.USAGE)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        check_packages()
        return importlib.import_module(f".commands.{cmd_name.replace('-', '_')}", __package__).command

    def full_help(self, name: str, width: int | None = None) -> str:
        """The ``--help-all`` page of a command, `width` columns wide; as wide as the terminal if None."""
        from .topics import command_sections

        parent = click.Context(self, info_name="bnsl")
        command = self.get_command(parent, name)
        assert isinstance(command, StageCommand)
        settings: dict[str, Any] = {**command.context_settings, "terminal_width": width}
        ctx = click.Context(command, parent, name, **settings)
        formatter = ctx.make_formatter()
        command.format_usage(ctx, formatter)
        command.format_help_text(ctx, formatter)
        command.format_sections(ctx, formatter)
        for title, text in command_sections(name):
            with formatter.section(title):
                formatter.write_text(text)
        return formatter.getvalue().rstrip("\n")

    def resolve_command(self, ctx: click.Context, args: list[str]):
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

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
        # Within `invoke`, because click's own `main` would turn a closed pipe into exit code 1.
        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_stdout()
            return ExitCode.CLOSED_PIPE
        return code

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run a command line and exit with its code; every exception ends here."""
        self.active = "bnsl"
        self.debug = os.environ.get("BNSL_DEBUG", "0") not in ("", "0")
        extra = {"prog_name": "bnsl", **extra, "standalone_mode": False}
        try:
            with self._plug_in_warnings():
                code = super().main(*args, **extra)
        except Exception as error:
            if stop := interruption_behind(error):
                raise stop from None
            code = self._report(error)
        sys.exit(int(code or 0))

    @contextlib.contextmanager
    def _plug_in_warnings(self) -> Iterator[None]:
        """Show that methods of a package are left out as the command's own warnings are; other warnings as usual."""
        usual: Any = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *rest: Any) -> None:
            if category.__name__ != "PlugInWarning":  # its module loads with the commands that have methods
                usual(message, category, *rest)
            elif sys.stderr is not None:
                with contextlib.suppress(OSError):
                    sys.stderr.write(f"{self.active}: warning: {printable_lines(str(message))}\n")

        warnings.showwarning = show  # type: ignore[assignment]
        try:
            yield
        finally:
            warnings.showwarning = usual

    def _report(self, error: Exception) -> ExitCode:
        # Data already written must not be overtaken by the message; if stdout is what failed, drop its rest.
        try:
            sys.stdout.flush()
        except OSError:
            _discard_stdout()
        if self.debug and not isinstance(error, click.ClickException):
            import traceback

            traceback.print_exc()
        code, message = describe_failure(error)
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{self.active}: error: {printable_lines(message)}\n")
            sys.stderr.flush()
        return code


def describe_failure(error: Exception) -> tuple[ExitCode, str]:
    """Exit code and message for an exception that ended a command."""
    if isinstance(error, ForeignPackageError):
        return ExitCode.BUG, str(error)
    if message := out_of_memory(error):
        return ExitCode.FAILURE, message
    from formats.errors import FormatError
    from stages.runtime.errors import StageError

    match error:
        case click.UsageError():
            path = error.ctx.command_path if error.ctx else "bnsl"
            return ExitCode.USAGE, f"{error.format_message()}\n  Try '{path} --help'."
        case click.ClickException():
            return ExitCode.FAILURE, error.format_message()
        case FormatError():
            return ExitCode.BAD_DATA, str(error)
        case StageError():
            return ExitCode.FAILURE, str(error)
        case OSError():
            # Whatever goes wrong with reading is a FormatError.
            place = f" {error.filename}" if error.filename else ""
            advice = NO_SPACE if error.errno == errno.ENOSPC else ""
            return ExitCode.FAILURE, f"cannot write{place}: {error.strerror or error}{advice}"
    return ExitCode.BUG, (
        f"this is a bug of bnsl {__version__}: {type(error).__name__}: {error}\n"
        "  Please report it with the output of the same command under --debug."
    )


def out_of_memory(error: BaseException) -> str | None:
    """The message if memory is exhausted; None if the exception and those it was raised from mean something else."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    has_limit = limit != resource.RLIM_INFINITY
    found: BaseException | None = error
    while found is not None and not _is_of_memory(found, has_limit):
        found = found.__cause__ or found.__context__
    if found is None:
        return None
    if not has_limit:
        return "out of memory"
    return (
        f"out of memory: the limit on address space is {limit >> 20:,} MiB (ulimit -v)\n"
        "  Raise it: with its libraries bnsl takes about 900 MiB of addresses before any data."
    )


def _is_of_memory(error: BaseException, has_limit: bool) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    text = str(error)
    return bool(_SIGNS.search(text) or (has_limit and _SIGNS_UNDER_A_LIMIT.search(text)))


def _discard_stdout() -> None:
    """Point standard output at /dev/null, so that flushing it at exit cannot fail again."""
    with contextlib.suppress(OSError, ValueError):
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)


@click.group(cls=StageGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH})
@click.version_option(__version__, "-V", "--version", prog_name="bnsl", message="%(prog)s %(version)s")
@debug_option
def cli() -> None:
    """Learn the structure of Bayesian networks from discrete data, as a pipeline of small stages.

    Every stage reads standard input or files and writes standard output, so stages join by pipes; messages go
    to standard error. 'bnsl COMMAND --help' is one screen with examples, --help-all has all options, 'bnsl help'
    lists topics.

    \b
    Examples:
      bnsl parentsets --discretize median wdbc.csv | bnsl optimize --asobs --tw 5
      bnsl screen --roots 0.5 --discretize median wdbc.csv |
        bnsl parentsets --screen - --discretize median wdbc.csv |
        bnsl optimize --asobs
    """


def run() -> NoReturn:
    """Entry point of the `bnsl` script: handle signals, run the command line, end the process.

    The process ends without the interpreter's own shutdown: that would wait for worker threads in the middle of
    their tasks, and pyarrow's threads now and then abort it (apache/arrow issue 34314). Nor are the frames of an
    interrupted command freed: a kernel that was just being loaded would be freed twice.
    """
    install_handlers()
    try:
        cli.main(prog_name="bnsl")
    except Interrupted as stop:
        sys.stderr.write(f"{cli.active}: {stop}\n")
        _end(128 + stop.signal_number)
    except SystemExit as end:
        _end(int(end.code or 0))


def _end(code: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
