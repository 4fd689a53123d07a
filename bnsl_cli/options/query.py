"""The questions of ``bnsl query``, and how answers are written."""

from __future__ import annotations

from dataclasses import dataclass

import click

from formats.registry import named_formats

from bnsl.files.output_formats import output_format
from ..running.option_records import option_field
from ..running.stage_command import refuse_given
from .data import CODING, columns_field, refuse_data_options
from .parameter_types import COLUMNS, INPUT_PATH, Count
from .shared import OutputOptions, jobs_field


@dataclass(frozen=True)
class QuestionOptions:
    """The question; by default the marginals of all variables."""

    variables: tuple[str, ...] | None = option_field(
        "Distributions of these variables only, each by itself; irrelevant variables are pruned.", COLUMNS
    )
    joint: tuple[str, ...] | None = option_field("The distribution of these variables together.", COLUMNS)
    map_of: tuple[str, ...] | None = option_field(
        "The most probable states of these variables together, all others summed out (MAP).",
        COLUMNS,
        names=("--map",),
    )
    mpe: bool = option_field(
        "The most probable states of all variables together (most probable explanation).", is_flag=True
    )
    probability: bool = option_field("The probability of the evidence.", is_flag=True)
    samples: int | None = option_field("Rows drawn given the evidence, exactly.", Count(min=0), "ROWS")
    approximate: int | None = option_field(
        "Distributions and probabilities from N weighted samples, with standard errors (likelihood weighting): "
        "for networks whose tables are too large.",
        Count(min=2),
        "N",
    )


NO_QUESTION = QuestionOptions(None, None, None, False, False, None, None)


def check_question(_ctx: click.Context, question: QuestionOptions) -> None:
    """One question at a time, and no samples where a question needs exact tables."""
    asked = [
        name.removesuffix("_of")
        for name, value in vars(question).items()
        if value not in (None, False) and name != "approximate"
    ]
    if question.approximate is not None and asked and asked[0] in ("map", "mpe", "samples"):
        raise click.UsageError(f"--approximate goes with distributions and --probability, not with --{asked[0]}.")
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} are two questions; ask one at a time.")


@dataclass(frozen=True)
class TableOptions:
    """A table of evidence and the question about its rows; by default their probabilities."""

    table: str | None = option_field(
        "Rows of evidence, with holes, instead of NAME=STATE: by itself, the log-probability of each row.",
        INPUT_PATH,
        "TABLE",
        names=("--evidence",),
    )
    predict: tuple[str, ...] | None = option_field(
        "Of each row, the most probable state of these columns and the probabilities of all their states, given "
        "its other cells.",
        COLUMNS,
    )
    fill: str | None = option_field(
        "The table with its missing cells filled: by the states most probable together, or drawn. All other cells "
        "and columns stay as they are; a filled cell of a column that was cut gets the label of an interval.",
        click.Choice(["best", "drawn"]),
    )
    keep: tuple[str, ...] = columns_field(
        "Copy these columns of TABLE, as they are, to the rows of answers: names, patterns or ranges; repeatable."
    )
    jobs: int = jobs_field()


def check_rows(ctx: click.Context, rows: TableOptions) -> None:
    """Refuse options that do not go together."""
    if rows.table is None:
        refuse_given(ctx, ("predict", "fill", "keep", "jobs"), "needs rows: give --evidence TABLE.")
    if rows.fill and rows.keep:
        raise click.UsageError("--fill writes all columns of TABLE: leave --keep out.")
    if rows.predict and rows.fill:
        raise click.UsageError("--predict and --fill are two questions; ask one at a time.")


def check_inputs(ctx: click.Context, data: str | None, question: QuestionOptions, rows: TableOptions) -> None:
    """Refuse options that have no effect on the question asked."""
    if data is None and rows.table is None:
        refuse_data_options(ctx, "goes with a table: --data DATA or --evidence TABLE.")
    elif data is None:
        why = "goes with --data; the states of --evidence are those of the network, its missing cells stay missing."
        refuse_data_options(ctx, why, CODING)
    if data is None:
        refuse_given(ctx, ["smoothing", "weights"], "goes with --data.")
    if question.samples is None and question.approximate is None and rows.fill != "drawn":
        refuse_given(ctx, ["seed"], "goes with --samples, --approximate and --fill drawn; other answers are exact.")
    if question.approximate is not None:
        refuse_given(ctx, ["memory"], "goes with exact answers, not with --approximate.")


@dataclass(frozen=True)
class AnswerOptions(OutputOptions):
    """Destination and format of answers, which are rows of data where `is_data`."""

    is_data: bool = False

    def format(self) -> str:
        """The format for programs; a usage error if the question has no answers of that format."""
        if self.is_data:
            if self.as_json or self.format_name in ("jsonl", "table"):
                raise click.UsageError("rows of data are written as csv, arrow, feather or parquet.")
            return output_format("sample", self.output, self.format_name)
        is_json = self.output.lower().endswith(".jsonl") and not named_formats(self.output)
        if self.as_json or self.format_name == "jsonl" or (not self.format_name and is_json):
            return "jsonl"
        return output_format("query", self.output, None if self.format_name == "table" else self.format_name)
