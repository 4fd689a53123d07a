"""What ``bnsl query`` is asked under one piece of evidence, and how answers are written."""

from __future__ import annotations

from dataclasses import dataclass

import click

from formats.lookup import named_formats

from .options import shows_table
from .output_formats import output_format
from .parameter_types import COLUMNS, Count
from .stage_command import option, packed


@dataclass(frozen=True)
class QuestionOptions:
    """What is asked; nothing means the marginals of all variables."""

    variables: tuple[str, ...] | None
    joint: tuple[str, ...] | None
    map_of: tuple[str, ...] | None
    mpe: bool
    probability: bool
    samples: int | None
    approximate: int | None


question_options = packed(
    "question",
    QuestionOptions,
    option(
        "--variables",
        type=COLUMNS,
        section="Question",
        help="Distributions of these variables only, each by itself; what does not bear on them is left out.",
    ),
    option("--joint", type=COLUMNS, section="Question", help="The distribution of these variables together."),
    option(
        "--map",
        "map_of",
        type=COLUMNS,
        section="Question",
        help="The most probable states of these variables together, all others summed out (MAP).",
    ),
    option(
        "--mpe",
        is_flag=True,
        section="Question",
        help="The most probable states of all variables together (most probable explanation).",
    ),
    option("--probability", is_flag=True, section="Question", help="The probability of the evidence."),
    option(
        "--samples",
        type=Count(min=0),
        metavar="ROWS",
        section="Question",
        help="Rows drawn given the evidence, exactly.",
    ),
    option(
        "--approximate",
        type=Count(min=2),
        metavar="N",
        section="Question",
        help="Distributions and probabilities from N weighted samples, with standard errors (likelihood weighting): "
        "for networks whose tables are too large.",
    ),
    check=lambda ctx, given: check_question(given),
)


NO_QUESTION = QuestionOptions(None, None, None, False, False, None, None)


def check_question(question: QuestionOptions) -> None:
    """One question at a time, and no samples where a question needs exact tables.

    Raises
    ------
    click.UsageError
    """
    asked = [
        name.removesuffix("_of")
        for name, value in vars(question).items()
        if value not in (None, False) and name != "approximate"
    ]
    if question.approximate is not None and asked and asked[0] in ("map", "mpe", "samples"):
        raise click.UsageError(
            f"--approximate goes with distributions and --probability, not with --{asked[0]}."
        )
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} are two questions; ask one at a time.")


@dataclass(frozen=True)
class OutputOptions:
    """Where answers go, and how."""

    output: str
    format_name: str | None
    as_json: bool
    is_data: bool

    @property
    def is_table(self) -> bool:
        """Whether a reader looks at it."""
        return shows_table(self.output, self.format_name, self.as_json)

    def format(self) -> str:
        """How it is written.

        Raises
        ------
        click.UsageError
            Rows of data are asked for as something else; the output's name means what is not written.
        """
        if self.is_data:
            if self.as_json or self.format_name in ("jsonl", "table"):
                raise click.UsageError("rows of data are written as csv, arrow, feather or parquet.")
            return output_format("sample", self.output, self.format_name)
        if self.as_json or self.format_name == "jsonl" or (not self.format_name and self._is_json_lines()):
            return "jsonl"
        return output_format("query", self.output, None if self.format_name == "table" else self.format_name)

    def _is_json_lines(self) -> bool:
        return self.output.lower().endswith(".jsonl") and not named_formats(self.output)
