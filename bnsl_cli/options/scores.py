"""``--score``, ``--ess`` and ``--smoothing``, the same in every command that has them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import click

from stages.scoring.scores import SCORES

from ..running.option_records import option_field, packed
from ..running.stage_command import Decorator, given_parameters, option
from .parameter_types import Finite

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
