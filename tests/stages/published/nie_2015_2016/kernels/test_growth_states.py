"""The states of S2+'s searches are opened best first and lead back to their k-trees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stages.kernels.ktrees.ktree import new_ktree
from stages.published.nie_2015_2016.kernels.growth_states import (
    OPEN,
    STATES,
    add_state,
    begin_growth,
    new_growth_states,
    pop_state,
    push_state,
    rebuild,
)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=40))
def test_larger_estimates_come_first_then_deeper_states_then_older_ones(entries):
    states = new_growth_states(len(entries))
    for k, (estimate, depth) in enumerate(entries):
        states.estimates[k], states.depths[k] = estimate, depth
        states.counts[STATES] = k + 1
        push_state(states, k)
    assert states.counts[OPEN] == len(entries)
    expected = sorted(range(len(entries)), key=lambda k: (-entries[k][0], -entries[k][1], k))
    assert [int(pop_state(states)) for _ in entries] == expected


def test_a_state_is_the_ktree_of_its_steps():
    """Whatever was built before, and with siblings in between."""
    tree, states = new_ktree(6, 2), new_growth_states(8)
    tree.order[:] = 3, 1, 0, 2, 4, 5
    begin_growth(states, 3, 0.0, 0.0, 9.0)
    add_state(states, 0, 4, 0, 1, 1.0, 0.0, 8.0)
    add_state(states, 0, 2, 0, 3, 1.0, 0.0, 7.0)
    add_state(states, 1, 5, 4, 0, 2.0, 0.0, 6.0)
    add_state(states, 2, 4, 2, 0, 2.0, 0.0, 5.0)
    for state, placed, bags in (
        (3, [3, 1, 0, 4, 5], {0: [0, 1, 3], 4: [0, 3, 4], 5: [3, 4, 5]}),
        (4, [3, 1, 0, 2, 4], {0: [0, 1, 3], 2: [0, 1, 2], 4: [1, 2, 4]}),
    ):
        rebuild(tree, states, state)
        assert tree.order[:5].tolist() == placed
        assert {v: sorted(tree.bags[v].tolist()) for v in bags} == bags
        assert states.depths[state] == 5
    assert int(pop_state(states)) == 0
    assert states.counts[OPEN] == 4
