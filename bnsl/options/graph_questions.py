"""The questions of `bnsl.query` about the graph alone, which need no parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..running.errors import UsageError
from .data import READING
from .declared import option
from .values import COLUMNS, FLAG, Choice, Whole

if TYPE_CHECKING:
    from ..running.function import Run

FURTHER = ("given", "by", "permutations")
"""Options that say more about a question."""


@dataclass(frozen=True)
class GraphOptions:
    """A question about the graph; none by default."""

    separated: tuple[str, ...] | None = option(
        "Whether the graph d-separates two variables, given those of --given; if not, an open path.", COLUMNS, "A,B"
    )
    effect: tuple[str, ...] | None = option(
        "The sets to adjust for, if the effect of A on B is identified: all minimal ones and the one of least "
        "variance; with --given, whether these variables are such a set.",
        COLUMNS,
        "A,B",
    )
    by: str | None = option(
        "With --effect, by what it is identified: adjustment (the default), front-door or instruments; the last two "
        "of a network only.",
        Choice(("adjustment", "front-door", "instruments")),
    )
    given: tuple[str, ...] | None = option("The variables that --separated or --effect is asked about.", COLUMNS)
    relatives: str | None = option("Ancestors, descendants and Markov blanket of a variable.", metavar="A")
    independencies: bool = option(
        "Conditional independencies that the graph implies, one for each pair; with --data, a test of each.",
        kind=FLAG,
    )
    permutations: int | None = option(
        "With --independencies and --data, p-values of this many permutations, in place of chi-square.",
        kind=Whole(1),
        metavar="N",
    )

    @property
    def asked(self) -> list[str]:
        """The fields of the questions that are asked."""
        return [name for name, value in vars(self).items() if name not in FURTHER and value not in (None, False)]


def check_graph_question(run: Run, question: GraphOptions) -> None:
    """Allow one question, and no options of other questions beside it."""
    asked = question.asked
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two questions; ask one at a time.")
    if question.given is not None and asked not in (["separated"], ["effect"]):
        raise UsageError("--given goes with --separated and --effect; evidence is NAME=STATE.")
    if question.by is not None and asked != ["effect"]:
        raise UsageError("--by goes with --effect A,B.")
    if question.given is not None and question.by not in (None, "adjustment"):
        raise UsageError(f"--given goes with --by adjustment, not with --by {question.by}.")
    is_test = question.independencies and "data" in run.given
    if question.permutations is not None and not is_test:
        raise UsageError("--permutations goes with --independencies and --data DATA.")
    if asked:
        allowed = {"network", *vars(question), *(("data", *READING) if is_test else ())}
        allowed |= {"seed"} if question.permutations is not None else set()
        others = [option.field for option in run.of.options if option.field not in allowed]
        run.refuse(others, f"does not go with --{asked[0]}, which is about the graph alone.")
