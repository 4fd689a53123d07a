"""The table of local scores: their definitions, penalties or priors, and properties.

All decompose into a sum over families and are in nats, higher is better. A score is the maximum log-likelihood of a
family, with or without a penalty, or the log marginal likelihood under a Dirichlet prior. The checks of
`stages.scoring.independent` have formulas of their own, to be independent of this table; a new score goes there, too,
and its name into `formats.schemas`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Prior = Callable[[float, float, float], float]
"""``prior(r, q, ess)``: the Dirichlet parameter of one of q configurations of the parents of a child with r states,
of which every state has an equal share.
"""


@dataclass(frozen=True)
class Score:
    """One local score."""

    name: str  # name in messages and help
    definition: str  # one clause of help
    # Nats per free parameter on so many rows. Scores with a penalty c on every configuration of the parents,
    # LL - c |P|, have the bounds of `parentsets.pruning_rules` and of `optimize.climbing.climber`.
    penalty: Callable[[int], float] | None = None
    # As `Prior`. Scores with a prior have the bounds of `parentsets.dirichlet_bounds`.
    prior: Prior | None = None
    takes_ess: bool = False  # whether the prior is given by an equivalent sample size, and so depends on q as well
    # Whether Markov equivalent graphs have the same score; then an arc between two variables without parents gains
    # the same in both directions.
    is_equivalent: bool = True

    def penalty_on(self, n_rows: int) -> float:
        """Penalty in nats per free parameter; 0 where there is none."""
        return 0.0 if self.penalty is None else self.penalty(n_rows)


SCORES: dict[str, Score] = {
    "bic": Score(
        "BIC",
        "Bayesian information criterion: log-likelihood less (ln rows)/2 per free parameter",
        penalty=lambda n_rows: math.log(n_rows) / 2,
    ),
    "aic": Score("AIC", "Akaike's criterion: log-likelihood less 1 per free parameter", penalty=lambda n_rows: 1.0),
    "bdeu": Score(
        "BDeu",
        "log marginal likelihood, equivalent sample size spread over the cells of each family",
        prior=lambda r, q, ess: ess / q,
        takes_ess=True,
    ),
    "k2": Score(
        "K2",
        "log marginal likelihood, Dirichlet parameter 1 in every cell",
        prior=lambda r, q, ess: float(r),
        is_equivalent=False,
    ),
    "ll": Score("plain log-likelihood", "maximum log-likelihood"),
}


def recorded_ess(score: str, ess: float) -> float | None:
    """The equivalent sample size if the score has one, as headers state it."""
    return ess if SCORES[score].takes_ess else None
