"""Options that several commands share: the same name means the same everywhere."""

import contextlib
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from stages.scoring.scores import SCORES

from ..running.errors import UsageError
from ..running.reporter import LineReporter
from .option import Given, Option
from .values import DURATION, FIGURES_FILE, OUTPUT, SEED, TEXT, Choice, Number, Parsed, Whole

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


class OutputOptions(TypedDict, total=False):
    """Destination of a result."""

    output: Annotated[
        str,
        Option(
            "Write to this file instead of standard output. An incomplete file never appears there.",
            OUTPUT,
            names=("-o", "--output"),
            default="-",
            show_default=False,
            section="Output",
        ),
    ]


class StatsOptions(TypedDict, total=False):
    """A file for the figures of the run."""

    stats: Annotated[
        str | None,
        Option("Write figures of the run, such as its time, to this file as JSON.", FIGURES_FILE, section="Output"),
    ]


class TableOptions(OutputOptions, total=False):
    """Destination of a result that is JSON lines, or a table to read."""

    json: Annotated[bool, Option("Write JSON lines, also to a terminal.", section="Output")]


Format = Annotated[str | None, Option(section="Output")]
"""``--format``, with the words and the help of the command (`formats_of`)."""


def formats_of(words: tuple[str, ...], help: str, of_network: bool = False) -> dict[str, Any]:
    """The kind and the help of ``--format``.

    A table to read is offered as CSV, too, if the command has no CSV of its own. `of_network`: a name that ends in
    .csv does not ask for it, since networks have two other formats of such names.
    """
    if "table" in words and "csv" not in words:
        how = "" if of_network else ", as -o NAME.csv does"
        words, help = (*words, "csv"), f"{help} csv writes this table for spreadsheets{how}."
    return {"kind": Choice(words), "help": help}


class AnswerOutput(TableOptions, StatsOptions, total=False):
    """Destination and format of a table of answers."""

    format: Annotated[
        Format,
        formats_of(
            ("csv", "jsonl", "arrow", "feather", "parquet", "table"),
            "CSV (default in a pipe), JSON lines, Arrow, Parquet or a table to read. A file has the format of its "
            "name by default.",
        ),
    ]


class Target(Given):
    """Destination and format of a result: the given options of the command line about it."""

    output: str
    format: str | None = None
    json: bool = False

    def __init__(self, **given: Any):
        super().__init__(**given)
        if self.json and self.format not in (None, "jsonl"):
            raise UsageError(f"--json and --format {self.format} are two formats: give one.")

    @property
    def is_table(self) -> bool:
        """Whether the result is written as a table to read: on a terminal, or by ``--format table``."""
        if self.json or self.format is not None:
            return self.format == "table"
        return self.output == "-" and sys.stdout.isatty()

    @property
    def is_sheet(self) -> bool:
        """Whether the table to read is written, laid out or as CSV."""
        return self.is_table or self.format == "csv"

    @property
    def is_lines(self) -> bool:
        """Whether a list to read is written as JSON lines instead."""
        if self.format is not None:
            return self.format == "jsonl"
        return self.json or self.output.lower().endswith(".jsonl")

    @property
    def rows_shown(self) -> int | None:
        """Limit on the rows of a table: an excerpt on a terminal unless ``--format table`` is given."""
        return TERMINAL_ROWS if self.format is None and self.output == "-" else None


class SheetTarget(Target):
    """The same for a command whose CSV is its table to read; ``-o NAME.csv`` asks for it, too."""

    def __init__(self, **given: Any):
        super().__init__(**given)
        if self.format is None and not self.json and self.output.lower().endswith(".csv"):
            self.format = "csv"


TABLE_MEMORY = "Memory that the tables of a junction tree may take, such as 4G; by default the free memory."
"""Help of ``--memory`` of exact inference."""


Jobs = Annotated[
    int,
    Option(
        "Number of parallel workers; 0 uses all cores. The result does not depend on this number.",
        Whole(0),
        "N",
        names=("-j", "--jobs"),
        default=1,
    ),
]
"""``--jobs``."""

Seed = Annotated[
    int | None, Option("Seed of the random choices. If none is given, one is drawn and recorded.", SEED, "N")
]
"""``--seed``."""


