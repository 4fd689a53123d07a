"""The table of local scores: those of this project, and scores that other packages add by the entry point
``bnsl.scores``.

The checks of `stages.scoring.independent` have formulas of their own, to be independent of this table; a new score
goes there, too, and its name into `formats.schemas`. A score of another package is its entry alone (`penalised`,
`counted`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from formats.discovery import UnusableError, discovered

from .definitions import Score, Terms
from .normalised_likelihood import entropy_terms, factorised_rows, quotient_rows

_A_CODE = "a normalised maximum likelihood is the length of a code, not a probability under a prior"

MAIN_SCORES: dict[str, Score] = {
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
        terms=Terms(entropy_terms, quotient_rows, bounds_supersets=False),
        no_posterior=_A_CODE,
    ),
    "fnml": Score(
        "fNML",
        "log-likelihood less the multinomial regret of each parent configuration",
        terms=Terms(entropy_terms, factorised_rows, bounds_supersets=True),
        is_equivalent=False,
        no_posterior=_A_CODE,
    ),
    "ll": Score("plain log-likelihood", "maximum log-likelihood", no_posterior="it only rises with every parent"),
}


def _check(name: str, score: Any, present: Mapping[str, Score], found: Mapping[str, Score]) -> None:
    """Refuse an invalid score of another package; see `discovered`."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UnusableError(f"{name!r} is no name of a score (small letters, digits, underscores)")
    if name in present or name == "unknown":
        raise UnusableError(f"another score has the name {name!r}")
    if not isinstance(score, Score) or score.prior is not None or not (callable(score.penalty) or score.terms):
        raise UnusableError(f"{name!r} is not made by penalised(name, penalty) or counted(name, cell, row)")


SCORES: dict[str, Score] = discovered("bnsl.scores", "scores", MAIN_SCORES, _check)
"""All scores by name."""


def recorded_ess(score: str, ess: float) -> float | None:
    """The equivalent sample size if the score has one, as headers state it."""
    return ess if SCORES[score].takes_ess else None
