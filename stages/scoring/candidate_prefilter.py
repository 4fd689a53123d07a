"""Prefilter of thousands of candidate parents on a share of the rows; only the most promising are scored exactly.

Scoring the extensions of a set by n variables takes n passes over all rows. An extension that improves BIC gains at
least ``ln(N) / 2`` nats in log-likelihood per parameter; chance gains one half on average. So a fifth of the rows
already separates nearly all improving variables from the rest, and more clearly for more parameters. With 10,000
variables and 5,000 rows the prefilter takes a quarter of the time and loses less than a thousandth of the gain
(measured). With fewer candidates all are scored exactly.
"""

from __future__ import annotations

import math

import numpy as np

from formats.data_records import Dataset

from .family_scorer import FamilyScorer
from .scores import SCORES

MANY_CANDIDATES = 2_000
"""Up to this number of candidates, all are scored exactly."""

ROW_SHARE = 0.2
LEAST_ROWS = 1_024
"""Share of the rows in the sample, and least number of rows."""

KEPT = 256
"""Candidates scored exactly for every set, besides the ones of strong pairwise dependence."""

KEPT_ALONE = 128
"""Candidates of strongest pairwise dependence, always scored exactly."""


class RowSample:
    """A fixed random sample of a data set's rows, used to rank extensions; `scorer` has all rows."""

    def __init__(self, scorer: FamilyScorer):
        dataset = scorer.dataset
        n_rows = sampled_rows(scorer.n_rows)
        rows = np.sort(np.random.default_rng(0x5EED).choice(scorer.n_rows, n_rows, replace=False))
        codes = np.ascontiguousarray(dataset.codes[:, rows])
        self.scorer = scorer
        self.ratio = scorer.n_rows / n_rows  # rows of the data per sampled row
        sampled = Dataset(dataset.variables, codes, dataset.fingerprint)
        self.likelihood = FamilyScorer(sampled, "ll", stop=scorer.stop)  # log-likelihoods on the sampled rows

    def shortlist(self, child: int, parents: tuple[int, ...], candidates: np.ndarray) -> np.ndarray:
        """The `KEPT` candidates of largest estimated gain when added to `parents` (int32, ascending); all if fewer.

        Only the excess of the sample's log-likelihood gain over its expectation under independence (half a nat per
        parameter) is scaled to all rows. Then the expectation is added, and the penalty of all rows subtracted.
        """
        if len(candidates) <= KEPT:
            return candidates
        # Scores and parameters with each candidate: the parts of the set itself are the same for all and cancel in
        # the ranking.
        gains = self.likelihood.expand(child, parents, candidates)[candidates]
        free = float(self.scorer.n_states[child] - 1)
        parameters = free * self.scorer.n_configurations(parents) * self.scorer.n_states[candidates]
        weight = self._penalty_per_parameter() + (self.ratio - 1.0) / 2.0
        promise = self.ratio * gains - weight * parameters
        best = np.argpartition(-promise, KEPT)[:KEPT]
        return np.sort(candidates[best])

    def _penalty_per_parameter(self) -> float:
        definition = self.scorer.definition
        # BIC approximates the log marginal likelihood, so its penalty stands in for that of a prior, or of terms.
        asymptotic = definition if definition.is_likelihood else SCORES["bic"]
        return asymptotic.penalty_on(self.scorer.n_rows)


def sampled_rows(n_rows: int) -> int:
    """Rows of the sample of `n_rows` rows."""
    return min(n_rows, max(LEAST_ROWS, math.ceil(ROW_SHARE * n_rows)))


def make_row_sample(scorer: FamilyScorer) -> RowSample | None:
    """A row sample if there are many variables, at least twice as many rows as in the sample, and neither
    interventions nor a prior of arcs; else None.
    """
    saves = scorer.n_variables > MANY_CANDIDATES and 2 * sampled_rows(scorer.n_rows) <= scorer.n_rows
    # A child may have been set in all rows of a sample; the ranking by likelihood would drop arcs of a strong prior.
    is_plain = not scorer.parts and scorer.gains is None
    return RowSample(scorer) if saves and is_plain else None


def strongest_alone(scorer: FamilyScorer, child: int, candidates: np.ndarray, improvements: np.ndarray) -> np.ndarray:
    """The `KEPT_ALONE` candidates of strongest `dependence`, ascending; parameters as in that function."""
    if len(candidates) <= KEPT_ALONE:
        return candidates
    best = np.argpartition(-dependence(scorer, child, candidates, improvements), KEPT_ALONE)[:KEPT_ALONE]
    return np.sort(candidates[best])


def dependence(scorer: FamilyScorer, child: int, candidates: np.ndarray, improvements: np.ndarray) -> np.ndarray:
    """Pairwise dependence beyond chance, float64, shape (n_candidates,).

    It is the likelihood-ratio statistic less its mean under independence (its degrees of freedom), in units of its
    standard deviation. So variables with many states are not penalised before other parents are known. `improvements`
    (float64, shape (n_candidates,)) are in nats: the score of each candidate as the only parent less the score of the
    empty set.
    """
    more_states = np.maximum(scorer.n_states[candidates] - 1.0, 1.0)
    gain = improvements + scorer.penalty(child) * more_states
    free = more_states * max(float(scorer.n_states[child]) - 1.0, 1.0)
    return (2.0 * gain - free) / np.sqrt(2.0 * free)