class RunOptions(TypedDict, total=False):
    """The seed of the random choices and the number of workers."""

    seed: Seed
    jobs: Jobs


def _place(text: str) -> str:
    """The address or file of the scheduler in ``dask:ADDRESS`` or ``dask:FILE``."""
    engine, _, where = text.partition(":")
    if engine == "dask" and where:
        return where
    here = f", or -j {where} for workers on this machine" if engine == "processes" and where.isdecimal() else ""
    raise ValueError(f"{text!r} names no workers; write dask:tcp://host:8786 or dask:scheduler.json{here}")


WORKERS = (
    "Compute on the workers of a running dask scheduler: dask:ADDRESS or dask:FILE. FILE is the file that the "
    "scheduler wrote. The workers need the packages bnsl-cli, distributed and cloudpickle. The data are sent to them "
    "once, and this process writes the result. The result does not depend on the workers."
)

Workers = Annotated[str | None, Option(WORKERS, Parsed("where", _place), "WHERE")]
"""``--workers``."""


@contextlib.contextmanager
def opened_workers(place: str | None, run: "Run") -> Iterator["DaskWorkers | None"]:
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


def resolve_seed(seed: int | None, reporter: LineReporter) -> int:
    """The given seed, or one from the operating system, reported with ``-v``."""
    from stages.runtime.seeding import draw_seed

    if seed is None:
        seed = draw_seed()
        reporter.detail(f"seed {seed}")
    return seed


Time = Annotated[float | str | None, Option(kind=DURATION, section="Budget")]
"""``--time``; each function supplies the help."""

Evaluations = Annotated[int | None, Option(kind=Whole(1), metavar="N", section="Budget")]
"""``--evaluations``; each function supplies the help."""

REPEATS = " Unlike a run with --time, such a run repeats exactly with the same seed."
"""The end of the help of ``--evaluations``."""


class BudgetLimits(Given):
    """The given limits of an anytime stage: `time` and `evaluations`."""

    def budget(self, stop: Any) -> "Budget":
        """A budget that begins now and also ends when `stop` is set."""
        from stages.runtime.budgets import Budget

        return Budget(self.time, self.evaluations, stop)

    def recorded(self) -> dict[str, Any]:
        """The limits, for the headers of results."""
        return {"time": self.time, "evaluations": self.evaluations}


MaxParents = Annotated[
    int | None, Option("Largest number of parents of a variable; no limit if not given.", Whole(0), "K")
]
"""``--max-parents``."""


_NAMES = [score.name for score in SCORES.values()]
_TAKE_ESS = [name for name, score in SCORES.items() if score.takes_ess]

SCORE = Choice(tuple(SCORES))

ESS_RANGE = (1e-12, 1e5)
"""Equivalent sample sizes at which differences of log-gamma functions give scores to a relative error below 1e-9."""


Ess = Annotated[
    float,
    Option(
        f"Equivalent sample size of the scores {' and '.join(_TAKE_ESS)}.",
        Number(*ESS_RANGE),
        "ROWS",
        default=1.0,
        section="Score",
    ),
]
"""``--ess``."""

Smoothing = Annotated[float | None, Option(kind=Number(0), metavar="ROWS")]
"""``--smoothing``: the equivalent sample size of a uniform prior of the parameters; functions supply the help."""

Do = Annotated[
    str | Iterable[str] | Mapping[str, Any], Option(kind=TEXT, metavar="NAME=STATE", names=("--do",), is_several=True)
]
"""``--do``: variables that are set from outside. Each function supplies the help."""


def refuse_ess(run: "Run", scores: Collection[str]) -> None:
    """Refuse ``--ess`` if none of the scores has an equivalent sample size."""
    if "ess" in run.given and not any(SCORES[score].takes_ess for score in scores):
        raise UsageError(f"--ess does not apply to score {' or '.join(scores)}; {' and '.join(_TAKE_ESS)} take it.")


class ScoreOptions(TypedDict, total=False):
    """The local score."""

    score: Annotated[
        str, Option(f"Local score: {', '.join(_NAMES[:-1])}, or {_NAMES[-1]}.", SCORE, default="bic", section="Score")
    ]
    ess: Ess
