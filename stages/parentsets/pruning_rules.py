"""Rules that exclude parent sets before they are scored: under a penalty, and under the Dirichlet scores.

The rules that best-first selection applies to every set are compiled, in
`stages.published.scanagatta_2015.kernels.pruning`.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.counting.score_tables import log_gamma_table


def worth_of_parent(entropy_new, n_new_states, rounding):
    """Least penalty ``c |P|`` at which no set P with the parent Y, nor any superset, can score more than its subsets.

    It is `is_excluded_by_entropy` of the kernels with ``N H(Y)``, solved for the penalty. With little data and rare
    states this excludes most of an enumeration (audiology: 226 rows, 70 variables, 80 % of the scores with three
    parents, 95 % with four; lung cancer: 32 rows, 22 %); with thousands of rows it excludes nothing (nltcs, msnbc,
    plants, dna, accidents). Tried: the smallest ``N H(Y|Z)`` over members Z, from a table of all pairs. It excluded
    another 10 % of the scores on 100 rows (zoo), 13 % on 226, 38 % on 32, and nothing on thousands.

    Parameters
    ----------
    entropy_new : float or ndarray
        N H(Y) in nats.
    n_new_states : int or ndarray
        At least 2.
    rounding : float
        Rounding error of scores in nats, plus the margin by which a kept set may score less than the best: adding Y
        to any set with P gains at most ``N H(Y)`` over a score that is not above the best.
    """
    return (entropy_new + rounding) * n_new_states / (n_new_states - 1)


def unlisted_bound(penalty, n_configurations):
    """Upper bound on the score of any set with at least `n_configurations` configurations (LL <= 0); nats."""
    return -penalty * n_configurations


def is_excluded_by_dirichlet(score, bound):
    """Whether a set's best subset (or the set itself) already reaches the upper bound for it and its supersets under
    BDeu or K2.
    """
    return score >= bound


def pure_cell_terms(alpha: float, n_child_states: int, n_rows: int) -> np.ndarray:
    """Upper bound on the contribution of m rows of one child state in one configuration to the Dirichlet score of any
    superset.

    The Polya urn gives n rows the factor ``prod_k prod_{i<n_k} (a/r + i) / prod_{t<n} (a + t)``. Splitting by
    state never lowers it, since ``prod_{t<n} (a + t) >= prod_k prod_{i<n_k} (a + i)``; splitting rows of one state
    never raises it, since ``(a/r + i) / (a + i)`` grows with i; and it falls with a, so the smallest Dirichlet
    parameter that a refinement can have bounds all. As a vanishes a term becomes ``-ln r``, the bound of
    Correia, Cussens and de Campos (2020).

    `alpha` is the smallest sum of a configuration's Dirichlet parameters: ess over the most configurations for BDeu.
    Returns float64, shape (n_rows + 1,): nats for m = 0, ..., n_rows.
    """
    return log_gamma_table(alpha / n_child_states, n_rows) - log_gamma_table(alpha, n_rows)
