"""Options that several commands share: the same name means the same everywhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stages.scoring.scores import SCORES

from ..running.errors import UsageError
from ..running.reporter import Reporter
from .declared import option, parameter, record, single
from .values import DURATION, FLAG, OUTPUT, OUTPUT_FILE, SEED, TEXT, Choice, Number, Parsed, Whole

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.runtime.dask_workers import DaskWorkers

    from ..running.function import Run


def check_sources(*sources: Any) -> None:
    """Refuse to read standard input twice."""
    from formats.streams import is_standard_input

    if sum(map(is_standard_input, sources)) > 1:
        raise UsageError("standard input ('-') can be read only once; give a path for the others.")


TERMINAL_ROWS = 60
"""Most rows of a table on a terminal; ``--format table`` and ``-o`` write all."""


@dataclass(frozen=True)
class OutputOptions:
    """Destination and format of a result, and of the figures of the run."""

    output: str = option(
        "Write to this file instead of standard output. Only whole files appear there.",
        OUTPUT,
        names=("-o", "--output"),
        default="-",
        show_default=False,
    )
    format_name: str | None = option(names=("--format",))
    as_json: bool = option("JSON lines, also on a terminal.", names=("--json",), kind=FLAG, absent=False)
    stats: str | None = option(
        "Write figures of the run, times among them, to this file (JSON).", OUTPUT_FILE, absent=None
    )

    def __post_init__(self) -> None:
        if self.as_json and self.format_name not in (None, "jsonl"):
            raise UsageError(f"--json and --format {self.format_name} are two formats: give one.")

    @property
    def is_table(self) -> bool:
        """Whether the result is written as a table to read: on a terminal, or by ``--format table``."""
        if self.as_json or self.format_name is not None:
            return self.format_name == "table"
        return self.output == "-" and sys.stdout.isatty()

    @property
    def is_sheet(self) -> bool:
        """Whether the table to read is written, laid out or as CSV."""
        return self.is_table or self.format_name == "csv"

    @property
    def rows_shown(self) -> int | None:
        """Limit on the rows of a table: an excerpt on a terminal unless ``--format table`` is given."""
        return TERMINAL_ROWS if self.format_name is None and self.output == "-" else None


@dataclass(frozen=True)
class SheetOptions(OutputOptions):
    """The same for a command whose CSV is its table to read; ``-o NAME.csv`` asks for it, too."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.format_name is None and not self.as_json and self.output.lower().endswith(".csv"):
            object.__setattr__(self, "format_name", "csv")


def output_options(
    formats: tuple[str, ...], text: str, without: Collection[str] = ("as_json", "stats"), of_network: bool = False
) -> Any:
    """``--output``, ``--format`` with the formats of the command, ``--json`` and ``--stats``.

    A table to read is offered as CSV, too, if the command has no CSV of its own. `of_network`: a name that ends in
    .csv does not ask for it, since networks have two other formats of such names.
    """
    kind = OutputOptions
    if "table" in formats and "csv" not in formats:
        how = "" if of_network else ", as with -o NAME.csv"
        formats, text = (*formats, "csv"), f"{text.removesuffix('.')}; csv: the same table for spreadsheets{how}."
        kind = OutputOptions if of_network else SheetOptions
    changes = {"format_name": {"kind": Choice(formats), "help": text}}
    return record(kind, "Output", changes=changes, without=without)


def output_option() -> Any:
    """``--output`` alone."""
    return single(OutputOptions, "output", section="Output")


def stats_option() -> Any:
    """``--stats`` alone."""
    return single(OutputOptions, "stats", section="Output")


TABLE_MEMORY = "Memory that the tables of a junction tree may take, such as 4G; what is free if not given."
"""Help of ``--memory`` of exact inference."""


def jobs_field() -> Any:
    """``--jobs``."""
    text = "Parallel workers, 0 for all cores. The result does not depend on it."
    return option(text, Whole(0), "N", names=("-j", "--jobs"), default=1, section="Run")


@dataclass(frozen=True)
class RunOptions:
    """The seed of the random choices and the number of workers."""

    seed: int | None = option("Seed of the random choices; drawn and recorded if not given.", SEED, "N")
    jobs: int = jobs_field()


RUNNING = record(RunOptions)


