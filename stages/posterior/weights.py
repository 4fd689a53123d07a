"""Listed sets as weights: ``exp(score)``, relative to each child's best set."""

from __future__ import annotations

import math

import numpy as np

from formats.records import ParentSetTable
from formats.wording import plural
from stages.kernels.posterior.scaled_numbers import LEAST_EXPONENT
from stages.knowledge import Knowledge
from stages.lists.constrain import keep_admissible, require_least_sets
from stages.lists.undominated import undominated_sets
from stages.runtime.errors import StageError
from stages.runtime.reporting import Reporter
from stages.scoring.scores import SCORES

LEAST_SHOWN = 1e-4
"""Shares are shown in whole multiples of it."""


def require_posterior_score(table: ParentSetTable) -> None:
    """Raise `StageError` for scores that are not logarithms of marginal likelihoods, exact or approximate (BIC)."""
    score = SCORES.get(table.header.score)
    if score is not None and score.no_posterior:
        raise StageError(
            f"these sets are scored by {score.name}, which is no log-posterior: {score.no_posterior}\n"
            "  score them anew: bnsl parentsets --score bdeu --keep-mass 1e-3 DATA"
        )


def report_lists(table: ParentSetTable, reporter: Reporter) -> None:
    """Warn of lists that lack sets of positive weight, and of unknown scores."""
    if table.header.score == "unknown":
        reporter.warn("the file does not name its score: the scores are taken as logarithms of probabilities")
    elif table.header.score not in SCORES:
        reporter.warn(
            f"{table.header.score!r} is no score of this program: the scores are taken as logarithms of probabilities"
        )
    if "keep_mass" not in table.header.extra and undominated_sets(table).all():
        reporter.warn(
            "these lists lack all sets that a subset dominates, so probabilities can be off by tenths: "
            "make lists with bnsl parentsets --keep-mass 1e-3"
        )
    n_incomplete = int((~table.complete & ~table.fixed).sum())
    if n_incomplete:
        reporter.detail(
            f"{n_incomplete} of {table.n_variables} lists are not complete; sets that are not listed are impossible"
        )
    else:
        reporter.detail(f"all lists are complete{_within(table)}")


def listed_share(table: ParentSetTable) -> float | None:
    """Lower bound on the probability of networks of listed sets, as a share of all networks within the lists' limits.

    It follows from the bounds on unlisted sets of each child (`stages.parentsets.omitted_mass`); None if one is not
    known.
    """
    left_out = np.where(table.fixed, 0.0, table.left_out)
    return None if np.isnan(left_out).any() else math.exp(-math.fsum(np.log1p(left_out).tolist()))


def share_text(table: ParentSetTable) -> str:
    """`listed_share` in words, for a summary."""
    share = _said_share(table)
    if share is None:
        return (
            "; sets that are not listed count as impossible, and their share of the probability is not known (it "
            "is for lists of bnsl parentsets --sequential --keep-mass 1e-6 under the same constraints)"
        )
    return f"; networks of the listed sets have {_at_least(share)} of the probability of all networks{_within(table)}"


def _said_share(table: ParentSetTable) -> float | None:
    """`listed_share`; None, too, if it is below what `_at_least` shows."""
    share = listed_share(table)
    return None if share is None or share < LEAST_SHOWN else share


def _at_least(share: float) -> str:
    return "all" if share == 1.0 else f"at least {math.floor(share / LEAST_SHOWN) * LEAST_SHOWN:.4f}"


def constrained(table: ParentSetTable, knowledge: Knowledge, reporter: Reporter) -> ParentSetTable:
    """The sets that agree with knowledge; a line says what it does to the share of networks of listed sets.

    Raises `InfeasibleError` as `stages.lists.constrain` does.
    """
    kept = keep_admissible(table, knowledge)
    require_least_sets(kept, knowledge)
    before, under = _said_share(table), _said_share(kept)
    if before is not None and before != under:
        known = "an unknown share" if under is None else _at_least(under)
        reporter.summary(
            f"networks of the listed sets have {_at_least(before)} of the probability of all networks"
            f"{_within(table)} without the constraints, and {known} under them"
        )
    return kept


def _within(table: ParentSetTable) -> str:
    limits = table.header.limits or {}
    return f" with at most {plural(limits['max_parents'], 'parent')} each" if "max_parents" in limits else ""


def scaled_weights(log_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``exp(log_weights)`` as mantissas and powers of two, for `stages.kernels.posterior.scaled_numbers`.

    Log-weights are in nats, at most 0. Returns mantissas, float64, and exponents, int32.
    """
    logarithms = np.maximum(log_weights / math.log(2.0), LEAST_EXPONENT)
    exponents = np.floor(logarithms)
    return np.exp2(logarithms - exponents), exponents.astype(np.int32)
