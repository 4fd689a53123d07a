"""The table of local scores.

The checks of `stages.scoring.independent` have formulas of their own, to be independent of this table; a new score
goes there, too, and its name into `formats.schemas`.
"""

from __future__ import annotations

import math

from .definitions import Score
from .normalised_likelihood import factorised, quotient

_A_CODE = "a normalised maximum likelihood is the length of a code, not a probability under a prior"

SCORES: dict[str, Score] = {
    "bic": Score(
        "BIC",
        "Bayesian information criterion: log-likelihood less (ln rows)/2 per free parameter",
        penalty=lambda n_rows: math.log(n_rows) / 2,
    ),
    "aic": Score(
        "AIC",
        "Akaike's criterion: log-likelihood less 1 per free parameter",
        penalty=lambda n_rows: 1.0,
        no_posterior="it estimates the error of prediction",
    ),
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
    "bds": Score(
        "BDs",
        "as bdeu, with the sample size spread over the parent configurations that have rows",
        prior=lambda r, q, ess: ess / q,
        takes_ess=True,
        by_occurrence=True,
        is_equivalent=False,
    ),
    "qnml": Score(
        "qNML",
        "log-likelihood less the quotient of two multinomial regrets: of parents and child, and of parents",
        regret=quotient,
        regret_by_configurations=True,
        no_posterior=_A_CODE,
    ),
    "fnml": Score(
        "fNML",
        "log-likelihood less the multinomial regret of each parent configuration",
        regret=factorised,
        is_equivalent=False,
        no_posterior=_A_CODE,
    ),
    "ll": Score("plain log-likelihood", "maximum log-likelihood", no_posterior="it only rises with every parent"),
}
"""All scores by name."""


def recorded_ess(score: str, ess: float) -> float | None:
    """The equivalent sample size if the score has one, as headers state it."""
    return ess if SCORES[score].takes_ess else None