def seed_option() -> Any:
    """``--seed``."""
    return single(RunOptions, "seed")


def jobs_option() -> Any:
    """``--jobs``."""
    return single(RunOptions, "jobs")


def workers_option(text: str = "") -> Any:
    """``--workers``; `text` says what they do."""
    text = (
        f"{text}Compute on workers outside this process: dask:ADDRESS or dask:FILE, a running dask scheduler (its "
        "address, or the file it wrote; its workers need the packages bnsl-cli, distributed and cloudpickle). Data "
        "travel once, this process writes. The result does not depend on it."
    )
    return parameter(text, Parsed("where", _place), "WHERE", section="Run")


def _place(text: str) -> str:
    """The address or file of the scheduler in ``dask:ADDRESS`` or ``dask:FILE``."""
    engine, _, where = text.partition(":")
    if engine == "dask" and where:
        return where
    here = f", or -j {where} for workers on this machine" if engine == "processes" and where.isdecimal() else ""
    raise ValueError(f"{text!r} names no workers; write dask:tcp://host:8786 or dask:scheduler.json{here}")


@contextlib.contextmanager
def opened_workers(place: str | None, run: Run) -> Iterator[DaskWorkers | None]:
    """The workers within the block; None where this process works alone. Refused together with ``--jobs``.

    Raises `UsageError`: a number of workers of this process is given, too; `StageError`: a package is not
    installed, or no workers answer.
    """
    if place is None:
        yield None
        return
    if "jobs" in run.given:
        raise UsageError("--workers replaces the workers of this process: leave out --jobs.")
    from stages.runtime.dask_workers import DaskWorkers

    workers = DaskWorkers(place)
    try:
        run.reporter.detail(f"{workers.jobs} workers at dask:{place}")
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

    time: float | None = option(kind=DURATION)
    evaluations: int | None = option(kind=Whole(1), metavar="N")

    def budget(self, stop: Any) -> Budget:
        """A budget that begins now and also ends when `stop` is set."""
        from stages.runtime.budgets import Budget

        return Budget(self.time, self.evaluations, stop)


def budget_options(time: str, evaluations: str) -> Any:
    """``--time`` and ``--evaluations`` with the function's own help texts."""
    evaluations = f"{evaluations} Unlike --time, repeats exactly with the same seed."
    changes = {"time": {"help": time}, "evaluations": {"help": evaluations}}
    return record(BudgetOptions, "Budget", changes=changes)


def max_parents_field(**settings: Any) -> Any:
    """``--max-parents``."""
    return option("Largest number of parents; no limit if not given.", Whole(0), "K", **settings)


_NAMES = [score.name for score in SCORES.values()]
_TAKE_ESS = [name for name, score in SCORES.items() if score.takes_ess]

SCORE = Choice(tuple(SCORES))

ESS_RANGE = (1e-12, 1e5)
"""Equivalent sample sizes at which differences of log-gamma functions give scores to a relative error below 1e-9."""


def ess_field() -> Any:
    """``--ess``."""
    text = f"Equivalent sample size of {', '.join(_TAKE_ESS)}."
    return option(text, Number(*ESS_RANGE), "ROWS", default=1.0, section="Score")


def smoothing_option(help: str, section: str) -> Any:
    """``--smoothing``: the equivalent sample size of a uniform prior of the parameters."""
    return parameter(help, Number(0), "ROWS", section=section)


def do_option(help: str, section: str) -> Any:
    """``--do``: variables that are set from outside."""
    return parameter(help, TEXT, "NAME=STATE", section=section, names=("--do",), is_several=True)


def refuse_ess(run: Run, scores: Collection[str]) -> None:
    """Refuse ``--ess`` if none of the scores has an equivalent sample size."""
    if "ess" in run.given and not any(SCORES[score].takes_ess for score in scores):
        raise UsageError(f"--ess does not apply to score {' or '.join(scores)}; {' and '.join(_TAKE_ESS)} take it.")


@dataclass(frozen=True)
class ScoreOptions:
    """The local score."""

    score: str = option(f"Local score: {', '.join(_NAMES[:-1])}, or {_NAMES[-1]}.", SCORE, default="bic")
    ess: float = ess_field()


SCORE_OPTIONS = record(ScoreOptions, "Score", check=lambda run, given: refuse_ess(run, [given.score]))
