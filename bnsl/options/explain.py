"""The options of `bnsl.explain`."""

from __future__ import annotations

from dataclasses import dataclass

from stages.scoring.scores import SCORES

from ..running.errors import UsageError
from ..running.function import Run
from .declared import option
from .shared import ESS_RANGE, SCORE
from .values import INPUT, TEXT, Number, Whole

MOST_PAIRED = 100
"""Most variables for which sets of two parents are scored by default."""


@dataclass(frozen=True)
class ExplainOptions:
    """What is explained, and what it is compared with."""

    runners_up: int | None = option(
        "The parent sets of each variable that come next to the present one, N of each, instead of arcs.",
        Whole(1),
        "N",
    )
    sets: str | None = option(
        "Compare with the parent sets of this list, by their score, instead of small sets.", INPUT, "SETS"
    )
    max_parents: int | None = option(
        "Compare with all sets of at most K parents, and with the present set after one parent is dropped, added or "
        f"exchanged. [default: 2 up to {MOST_PAIRED} variables, 1 beyond]",
        Whole(0),
        "K",
    )
    strengths: str | None = option(
        "Add the probabilities or shares of this table of 'bnsl posterior' or 'bnsl average --strengths'.",
        INPUT,
        "ARCS",
    )
    target: str | None = option(
        "Explain a variable instead: the information of each other one about it, and the finding that moves it most. "
        "NAME=STATE: what each finding does to the probability of this state.",
        TEXT,
        "NAME[=STATE]",
    )
    score: str | None = option("Local score; by default that of the network, or bic.", SCORE, section="Score")
    ess: float | None = option(
        "Equivalent sample size of scores that have one. [default: that of the network, or 1]",
        Number(*ESS_RANGE),
        "ROWS",
        section="Score",
    )
    smoothing: float | None = option(
        "With --target, equivalent sample size of a uniform prior of the parameters, for a network that has none. "
        "[default: 1]",
        Number(0),
        "ROWS",
    )


OF_ARCS = ("runners_up", "sets", "max_parents", "strengths", "score", "ess")
"""Options that are about arcs."""


def check_explained(run: Run, given: ExplainOptions) -> None:
    """Refuse options that do not go together."""
    if given.target is not None:
        run.refuse(OF_ARCS, "explains arcs, and --target explains a variable: leave one out.")
        run.refuse(("interventions",), "cannot be combined with --target, which takes rows as they come.")
        return
    run.refuse(("smoothing",), "needs --target.")
    if given.sets is not None:
        run.refuse(("max_parents", "score", "ess"), "cannot be combined with --sets, whose sets have scores.")
    if given.runners_up is not None:
        run.refuse(("strengths",), "explains arcs, and --runners-up lists parent sets: leave one out.")
    if given.ess is not None and given.score is not None and not SCORES[given.score].takes_ess:
        raise UsageError(f"--ess does not apply to score {given.score}.")
