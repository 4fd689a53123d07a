"""Options that several commands share: the same name means the same thing everywhere.

Each decorator adds options and hands them to the callback packed into one record.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import click

from .parameter_types import (
    DURATION,
    INPUT_PATH,
    OUTPUT_FILE,
    OUTPUT_PATH,
    SEED,
    Count,
    Size,
)
from .stage_command import Decorator, option, packed

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget

    from .reporter import Reporter


# ---------------------------------------------------------------------------------------- input, output


def check_sources(*sources: str | None) -> None:
    """Refuse a command line that reads standard input twice, or reads it from a terminal by accident.

    Raises
    ------
    click.UsageError
    """
    if sum(source == "-" for source in sources) > 1:
        raise click.UsageError("standard input ('-') can be read only once; give a path for the others.")


def require_input(source: str | None, metavar: str) -> str:
    """The given source, or standard input unless that is a terminal where nobody waits.

    Raises
    ------
    click.UsageError
    """
    if source is None and sys.stdin.isatty():
        raise click.UsageError(f"no input: give {metavar} (a path, or '-') or pipe it in.")
    return "-" if source is None else source


def input_argument(name: str, metavar: str) -> Decorator:
    """A positional input that defaults to standard input."""

    def callback(ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
        return value if ctx.resilient_parsing else require_input(value, metavar)

    return click.argument(name, metavar=f"[{metavar}]", required=False, type=INPUT_PATH, callback=callback)


output_option = option(
    "-o",
    "--output",
    type=OUTPUT_PATH,
    default="-",
    section="Output",
    help="Write to this file, which appears only when complete, instead of standard output.",
)

json_option = option(
    "--json", "as_json", is_flag=True, section="Output", help="JSON lines, also on a terminal."
)

stats_option = option(
    "--stats",
    type=OUTPUT_FILE,
    metavar="FILE",
    section="Output",
    help="Write figures of the run, times among them, to this file (JSON).",
)


def format_option(formats: tuple[str, ...], text: str) -> Decorator:
    """``--format`` with the command's own choices."""
    return option("--format", "format_name", type=click.Choice(formats), section="Output", help=text)


def shows_table(output: str, format_name: str | None = None, as_json: bool = False) -> bool:
    """Whether the result goes to a reader's eyes: a terminal, or ``--format table``."""
    if as_json or format_name is not None:
        return format_name == "table" and not as_json
    return output == "-" and sys.stdout.isatty()


# -------------------------------------------------------------------------------------------- the run


def table_memory_option(section: str, more: str = "") -> Decorator:
    """``--memory`` of exact inference; `more` is said beside."""
    return option(
        "--memory",
        type=Size(),
        metavar="SIZE",
        section=section,
        help=f"Memory that the tables of a junction tree may take, such as 4G; what is free if not given.{more}",
    )


jobs_option = option(
    "-j",
    "--jobs",
    type=Count(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Parallel workers; 0 means all cores. The result does not depend on it.",
)


def seed_option(help: str, section: str = "Run", **settings: Any) -> Decorator:
    """``--seed`` with the command's own words."""
    return option("--seed", type=SEED, metavar="N", section=section, help=help, **settings)


drawn_seed_option = seed_option("Seed of the random choices; drawn and recorded if not given.")


def resolve_seed(seed: int | None, reporter: Reporter) -> int:
    """The given seed, or one from the operating system, told with ``-v``."""
    from stages.runtime.seeding import draw_seed

    if seed is None:
        seed = draw_seed()
        reporter.detail(f"seed {seed}")
    return seed


@dataclass(frozen=True)
class BudgetOptions:
    """Limits of an anytime stage."""

    time: float | None
    evaluations: int | None

    def budget(self, stop: Any) -> Budget:
        """A running budget that also ends when `stop` is set."""
        from stages.runtime.budgets import Budget

        return Budget(self.time, self.evaluations, stop)


def budget_options(time: str, evaluations: str) -> Decorator:
    """``--time`` and ``--evaluations`` with the command's own help texts."""
    return packed(
        "limits",
        BudgetOptions,
        option("--time", type=DURATION, metavar="TIME", section="Budget", help=time),
        option(
            "--evaluations",
            type=Count(min=1),
            metavar="N",
            section="Budget",
            help=f"{evaluations} Unlike --time, repeats exactly with the same seed.",
        ),
    )


def max_parents_option(section: str) -> Decorator:
    """``--max-parents``."""
    return option(
        "--max-parents",
        type=Count(min=0),
        metavar="K",
        section=section,
        help="Largest number of parents; no limit if not given.",
    )


# ------------------------------------------------------------------------------------------- messages


def _set_debug(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        cast(Any, ctx.find_root().command).debug = True  # `main.StageGroup`


debug_option = option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_set_debug,
    section="General",
    help="Show a traceback with errors (also BNSL_DEBUG=1).",
)


def message_options(function: Callable) -> Callable:
    """``-q``, ``-v`` and ``--debug``; the callback gets an open `reporter`."""

    @functools.wraps(function)
    def callback(*args: Any, quiet: bool, verbose: int, **values: Any) -> Any:
        from .reporter import open_reporter

        name = click.get_current_context().info_name
        writes_stdout = values.get("output", "-") == "-"
        with open_reporter(f"bnsl {name}", -1 if quiet else verbose, writes_stdout) as reporter:
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
