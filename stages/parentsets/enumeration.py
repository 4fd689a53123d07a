"""What enumerating all parent sets takes, known before it begins: a bound on the scores that `sequential` computes.

Under a penalty c on every configuration of the parents a set S is scored only while every set of one parent less
still leaves room: for each Y in S the best score among the subsets of S - {Y} is less than -c |S|, where |S| is the
number of configurations (de Campos and Ji 2011). Scores of single parents bound those best scores from below, so S
has fewer configurations than ``-max(score of (), score of {Y}) / c`` for every Y in it. Sets with that property are
counted by their products of states, without listing them. On real tables the count exceeds what is then scored by
some percent at most.
"""

from __future__ import annotations

import math

import numpy as np

from stages.scoring.family_scorer import FamilyScorer

SECONDS_PER_SCORE = 2e-6
SECONDS_PER_ROW = 3.5e-9
"""A local score takes the one, and the other for each row; measured on six tables of 200 to 5,000 rows."""

SECONDS_WITHOUT_PENALTY = 8e-5
"""A local score where sets are ruled out by the Dirichlet bound, or not at all; measured."""


def most_scores(
    single_scores: np.ndarray,
    n_states: np.ndarray,
    score_alone: float,
    penalty: float,
    most_added: int,
    limit: float,
) -> float:
    """An upper bound on the local scores that one child's enumeration takes.

    Parameters
    ----------
    single_scores : ndarray of float64, shape (n_candidates,)
        Score with each candidate as the only parent (besides required ones), nats; where it is less than
        `score_alone` any smaller number serves as well.
    n_states : ndarray of int, shape (n_candidates,)
    score_alone : float
        Score without any of them, nats.
    penalty : float
        Nats per configuration of the candidates; 0 for none: all sets are counted.
    most_added : int
        Most candidates in a set.
    limit : float
        Counting ends when it is exceeded.
    """
    n = len(n_states)
    most_added = min(most_added, n)
    if penalty <= 0.0:
        total = 0.0
        for size in range(most_added + 1):
            total += math.comb(n, size)
            if total > limit:
                break
        return total
    total = 1.0 + (n if most_added else 0)
    room = -np.maximum(single_scores, score_alone) / penalty
    # Each set is counted with the member that leaves least room; those before it leave more.
    order = np.argsort(-room, kind="stable").tolist()
    counts: dict[tuple[int, int], int] = {(0, 1): 1}
    for candidate in order:
        states = int(n_states[candidate])
        grown = {
            (size + 1, q * states): count
            for (size, q), count in counts.items()
            if size < most_added and q * states < room[candidate]
        }
        total += sum(count for (size, _), count in grown.items() if size > 1)
        if total > limit:
            break
        for key, count in grown.items():
            counts[key] = counts.get(key, 0) + count
    return total


def seconds_of(scorer: FamilyScorer, n_scores: float) -> float:
    """About how long so many local scores take in an enumeration, on one core."""
    if scorer.definition.penalty is None:
        return n_scores * SECONDS_WITHOUT_PENALTY
    return n_scores * (SECONDS_PER_SCORE + SECONDS_PER_ROW * scorer.n_rows)
