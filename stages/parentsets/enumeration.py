"""Bounds on the number of scores that a complete enumeration (`sequential`) computes, before it begins.

Under a penalty c per configuration of the parents, a set S is scored only while every set of one parent less stays
open. That is, for each Y in S the best score among the subsets of S - {Y} is less than -c |S|, where |S| is the
number of configurations (de Campos and Ji 2011). Scores of single parents bound these best scores from below, so S
has fewer configurations than ``-max(score of (), score of {Y}) / c`` for every Y in it. Sets with that property are
counted by their products of states, without listing them. On real tables the count exceeds the number of sets then
scored by some per cent at most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from stages.scoring.family_scorer import FamilyScorer

SECONDS_PER_BINARY_SCORE = 2e-8
SECONDS_PER_SCORE = 1.2e-6
"""Time of a local score: if all variables have at most two states, and if some have more.

Measured within searches, without listing: binary 2.8e-8 s on 1,600 rows with three parents; 2 to 4
states 1.1e-6 s on 1,000 rows with five parents, 4e-7 with three; ten states 1.2e-6 s on 5,000 rows.
"""

SECONDS_PER_BINARY_ROW = 2e-12
SECONDS_PER_ROW = 7e-10
"""Additional time per row of binary tables (3.5e-7 s a score on 180,000 rows), and per distinct row of others: 2 to 6
states 2.2e-6 s for a score of the forecast on 500 rows, 5.8e-6 on 5,000, 2.1e-5 on 20,000.
"""

SECONDS_PER_CELL = 1e-9
"""Additional time per cell of a binary set with the child; sets of more than 12 take up to three times as long."""

SECONDS_WITHOUT_PENALTY = 8e-5
"""Time of a local score if sets are excluded by the Dirichlet bound or not at all; measured."""


MOST_COMBINATIONS = 20_000
"""Largest number of distinct combinations; beyond it, numbers of configurations are rounded."""


Combinations = dict[tuple[int, float], int]
"""Number of sets for each number of members and of configurations."""


def configuration_caps(single_scores: np.ndarray, score_alone: float, penalty: float) -> np.ndarray:
    """For each candidate, the least number of configurations at which a set with it is not scored; inf without
    penalty.

    Parameters
    ----------
    single_scores : ndarray of float64, shape (n_candidates,)
        Score with each candidate as the only parent (besides required ones), nats. A candidate whose score is below
        `score_alone`, or unknown, may have any smaller number.
    score_alone : float
        Score without any of them, nats.
    penalty : float
        Nats per configuration of the candidates; 0 for none.
    """
    if penalty <= 0.0:
        return np.full(len(single_scores), np.inf)
    return -np.maximum(single_scores, score_alone) / penalty


def count_sets(n_states: np.ndarray, caps: np.ndarray, most_added: int, limit: float = math.inf) -> list[int]:
    """Upper bounds on the local scores that one child's enumeration takes, by the number of candidates in a set.

    Parameters
    ----------
    n_states : ndarray of int, shape (n_candidates,)
        Numbers of states of the candidates.
    caps : ndarray of float64, shape (n_candidates,)
        Of `configuration_caps`.
    most_added : int
        Most candidates in a set.
    limit : float
        Counting ends when the sum exceeds it.
    """
    n = len(n_states)
    most_added = min(most_added, n)
    if np.isinf(caps).all():
        return _count_all(n, most_added, limit)
    # The smallest set and the sets with one candidate more are always scored.
    counts = [1, n, *[0] * (most_added - 1)][: most_added + 1]
    # By decreasing cap: each set is counted when its last member, with the least cap, is added.
    partial: Combinations = {(0, 1.0): 1}
    for cap, states, available in _groups(caps, n_states):
        grown = _grown(partial, states, available, cap, most_added)
        for (size, _), ways in grown.items():
            if size > 1:
                counts[size] += ways
        if sum(counts) > limit:
            break
        for key, ways in grown.items():
            partial[key] = partial.get(key, 0) + ways
        if len(partial) > MOST_COMBINATIONS:
            partial = _rounded(partial)
    return counts


def _groups(caps: np.ndarray, n_states: np.ndarray) -> list[tuple[float, float, int]]:
    """Groups of equal candidates: cap, number of states, number of candidates; by decreasing cap."""
    # Products of numbers of states are whole: they are below a cap if they are below the next whole number.
    caps, states = np.ceil(caps), np.asarray(n_states, dtype=np.float64)
    order = np.lexsort((states, -caps))
    caps, states = caps[order], states[order]
    firsts = np.flatnonzero(np.append(True, (caps[1:] != caps[:-1]) | (states[1:] != states[:-1])))
    sizes = np.diff(np.append(firsts, len(order)))
    return list(zip(caps[firsts].tolist(), states[firsts].tolist(), sizes.tolist()))


def _grown(partial: Combinations, states: float, available: int, cap: float, most_added: int) -> Combinations:
    """The combinations with one or more of `available` equal candidates added, below their cap."""
    grown: Combinations = {}
    for (size, q), ways in partial.items():
        for k in range(1, min(available, most_added - size) + 1):
            product = q * states**k
            # Further members only add configurations.
            if product >= cap:
                break
            key = size + k, product
            grown[key] = grown.get(key, 0) + ways * math.comb(available, k)
    return grown


def _count_all(n: int, most_added: int, limit: float) -> list[int]:
    counts = [0] * (most_added + 1)
    total = 0
    for size in range(most_added + 1):
        counts[size] = math.comb(n, size)
        total += counts[size]
        if total > limit:
            break
    return counts


def _rounded(partial: Combinations) -> Combinations:
    """Numbers of configurations rounded down to powers of two, so that no set is lost."""
    rounded: Combinations = {}
    for (size, q), ways in partial.items():
        key = size, 2.0 ** math.floor(math.log2(q))
        rounded[key] = rounded.get(key, 0) + ways
    return rounded


def seconds_of(scorer: FamilyScorer, counts: Sequence[int]) -> float:
    """Estimated seconds on one core for scores by their number of parents, without the cost of listing sets."""
    if scorer.definition.penalty is None:
        return sum(counts) * SECONDS_WITHOUT_PENALTY
    if scorer.n_states.max() > 2:
        return sum(counts) * SECONDS_PER_SCORE * slowdown(scorer)
    # No table has 2^63 rows.
    cells = sum(count * min(2.0 ** min(size + 1, 63), scorer.n_rows) for size, count in enumerate(counts))
    each = SECONDS_PER_BINARY_SCORE + SECONDS_PER_BINARY_ROW * scorer.n_rows
    return sum(counts) * each + cells * SECONDS_PER_CELL


def slowdown(scorer: FamilyScorer) -> float:
    """Time of a score relative to few rows, by `seconds_of`; 1 if all variables are binary."""
    if scorer.definition.penalty is None or scorer.n_states.max() <= 2:
        return 1.0
    return 1.0 + SECONDS_PER_ROW / SECONDS_PER_SCORE * len(scorer.data.weights)
