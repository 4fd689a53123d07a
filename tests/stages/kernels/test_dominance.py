"""Dominance pruning against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.parentsets import prune_dominated

from formats.sets.listed_sets import ListedSets, offsets_of
from stages.kernels.dominance import mark_undominated
from stages.lists.set_lists import new_lists
from stages.lists.undominated import undominated_sets


def test_dominated_sets_worked_by_hand():
    sets = [(1, 2), (1,), (0, 1, 2), (0, 1), (), (3,)]
    offsets = np.cumsum([0] + [len(s) for s in sets])
    members = np.array([m for s in sets for m in s], dtype=np.int32)
    keep = mark_undominated(offsets, members, 4, np.arange(6))
    assert keep.tolist() == [True, True, False, False, True, False]


@given(
    st.lists(st.frozensets(st.integers(0, 6), max_size=5), unique=True, max_size=40),
    st.integers(0, 99),
    st.sampled_from([0, 1, 3]),
)
def test_dominance_agrees_with_the_definition(sets, seed, margin):
    rng = np.random.default_rng(seed)
    scored = {tuple(sorted(s)): float(rng.integers(0, 6)) for s in sets}
    ordered = sorted(scored, key=lambda s: (-scored[s], len(s), s))
    offsets = np.zeros(len(ordered) + 1, dtype=np.int64)
    np.cumsum([len(s) for s in ordered], out=offsets[1:])
    members = np.array([m for s in ordered for m in s], dtype=np.int32)
    n_better = [sum(scored[t] >= scored[s] + margin for t in ordered) if margin else k for k, s in enumerate(ordered)]
    keep = mark_undominated(offsets, members, 7, np.array(n_better, dtype=np.int64))
    kept = {s for s, is_kept in zip(ordered, keep) if is_kept}
    assert kept == set(prune_dominated(scored, margin))


@pytest.mark.parametrize("copies", [1, 2])
def test_many_sets_are_looked_up_instead_of_compared(copies):
    """With long chains subsets are enumerated; the sets kept are the same, and of a set listed twice the first."""
    rng = np.random.default_rng(3)
    sets = {tuple(sorted(rng.choice(30, rng.integers(1, 6), replace=False).tolist())) for _ in range(3000)}
    scored = [(float(rng.integers(0, 50)), parents) for parents in sorted(sets) for _ in range(copies)]
    ordered = [parents for score, parents in sorted(scored, key=lambda pair: (-pair[0], len(pair[1]), pair[1]))]
    offsets = np.cumsum([0] + [len(s) for s in ordered])
    members = np.array([m for s in ordered for m in s], dtype=np.int32)
    keep = mark_undominated(offsets, members, 30, np.arange(len(ordered)))
    kept = [set(s) for s, is_kept in zip(ordered, keep) if is_kept]
    better = [set(s) for s in ordered]
    assert 100 < len(kept) < len(ordered)
    assert kept == [s for i, s in enumerate(better) if not any(other <= s for other in better[:i])]


@pytest.mark.parametrize("n_lists", [1, 2, 7])
def test_lists_are_pruned_one_by_one(n_lists, monkeypatch):
    rng = np.random.default_rng(n_lists)
    lists = []
    for _ in range(n_lists):
        sets = {
            tuple(sorted(rng.choice(n_lists, rng.integers(0, n_lists), replace=False).tolist())) for _ in range(40)
        }
        scored = {parents: float(rng.integers(0, 9)) for parents in sorted(sets)}
        lists.append(sorted(scored.items(), key=lambda pair: (-pair[1], len(pair[0]), pair[0])))
    lists[0] = lists[0] if n_lists == 1 else []
    every = ListedSets.of(parents for of_child in lists for parents, _ in of_child)
    starts = offsets_of([len(of_child) for of_child in lists])
    scores = np.array([score for of_child in lists for _, score in of_child])
    wanted = [parents in prune_dominated(dict(of_child)) for of_child in lists for parents, _ in of_child]
    for most in (1, 10, 1 << 16):
        monkeypatch.setattr("stages.lists.undominated.SLICE_SETS", most)
        assert undominated_sets(new_lists(starts, every, scores)).tolist() == wanted
