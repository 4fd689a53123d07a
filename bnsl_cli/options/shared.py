"""Options that several commands share: the same name means the same everywhere."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from stages.scoring.scores import SCORES

from ..running.option_records import option_field, packed, single
from ..running.reporter import Reporter
from ..running.stage_command import Decorator, debug_option, given_parameters, is_called, option
from .parameter_types import DURATION, INPUT_PATH, OUTPUT_FILE, OUTPUT_PATH, SEED, Count, Finite, Parsed

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.runtime.remote_workers import RemoteWorkers


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


TERMINAL_ROWS = 60
"""Most rows of a table on a terminal; ``--format table`` and ``-o`` write all."""


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

    @property
    def rows_shown(self) -> int | None:
        """Limit on the rows of a table: an excerpt on a terminal unless ``--format table`` is given."""
        return TERMINAL_ROWS if self.format_name is None and self.output == "-" else None


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


def parse_place(text: str) -> str:
    """The address or file of the scheduler in ``dask:ADDRESS`` or ``dask:FILE``."""
    engine, _, where = text.partition(":")
    if engine == "dask" and where:
        return where
    here = f", or -j {where} for workers on this machine" if engine == "processes" and where.isdecimal() else ""
    raise ValueError(f"{text!r} names no workers; write dask:tcp://host:8786 or dask:scheduler.json{here}")


@dataclass(frozen=True)
class RunOptions:
    """The seed of the random choices and the workers."""

    seed: int | None = option_field("Seed of the random choices; drawn and recorded if not given.", SEED, "N")
    jobs: int = jobs_field()
    workers: str | None = option_field(
        "Compute on workers outside this process: dask:ADDRESS or dask:FILE, a running dask scheduler (its "
        "address, or the file it wrote; its workers need the packages bnsl-cli, distributed and cloudpickle). Data "
        "travel once, this process writes. The result does not depend on it.",
        Parsed("where", parse_place),
        "WHERE",
    )


run_options = packed("execution", RunOptions)
seed_option = single(RunOptions, "seed")
jobs_option = single(RunOptions, "jobs")


@contextlib.contextmanager
def opened_workers(place: str | None, reporter: Reporter) -> Iterator[RemoteWorkers | None]:
    """The workers within the block; None for those of this process. Refused together with ``--jobs``.

    Raises `click.UsageError`: a number of workers of this process is given, too; `StageError`: a package is not
    installed, or no workers answer.
    """
    if place is None:
        yield None
        return
    if any(parameter.name == "jobs" for parameter in given_parameters(click.get_current_context())):
        raise click.UsageError("--workers replaces the workers of this process: leave out --jobs.")
    from stages.runtime.dask_workers import DaskWorkers

    workers = DaskWorkers(place)
    try:
        reporter.detail(f"{workers.count()} workers at dask:{place}")
        yield workers
    finally:
        workers.close()


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


_NAMES = [score.name for score in SCORES.values()]
_TAKE_ESS = [name for name, score in SCORES.items() if score.takes_ess]

SCORE = click.Choice(list(SCORES))

ESS_RANGE = (1e-12, 1e5)
"""Equivalent sample sizes for which differences of log-gamma functions give scores to a relative error below 1e-9."""


def ess_field() -> Any:
    """``--ess``."""
    text = f"Equivalent sample size of {', '.join(_TAKE_ESS)}."
    return option_field(text, Finite(*ESS_RANGE), "ROWS", default=1.0, section="Score")


def smoothing_option(help: str, section: str) -> Decorator:
    """``--smoothing``: the equivalent sample size of a uniform prior of the parameters."""
    return option("--smoothing", type=Finite(min=0), metavar="ROWS", section=section, help=help)


def refuse_ess(ctx: click.Context, scores: Collection[str]) -> None:
    """Refuse ``--ess`` if none of the scores has an equivalent sample size."""
    is_given = any(parameter.name == "ess" for parameter in given_parameters(ctx))
    if is_given and not any(SCORES[score].takes_ess for score in scores):
        raise click.UsageError(
            f"--ess does not go with score {' or '.join(scores)}; {', '.join(_TAKE_ESS)} takes it."
        )


@dataclass(frozen=True)
class ScoreOptions:
    """The local score."""

    score: str = option_field(f"Local score: {', '.join(_NAMES[:-1])}, or {_NAMES[-1]}.", SCORE, default="bic")
    ess: float = ess_field()


score_options = packed(
    "score_options", ScoreOptions, section="Score", check=lambda ctx, given: refuse_ess(ctx, [given.score])
)
