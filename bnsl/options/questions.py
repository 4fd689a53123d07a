"""The questions of `bnsl.query`: about one set of evidence, or about the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..running.errors import UsageError
from .data import CODING, columns_field, refuse_data_options
from .declared import option
from .shared import jobs_field
from .values import COLUMNS, FLAG, INPUT, Choice, Whole

if TYPE_CHECKING:
    from ..running.function import Run


@dataclass(frozen=True)
class QuestionOptions:
    """The question; by default the marginals of all variables."""

    variables: tuple[str, ...] | None = option(
        "Distributions of these variables only (names, patterns, ranges), each by itself; irrelevant variables are "
        "pruned.",
        COLUMNS,
    )
    joint: tuple[str, ...] | None = option("The distribution of these variables together.", COLUMNS)
    map_of: tuple[str, ...] | None = option(
        "The most probable states of these variables together, all others summed out (MAP).",
        COLUMNS,
        names=("--map",),
    )
    mpe: bool = option("The most probable states of all variables together (most probable explanation).", kind=FLAG)
    probability: bool = option("The probability of the evidence.", kind=FLAG)
    samples: int | None = option("Rows drawn given the evidence, exactly.", Whole(0), "ROWS")
    approximate: int | None = option(
        "Distributions and probabilities from N weighted samples, with standard errors (likelihood weighting): "
        "for networks whose tables are too large.",
        Whole(2),
        "N",
    )


NO_QUESTION = QuestionOptions(None, None, None, False, False, None, None)


def check_question(_run: Run, question: QuestionOptions) -> None:
    """Allow one question at a time, and no samples if a question needs exact tables."""
    asked = [
        name.removesuffix("_of")
        for name, value in vars(question).items()
        if value not in (None, False) and name != "approximate"
    ]
    if question.approximate is not None and asked and asked[0] in ("map", "mpe", "samples"):
        raise UsageError(f"--approximate estimates distributions and --probability, not --{asked[0]}: leave one out.")
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two questions; ask one at a time.")


@dataclass(frozen=True)
class TableOptions:
    """A table of evidence and the question about its rows; by default their probabilities."""

    table: str | None = option(
        "Rows of evidence, with holes, instead of NAME=STATE: by itself, the log-probability of each row.",
        INPUT,
        "TABLE",
        names=("--evidence",),
    )
    predict: tuple[str, ...] | None = option(
        "Of each row, the most probable state of these columns and the probabilities of all their states, given "
        "its other cells.",
        COLUMNS,
    )
    fill: str | None = option(
        "The table with its missing cells filled: by the states most probable together, or drawn. All other cells "
        "and columns stay as they are; a filled cell of a column that was cut gets the label of an interval.",
        Choice(("best", "drawn")),
    )
    keep: tuple[str, ...] = columns_field(
        "Copy these columns of TABLE, as they are, to the rows of answers: names, patterns or ranges; repeatable."
    )
    jobs: int = jobs_field()


def check_rows(run: Run, rows: TableOptions) -> None:
    """Refuse options that do not go together."""
    if rows.table is None:
        run.refuse(("predict", "fill", "keep", "jobs"), "needs rows: give --evidence TABLE.")
    if rows.fill and rows.keep:
        raise UsageError("--fill writes all columns of TABLE: leave --keep out.")
    if rows.predict and rows.fill:
        raise UsageError("--predict and --fill are two questions; ask one at a time.")


def check_inputs(run: Run, data: Any, question: QuestionOptions, rows: TableOptions) -> None:
    """Refuse options without effect on the question."""
    if data is None and rows.table is None:
        refuse_data_options(run, "needs a table: --data DATA or --evidence TABLE.")
    elif data is None:
        why = "needs --data: --evidence takes its states from the network and keeps its missing cells."
        refuse_data_options(run, why, CODING)
    if data is None:
        run.refuse(["smoothing", "weights"], "needs --data.")
    if question.samples is None and question.approximate is None and rows.fill != "drawn":
        run.refuse(["seed"], "needs --samples, --approximate or --fill drawn: other answers are exact.")
    if question.approximate is not None:
        run.refuse(["memory"], "limits exact answers, and --approximate gives none: leave it out.")
