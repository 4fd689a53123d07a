"""Exact local scores (BIC) of all pairs per second and thread, both directions, the best of every child chosen.

"words/s" are the words of bitmaps that one count of every pair of states takes (less one state of each variable);
"of limit" is their share of what the machine can AND and popcount in cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stages.scoring.family_scorer import FamilyScorer

from .cases import best_seconds, sampled
from .limits import WORDS_IN_CACHE, words_per_second

MOST_PARENTS = 128


def measure() -> Iterator[dict[str, object]]:
    """One row per data set."""
    for n_rows, n_variables, n_states in ((16_000, 400, 2), (5_000, 2_000, 2), (5_000, 500, 4)):
        pairs = FamilyScorer(sampled(n_rows, n_variables, n_states)).pairs()
        pairs.score(pairs.tiles[0])
        seconds = best_seconds(partial(pairs.best_parents, MOST_PARENTS))
        scores = n_variables * (n_variables - 1) / seconds
        words = scores / 2 * (n_states - 1) ** 2 * n_rows / 64
        yield {
            "case": f"{n_states} states",
            "rows": n_rows,
            "variables": n_variables,
            "scores/s": scores,
            "words/s": words,
            "of limit": words / words_per_second(WORDS_IN_CACHE),
        }
