"""Pruning under the Dirichlet scores (BDeu, K2): an upper bound on the scores of a parent set and all its supersets.

The score of a configuration is the probability of its rows under a Polya urn. Rows of several child states are at
best split into one configuration for each state, and a state's rows are best kept together (proof:
`pure_cell_terms`). So any superset scores at most the sum of these terms over the cells of the set itself. Each cell
with rows contributes a factor of at most 1/|X|. De Campos and Ji (2011) count such factors for configurations,
Correia, Cussens and de Campos (2020) for distinct cells; here the limit on parents also bounds how small the
Dirichlet parameter of a superset can become, which tightens the term of every cell.
"""

from __future__ import annotations

import math

import numpy as np

from stages.scoring.definitions import Prior
from stages.scoring.family_scorer import FamilyScorer

from .child_search import ChildLimits
from .pruning_rules import is_excluded_by_dirichlet, pure_cell_terms

LARGEST_EXPONENT = 200
"""Largest binary logarithm of a number of configurations; larger ones count as this."""


class SupersetBound:
    """Upper bounds for one child's parent sets under a score with a Dirichlet prior.

    `prior` is the prior of the scorer's score; `max_parents` and `allowed` of `limits` determine how many
    configurations a superset can have. Attribute `log2_states` (float64, shape (n_allowed + 1,)): binary logarithm of
    the largest number of configurations by the number of further parents.
    """

    def __init__(self, scorer: FamilyScorer, prior: Prior, child: int, limits: ChildLimits):
        self.scorer = scorer
        self.prior = prior
        self.child = child
        self.max_parents = limits.max_parents
        states = np.sort(scorer.n_states[limits.allowed].astype(np.float64))[::-1]
        self.log2_states = np.concatenate(([0.0], np.cumsum(np.log2(states))))
        self._tables: dict[int, np.ndarray] = {}

    def __call__(self, parents: tuple[int, ...]) -> float:
        """Upper bound in nats on the score of `parents` and of all supersets within the limits."""
        terms = self._terms(parents)
        if not parents:
            first, end = self.scorer.data.state_offsets[self.child : self.child + 2].tolist()
            return math.fsum(terms[self.scorer.state_counts[first:end]].tolist())
        # An expansion whose tables contain only the terms of cells, which it sums.
        *rest, last = parents
        out = np.empty(self.scorer.n_variables)
        tables = self.scorer.tables.of_terms(terms)
        self.scorer.expand_with(tables, self.child, rest, np.array([last], dtype=np.int32), out)
        return float(out[last])

    def excludes(self, parents: tuple[int, ...], best: float) -> bool:
        """Whether a score reached by `parents` or a subset dominates all their supersets."""
        terms = self._terms(parents)
        cells = min(self.scorer.n_configurations((self.child, *parents)), self.scorer.n_rows)
        # Terms fall ever more slowly with the number of rows, so their sum is least when `cells` cells share the rows
        # equally.
        if best < cells * terms[math.ceil(self.scorer.n_rows / cells)]:
            return False
        return bool(is_excluded_by_dirichlet(best, self(parents)))

    def of_larger_sets(self, required: tuple[int, ...], allowed: np.ndarray) -> float:
        """Upper bound in nats on the score of any set with more than the required parents."""
        singles = (tuple(sorted((*required, y))) for y in allowed.tolist())
        # Any larger set contains one of these, whose bound covers its supersets.
        return max(map(self, singles), default=-math.inf)

    def _terms(self, parents: tuple[int, ...]) -> np.ndarray:
        if not self.scorer.definition.takes_ess:
            exponent = 0
        else:
            # A superset multiplies the number of configurations by at most the states of the largest candidates that
            # still fit.
            n_more = min(self.max_parents - len(parents), len(self.log2_states) - 1)
            log_q = math.log2(self.scorer.n_configurations(parents)) + self.log2_states[n_more]
            # Rounded up, so that few tables serve all sets; this only weakens the bound.
            exponent = min(math.ceil(log_q - 1e-9), LARGEST_EXPONENT)
        return self.terms_of(exponent)

    def terms_of(self, exponent: int) -> np.ndarray:
        """Terms of the cells of a set whose supersets have at most ``2**exponent`` configurations."""
        if exponent not in self._tables:
            r = int(self.scorer.n_states[self.child])
            alpha = self.prior(r, 2.0**exponent, self.scorer.ess)
            self._tables[exponent] = pure_cell_terms(alpha, r, self.scorer.n_rows)
        return self._tables[exponent]


def superset_bound(scorer: FamilyScorer, child: int, limits: ChildLimits) -> SupersetBound | None:
    """The bound for the scorer's score, or None if it is no Dirichlet score."""
    prior = scorer.definition.prior
    return None if prior is None else SupersetBound(scorer, prior, child, limits)
