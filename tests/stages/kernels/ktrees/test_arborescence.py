"""The best arborescence against all choices of entering arcs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds

from stages.kernels.ktrees.arborescence import best_arborescence


def best_by_choices(n, arcs):
    """Largest gain of one arc into every vertex but the last, all of which are reached from that."""
    best = -np.inf
    for picks in itertools.product(*([a for a in arcs if a[1] == v] for v in range(n - 1))):
        above = {head: tail for tail, head, _ in picks}
        reached = {n - 1}
        while more := {v for v, tail in above.items() if tail in reached} - reached:
            reached |= more
        if len(reached) == n:
            best = max(best, sum(gain for *_, gain in picks))
    return best


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_best_of_all_arborescences(seed, ties):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 5
    # Every vertex can be entered from the root, so that there is an arborescence.
    arcs = [(n - 1, v, float(rng.normal(-3, 1))) for v in range(n - 1)]
    arcs += [(a, b, float(rng.normal())) for a, b in itertools.permutations(range(n - 1), 2) if rng.random() < 0.6]
    if ties:
        arcs = [(a, b, float(round(gain))) for a, b, gain in arcs]
    order = rng.permutation(len(arcs))
    arcs = [arcs[k] for k in order]
    tails, heads = (np.array([arc[k] for arc in arcs], dtype=np.int64) for k in range(2))
    gains, entering = np.array([arc[2] for arc in arcs]), np.empty(n, dtype=np.int64)
    best_arborescence(n, tails, heads, gains, entering)
    assert entering[-1] == -1
    taken = [arcs[k] for k in entering[:-1]]
    assert [head for _, head, _ in taken] == list(range(n - 1))
    assert sum(gain for *_, gain in taken) == pytest.approx(best_by_choices(n, arcs))
    assert best_by_choices(n, taken) > -np.inf
