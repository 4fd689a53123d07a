"""Pruning rules of best-first selection and the estimate BIC*, one function each.

Each rule proves that a parent set and all its supersets are dominated, so that they can be pruned. The rules hold for
BIC and, with its penalty, for AIC. Their scores have the form LL - c |P|: LL <= 0 is the log-likelihood in nats, |P|
the product of the parents' numbers of states and c the penalty per configuration, ``c(X) = (ln N / 2)(|X| - 1)`` for
BIC. Entropies are multiplied by N (nats, ``N H(X) = -LL(X)``).
"""

from __future__ import annotations

from stages.kernels.jit import borrowing


@borrowing
def bic_star(score_1, score_2, n_configurations_1, n_configurations_2, empty_score, penalty):
    """BIC* of the union of two disjoint non-empty parent sets (Scanagatta et al. 2015, definition 1).

    Equals BIC plus a term ``-N ii`` that vanishes when the sets act independently; nats.
    """
    coupling = n_configurations_1 + n_configurations_2 - n_configurations_1 * n_configurations_2 - 1
    return score_1 + score_2 + penalty * coupling - empty_score


@borrowing
def bic_star_error(entropy_child, entropy_1, entropy_2):
    """Upper bound on ``|BIC - BIC*|`` (Scanagatta et al. 2015, corollary 1); entropies times N, nats."""
    return min(entropy_child, entropy_1, entropy_2)


@borrowing
def is_excluded_by_bic_star(star, penalty, n_configurations_superset, error):
    """Theorem 2 of Scanagatta et al. 2015: a superset of P1 + P2 with `n_configurations_superset` configurations is
    dominated.

    `star` is BIC* of (P1, P2) and `error` its `bic_star_error`; strict, as in the paper.
    """
    return star + penalty * n_configurations_superset > error


@borrowing
def is_excluded_by_penalty(score, penalty, n_configurations_superset):
    """Whether a set's score already reaches the best possible score of a larger set (de Campos & Ji 2011).

    LL <= 0 gives ``score(P') <= -c |P'|``; so P' and all its supersets are dominated by the scored subset.
    """
    return score >= -penalty * n_configurations_superset


@borrowing
def is_excluded_by_entropy(entropy_child_given, entropy_new_given, penalty, n_configurations, n_new_states):
    """Whether the new parent cannot earn its penalty (de Campos, Scanagatta, Corani & Zaffalon 2018).

    Adding Y to P raises LL by at most ``N min{H(X|P), H(Y|P)}``, and the penalty by ``c |P| (|Y| - 1)``. Both bounds
    can only tighten for supersets of P, so P + {Y} and all its supersets are pruned. ``entropy_new_given`` may be ``N
    H(Y)``, which is never smaller than ``N H(Y|P)``.

    It implies Theorem 1 of Scanagatta et al. 2016: there ``N MI(X; Y) + N min{H(X), H(Y)}``, at least the gain here,
    must not exceed the same penalty.
    """
    gain = min(entropy_child_given, entropy_new_given)
    return gain <= penalty * n_configurations * (n_new_states - 1)
