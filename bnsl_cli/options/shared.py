"""Options that several commands share: the same name means the same everywhere."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..running.option_records import option_field, packed, single
from ..running.reporter import Reporter
from ..running.stage_command import Decorator, debug_option, is_called, option
from .parameter_types import DURATION, INPUT_PATH, OUTPUT_FILE, OUTPUT_PATH, SEED, Count, Parsed
from .workers import WorkerPlace, parse_place

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget


def check_sources(*sources: str | None) -> None:
    """Refuse a command line that reads standard input twice."""
    if sum(source == "-" for source in sources) > 1:
        raise click.UsageError("standard input ('-') can be read only once; give a path for the others.")


def require_input(source: str | None, metavar: str) -> str:
    """The given source, or standard input; refuses to read a terminal, or that of a program that calls a command."""
    if source is None and (is_called() or sys.stdin.isatty()):
        raise click.UsageError(f"no input: give {metavar} (a path, or '-') or pipe it in.")
    return "-" if source is None else source


def input_argument(name: str, metavar: str) -> Decorator:
    """A positional input that defaults to standard input."""

    def callback(ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
        return value if ctx.resilient_parsing else require_input(value, metavar)

    return click.argument(name, metavar=f"[{metavar}]", required=False, type=INPUT_PATH, callback=callback)


@dataclass(frozen=True)
class OutputOptions:
    """Destination and format of a result, and of the figures of the run."""

    output: str = option_field(
        "Write to this file instead of standard output. It appears only when complete.",
        OUTPUT_PATH,
        names=("-o", "--output"),
        default="-",
        show_default=False,
    )
    format_name: str | None = option_field(names=("--format",))
    as_json: bool = option_field("JSON lines, also on a terminal.", names=("--json",), is_flag=True, absent=False)
    stats: str | None = option_field(
        "Write figures of the run, times among them, to this file (JSON).", OUTPUT_FILE, absent=None
    )

    def __post_init__(self) -> None:
        if self.as_json and self.format_name not in (None, "jsonl"):
            raise click.UsageError(f"--json and --format {self.format_name} are two formats: give one.")

    @property
    def is_table(self) -> bool:
        """Whether the result is written as a table to read: on a terminal, or by ``--format table``."""
        if self.as_json or self.format_name is not None:
            return self.format_name == "table"
        return self.output == "-" and sys.stdout.isatty()


def output_options(formats: tuple[str, ...], text: str, without: Collection[str] = ("as_json", "stats")) -> Decorator:
    """``--output``, ``--format`` with the command's own choices, ``--json`` and ``--stats``."""
    changes = {"format_name": {"type": click.Choice(formats), "help": text}}
    return packed("target", OutputOptions, section="Output", changes=changes, without=without)


output_option = single(OutputOptions, "output", section="Output")
stats_option = single(OutputOptions, "stats", section="Output")


TABLE_MEMORY = "Memory that the tables of a junction tree may take, such as 4G; what is free if not given."
"""Help of ``--memory`` of exact inference."""


def jobs_field() -> Any:
    """``--jobs``."""
    text = "Parallel workers, 0 for all cores. The result does not depend on it."
    return option_field(text, Count(min=0), "N", names=("-j", "--jobs"), default=1, section="Run")


@dataclass(frozen=True)
class RunOptions:
    """The seed of the random choices and the workers."""

    seed: int | None = option_field("Seed of the random choices; drawn and recorded if not given.", SEED, "N")
    jobs: int = jobs_field()
    workers: WorkerPlace | None = option_field(
        "Compute on workers outside this process: dask:ADDRESS or dask:FILE, a running dask scheduler (its "
        "address, or the file it wrote; its workers need the packages bnsl-cli, distributed and cloudpickle), or "
        "processes:N on this machine (needs the package cloudpickle). Data travel once, this process writes. The "
        "result does not depend on it.",
        Parsed("where", parse_place),
        "WHERE",
    )


run_options = packed("execution", RunOptions)
seed_option = single(RunOptions, "seed")
jobs_option = single(RunOptions, "jobs")


def resolve_seed(seed: int | None, reporter: Reporter) -> int:
    """The given seed, or one from the operating system, reported with ``-v``."""
    from stages.runtime.seeding import draw_seed

    if seed is None:
        seed = draw_seed()
        reporter.detail(f"seed {seed}")
    return seed


@dataclass(frozen=True)
class BudgetOptions:
    """Limits of an anytime stage."""

    time: float | None = option_field(kind=DURATION)
    evaluations: int | None = option_field(kind=Count(min=1), metavar="N")

    def budget(self, stop: Any) -> Budget:
        """A budget that begins now and also ends when `stop` is set."""
        from stages.runtime.budgets import Budget

        return Budget(self.time, self.evaluations, stop)


def budget_options(time: str, evaluations: str) -> Decorator:
    """``--time`` and ``--evaluations`` with the command's own help texts."""
    evaluations = f"{evaluations} Unlike --time, repeats exactly with the same seed."
    changes = {"time": {"help": time}, "evaluations": {"help": evaluations}}
    return packed("limits", BudgetOptions, section="Budget", changes=changes)


def max_parents_field(**settings: Any) -> Any:
    """``--max-parents``."""
    return option_field("Largest number of parents; no limit if not given.", Count(min=0), "K", **settings)


def message_options(function: Callable) -> Callable:
    """``-q``, ``-v`` and ``--debug``; the callback gets an open `reporter`."""

    @functools.wraps(function)
    def callback(*args: Any, quiet: bool, verbose: int, **values: Any) -> Any:
        from ..running.live_reporter import open_reporter

        context = click.get_current_context()
        writes_stdout = context.params.get("output", "-") == "-"
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
