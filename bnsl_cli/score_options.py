"""``--score``, ``--ess`` and ``--smoothing``, the same in every command that has them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import click

from stages.scoring.scores import SCORES

from .parameter_types import Finite
from .stage_command import Decorator, given_parameters, option, packed

_TAKE_ESS = [name for name, score in SCORES.items() if score.takes_ess]


def score_option(help: str, section: str, **settings: Any) -> Decorator:
    """``--score`` with the command's own words."""
    return option(
        "--score", type=click.Choice(list(SCORES)), show_default=True, section=section, help=help, **settings
    )


ess_option = option(
    "--ess",
    type=Finite(min=0, min_open=True),
    metavar="ROWS",
    default=1.0,
    show_default=True,
    section="Score",
    help=f"Equivalent sample size of {', '.join(_TAKE_ESS)}.",
)


def smoothing_option(help: str, section: str, may_be_zero: bool = False, **settings: Any) -> Decorator:
    """``--smoothing``: the equivalent sample size of a prior behind the parameters."""
    kind = Finite(min=0, min_open=not may_be_zero)
    return option("--smoothing", type=kind, metavar="ROWS", section=section, help=help, **settings)


def refuse_ess(ctx: click.Context, scores: Collection[str]) -> None:
    """Refuse ``--ess`` where no score has an equivalent sample size.

    Raises
    ------
    click.UsageError
    """
    is_given = any(parameter.name == "ess" for parameter in given_parameters(ctx))
    if is_given and not any(SCORES[score].takes_ess for score in scores):
        raise click.UsageError(
            f"--ess does not go with score {' or '.join(scores)}; {', '.join(_TAKE_ESS)} takes it."
        )


@dataclass(frozen=True)
class ScoreOptions:
    """The local score."""

    score: str
    ess: float


score_options = packed(
    "score_options",
    ScoreOptions,
    score_option(
        "Local score: {}, or {}.".format(
            ", ".join(score.name for score in list(SCORES.values())[:-1]), list(SCORES.values())[-1].name
        ),
        section="Score",
        default="bic",
    ),
    ess_option,
    check=lambda ctx, given: refuse_ess(ctx, [given.score]),
)
