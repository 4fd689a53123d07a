"""The questions of `bnsl.query` about the graph alone, which need no parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..running.errors import UsageError
from .declared import option
from .values import COLUMNS

if TYPE_CHECKING:
    from ..running.function import Run


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
    given: tuple[str, ...] | None = option("The variables that --separated or --effect is asked about.", COLUMNS)

    @property
    def asked(self) -> list[str]:
        """The fields of the questions that are asked."""
        return [name for name in ("separated", "effect") if getattr(self, name) is not None]


def check_graph_question(run: Run, question: GraphOptions) -> None:
    """Allow one question, and no options of other questions beside it."""
    asked = question.asked
    if len(asked) > 1:
        raise UsageError("--separated and --effect are two questions; ask one at a time.")
    if asked:
        others = [option.field for option in run.of.options if option.field not in {"network", *vars(question)}]
        run.refuse(others, f"cannot be combined with --{asked[0]}, which looks at the graph alone.")
    elif question.given is not None:
        raise UsageError("--given needs --separated or --effect; give evidence as NAME=STATE.")
