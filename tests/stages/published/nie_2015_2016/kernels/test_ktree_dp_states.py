"""States of the dynamic programme over a k-tree: closure, dominance and thinning, against their definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.exact import closure

from stages.published.nie_2015_2016.kernels.ktree_dp_states import (
    add_candidate,
    extend_ancestors,
    is_dominated,
    new_partial_choices,
    store,
    with_more_room,
)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=15))
def test_ancestors_are_closed(arcs):
    above, kept = np.zeros(6, dtype=np.int64), set()
    for parent, child in arcs:
        ancestors = np.int64(above[parent] | 1 << parent)
        tried = above.copy()
        pairs = closure({*kept, (parent, child)})
        is_acyclic = all(a != b for a, b in pairs)
        assert extend_ancestors(tried, child, ancestors) == is_acyclic
        if is_acyclic:
            kept, above = pairs, tried
    assert {(a, b) for b in range(6) for a in range(6) if above[b] >> a & 1} == kept


def dominates(one, other, most):
    """No worse whatever comes: members that only `other` has given a set do without, at the price of their best."""
    (cost, taken, above), (other_cost, other_taken, other_above) = one, other
    if not taken <= other_taken or not all(a <= b for a, b in zip(above, other_above)):
        return False
    return cost + sum(most[j] for j in other_taken - taken) <= other_cost


def mask(members):
    return np.int64(sum(1 << j for j in members))


members = st.frozensets(st.integers(0, 2), max_size=3)
states = st.tuples(st.integers(0, 8).map(float), members, st.tuples(members, members, members))


@given(st.lists(states, min_size=1, max_size=30), st.integers(1, 12))
def test_the_cheapest_undominated_states_are_kept(candidates, limit):
    most = np.array([1.0, 2.0, np.inf])
    found, kept, stored = (new_partial_choices(size, 3) for size in (40, 40, 50))
    for k, (cost, taken, above) in enumerate(candidates):
        state = (cost, mask(taken), np.array([mask(a) for a in above]), np.int64(k), np.int64(-1), np.int64(-1))
        add_candidate(found, kept, most, limit, state)
    for i, one in enumerate(candidates):
        for j, other in enumerate(candidates):
            assert is_dominated(found, i, j, most) == dominates(one, other, most)
    expected, lost = [], np.inf
    for k in sorted(range(len(candidates)), key=lambda k: candidates[k][0]):
        if not any(dominates(candidates[i], candidates[k], most) for i in expected):
            if len(expected) == limit:
                lost = candidates[k][0]
                break
            expected.append(k)
    start, end = store(found, kept, most, limit, stored)
    assert stored.first[start:end].tolist() == expected
    assert (found.stored[0], found.lost[0], stored.stored[0]) == (0, lost, end)
    larger = with_more_room(stored, 80)
    assert len(larger.costs) == 80 and larger.stored[0] == end
    assert larger.costs[:end].tolist() == [candidates[k][0] for k in expected]
