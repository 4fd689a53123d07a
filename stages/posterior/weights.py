"""Listed sets as weights: ``exp(score)``, relative to each child's best set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.errors import StageError
from stages.scoring.scores import SCORES

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.reporting import Reporter

NO_POSTERIOR = {
    "ll": "it only rises with every parent",
    "aic": "it estimates the error of prediction",
}
"""Scores that are no logarithm of a probability, not even about, and why."""


def require_posterior_score(table: ParentSetTable) -> None:
    """Refuse scores that are no logarithms of marginal likelihoods, exact or (BIC) about.

    Raises
    ------
    StageError
    """
    score = table.header.score
    if score in NO_POSTERIOR:
        raise StageError(
            f"these sets are scored by {SCORES[score].name}, which is no log-posterior: {NO_POSTERIOR[score]}\n"
            "  score them anew: bnsl parentsets --score bdeu --keep-mass 1e-3 DATA"
        )


def tell_of_lists(table: ParentSetTable, reporter: Reporter) -> None:
    """Warn where lists lack sets that count, and of scores that nobody knows."""
    if table.header.score == "unknown":
        reporter.warn("the file does not say what its scores are: taken as logarithms of probabilities")
    if "keep_mass" not in table.header.extra and not _lists_dominated(table):
        reporter.warn(
            "these lists lack all sets that a subset dominates, so probabilities are off (by tenths at times): "
            "make lists for this with bnsl parentsets --keep-mass 1e-3"
        )
    n_incomplete = int((~table.complete & ~table.fixed).sum())
    if n_incomplete:
        reporter.detail(f"{n_incomplete} of {table.n_variables} lists are not complete: others count nothing")
    else:
        reporter.detail(f"all lists are complete{_within(table)}")
    if listed_share(table) is None:
        reporter.detail("no bound is known on the probability of networks with sets that are not listed")


def listed_share(table: ParentSetTable) -> float | None:
    """Share of the probability of all networks within the lists' limits that those of listed sets have at least.

    Between 0 and 1, from what `stages.parentsets.left_out` tells of every child; None where that is not known.
    """
    left_out = np.where(table.fixed, 0.0, table.left_out)
    return None if np.isnan(left_out).any() else math.exp(-math.fsum(np.log1p(left_out).tolist()))


def share_text(table: ParentSetTable) -> str:
    """What `listed_share` says, for a summary; nothing where it is not known."""
    share = listed_share(table)
    if share is None:
        return ""
    known = "1" if share == 1.0 else f"{math.floor(1e4 * share) / 1e4:.4f} or more"
    return f"; networks of listed sets have {known} of the probability of all{_within(table)}"


def _within(table: ParentSetTable) -> str:
    limits = table.header.limits or {}
    return f" within {limits['max_parents']} parents" if "max_parents" in limits else ""


def _lists_dominated(table: ParentSetTable) -> bool:
    """Whether there is a set that a listed subset dominates."""
    from stages.kernels.dominance import mark_undominated

    for start, end in zip(table.set_offsets[:-1].tolist(), table.set_offsets[1:].tolist()):
        offsets = table.parent_offsets[start : end + 1]
        members = table.parents[offsets[0] : offsets[-1]]
        if not mark_undominated(
            offsets - offsets[0], members, table.n_variables, np.arange(len(offsets) - 1)
        ).all():
            return True
    return False


def relative_scores(table: ParentSetTable) -> np.ndarray:
    """Score of every set less that of its child's best, nats; float64, shape (n_sets,)."""
    sizes = np.diff(table.set_offsets)
    return table.scores - np.repeat(table.scores[table.set_offsets[:-1]], sizes)


def scaled_weights(log_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``exp(log_weights)`` as mantissas and powers of two, for `stages.kernels.posterior.scaled`.

    Parameters
    ----------
    log_weights : ndarray of float64
        Nats, at most 0.

    Returns
    -------
    mantissas : ndarray of float64
    exponents : ndarray of int32
    """
    from stages.kernels.posterior.scaled import LEAST_EXPONENT

    logarithms = np.maximum(log_weights / math.log(2.0), LEAST_EXPONENT)
    exponents = np.floor(logarithms)
    return np.exp2(logarithms - exponents), exponents.astype(np.int32)
