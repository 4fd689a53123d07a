"""Pruning under the Dirichlet scores, fNML and qNML: an upper bound on a parent set and all its supersets.

The score of a configuration is the probability of its rows under a Polya urn. Rows of several child states are
at best split into one configuration for each state, and a state's rows are best kept together (proof:
`pure_cell_terms`). So any superset scores at most the sum of those terms over the cells that the set itself has:
never less than one factor 1/|X| for every cell with rows. De Campos and Ji (2011) count such factors for
configurations, Correia, Cussens and de Campos (2020) for distinct cells; here the limit on parents also bounds how
small the Dirichlet parameter of a superset can become, which tightens the term of every cell.

BDs has the prior of BDeu with at most as many configurations, so what bounds BDeu bounds it.

The same holds of terms ``sum cell[N_xp] - sum row[N_p]`` if ``row`` and ``t = cell - row`` are superadditive, as
fNML's are (`stages.scoring.normalised_likelihood`). Rows of a configuration split by the child's states add ``t`` of
each part, no less than before; and ``t`` of parts is at most ``t`` of their sum.

qNML has a bound of its own, `RegretBound`. No rule is known to us by which a parent that adds little likelihood could
be left out of all larger sets, as under a penalty by configurations.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.normalised_likelihood import quotient_regret

from .found_sets import ChildLimits
from .pruning_rules import is_excluded_by_dirichlet, pure_cell_terms

LARGEST_EXPONENT = 200
"""Largest binary logarithm of a number of configurations; larger ones count as this."""


class SupersetBound:
    """Upper bounds for one child's parent sets under a score with a Dirichlet prior, or fNML.

    ``make_terms(exponent)`` gives the terms of `terms_of`; `max_parents` and `allowed` of `limits` say how many
    configurations a superset can have. Attribute `log2_states` (float64, shape (n_allowed + 1,)): binary logarithm of
    the most configurations that this number of further parents can have.
    """

    def __init__(
        self, scorer: FamilyScorer, make_terms: Callable[[int], np.ndarray], child: int, limits: ChildLimits
    ):
        self.scorer = scorer
        self.make_terms = make_terms
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
        if not self.scorer.definition.by_configurations:
            exponent = 0
        else:
            # A superset multiplies the number of configurations by at most the states of the largest candidates that
            # still fit.
            n_more = min(self.max_parents - len(parents), len(self.log2_states) - 1)
            log_q = math.log2(self.scorer.n_configurations(parents)) + self.log2_states[n_more]
            if self.scorer.definition.by_occurrence:
                log_q = min(log_q, math.log2(self.scorer.n_rows))
            # Rounded up, so that few tables serve all sets; this only weakens the bound.
            exponent = min(math.ceil(log_q - 1e-9), LARGEST_EXPONENT)
        return self.terms_of(exponent)

    def terms_of(self, exponent: int) -> np.ndarray:
        """Terms of the cells of a set whose supersets have at most ``2**exponent`` configurations."""
        if exponent not in self._tables:
            self._tables[exponent] = self.make_terms(exponent)
        return self._tables[exponent]


class RegretBound:
    """Upper bounds for one child's parent sets under qNML, in nats; interface of `SupersetBound` for enumerations.

    The log-likelihood is at most 0, and the regret never falls as configurations are added (proof:
    `stages.scoring.normalised_likelihood`).
    """

    def __init__(self, scorer: FamilyScorer, child: int, allowed: np.ndarray):
        self.scorer, self.n_child_states = scorer, int(scorer.n_states[child])
        self.least_states = float(scorer.n_states[allowed].min(initial=2))

    def __call__(self, parents: tuple[int, ...]) -> float:
        """Upper bound on the score of every set with these parents and more."""
        q = self.scorer.n_configurations(parents) * self.least_states
        return -quotient_regret(self.scorer.n_rows, self.n_child_states, q)

    def excludes(self, parents: tuple[int, ...], best: float) -> bool:
        """Whether a score reached by `parents` or a subset dominates all their supersets."""
        return best >= self(parents)

    def of_larger_sets(self, required: tuple[int, ...], allowed: np.ndarray) -> float:
        """Upper bound on the score of any set with more than the required parents."""
        return self(required) if len(allowed) else -math.inf


def enumeration_bound(scorer: FamilyScorer, child: int, limits: ChildLimits) -> SupersetBound | RegretBound | None:
    """The bound by which an enumeration leaves out sets, or None where the score has none."""
    if scorer.definition.regret_by_configurations:
        return RegretBound(scorer, child, limits.allowed)
    return superset_bound(scorer, child, limits)


def superset_bound(scorer: FamilyScorer, child: int, limits: ChildLimits) -> SupersetBound | None:
    """The bound of the scorer's score, or None where the score has none."""
    definition, r = scorer.definition, int(scorer.n_states[child])
    prior = definition.prior
    if not definition.bounds_supersets:
        return None
    if prior is None:
        cell, row = scorer.tables.of_family(child, 1.0)
        return SupersetBound(scorer, lambda exponent: cell - row, child, limits)

    def dirichlet_terms(exponent: int) -> np.ndarray:
        return pure_cell_terms(prior(r, 2.0**exponent, scorer.ess), r, scorer.n_rows)

    return SupersetBound(scorer, dirichlet_terms, child, limits)
