"""The most informative k-tree that contains a given clique, by best-first search (Nie, de Campos, Ji 2016).

Scanagatta et al. (2016), section 3.4. Every k-tree that contains a (K + 1)-clique is made from it by joining one
variable after the other to a K-clique. Let `weight` be the quotient IS = S_mi / abs(S_l) of a k-tree. A k-tree is
more informative if and only if its value S_mi - weight abs(S_l) is positive (Dinkelbach 1967). So k-trees of positive
value are searched for until there is none. The value of a partial k-tree is bounded by the K largest entries of each
variable still to come, and by the best sets that contain no two placed, non-adjacent variables. For a complete k-tree
the bound is its value.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.bits import has_bit
from stages.kernels.jit import borrowing, njit
from stages.kernels.ktrees.set_filters import pair_bit

from .growth_states import OPEN, STATES, add_state, begin_growth, pop_state, push_state, rebuild
from .informative_score import information_between

GROWTH_ENDED, GROWTH_FULL, GROWTH_UNFINISHED = -1, -2, -3
"""Codes that `search_growth` returns in place of a state: no k-tree above the floor; limit of states; call again."""


@njit
def largest_sums(information, most):
    """Fill ``most[v, r]`` with the sum of the r largest entries of the pairs of variable `v`."""
    n, longest = most.shape
    most[:] = 0.0
    for v in range(n):
        values = np.sort(information.values[information.offsets[v] : information.offsets[v + 1]])[::-1]
        for r in range(1, longest):
            most[v, r] = most[v, r - 1] + (values[r - 1] if r <= len(values) else 0.0)


@borrowing
def value_of(shared, score, weight):
    """Upper bound on S_mi - weight abs(S_l) from upper bounds on S_mi and S_l, in nats."""
    return shared - weight * max(0.0, -score)


@borrowing
def begin_with_clique(information, base, tree, most, states, weight):
    """Make the first clique of ``tree.order`` the only state; parameters as in `search_growth`."""
    n, size = len(tree.order), tree.bags.shape[1]
    shared = 0.0
    for t in range(n):
        if t < size:
            for j in range(t):
                shared += information_between(information, tree.order[j], tree.order[t])
        else:
            shared += most[tree.order[t], size - 1]
    begin_growth(states, size, shared, base, value_of(shared, base, weight))


@borrowing
def rebuild_whole(tree, states, state):
    """Bring `tree` to a state; the variables not placed follow in ascending order, with no bit on the diagonal."""
    order, position, edges = tree.order, tree.position, tree.edges
    rebuild(tree, states, state)
    t = np.int64(states.depths[state])
    for v in range(len(order)):
        if not has_bit(edges, pair_bit(v, v)):
            order[t] = v
            t += 1
    for t in range(len(order)):
        position[order[t]] = t


@borrowing
def score_at_most(lists, tree):
    """Sum of the relative scores of the best sets that contain no two placed variables without an edge, in nats.

    The child counts as a member: together with its set it must be a clique.
    """
    offsets, parents, edges = lists.parent_offsets, lists.parents, tree.edges
    total = 0.0
    for child in range(len(tree.order)):
        child_placed = has_bit(edges, pair_bit(child, child))
        s = lists.set_offsets[child]
        while True:
            possible = True
            for i in range(offsets[s], offsets[s + 1]):
                a = parents[i]
                if not has_bit(edges, pair_bit(a, a)):
                    continue
                if child_placed and not has_bit(edges, pair_bit(a, child)):
                    possible = False
                    break
                for j in range(offsets[s], i):
                    b = parents[j]
                    if has_bit(edges, pair_bit(b, b)) and not has_bit(edges, pair_bit(a, b)):
                        possible = False
                        break
                if not possible:
                    break
            if possible:
                break
            s += 1
        total += lists.scores[s]
    return total


@borrowing
def expand_growth(information, tree, most, states, state, weight, floor):
    """Add the states that place one more variable than `tree` (rebuilt to `state`) and have a value above `floor`."""
    order, bags = tree.order, tree.bags
    n, size = len(order), bags.shape[1]
    depth = states.depths[state]
    last = states.variables[state]
    for t in range(depth, n):
        variable = order[t]
        for place in range(size - 1, depth):
            host = order[place]
            for j in range(size):
                left_out = bags[host, j]
                # A later bag without its own variable is the K-clique that the variable joined, already considered
                # with its host.
                if place >= size and left_out == host:
                    continue
                # Symmetry breaking: a variable that does not join the clique of the last placed variable must have a
                # larger index than it. Each k-tree has such an order, and is found less often.
                joins_last, gain = False, 0.0
                for i in range(size):
                    if i != j:
                        joins_last |= bags[host, i] == last
                        gain += information_between(information, variable, bags[host, i])
                if variable < last and not joins_last:
                    continue
                # The bound on the information that the variable shares is replaced by the exact value.
                shared = states.values[state] - most[variable, size - 1] + gain
                estimate = value_of(shared, states.scores[state], weight)
                if estimate > floor:
                    add_state(states, state, variable, host, left_out, shared, states.scores[state], estimate)


@borrowing
def search_growth(lists, information, base, tree, most, states, weight, floor, n_steps):
    """Take up to `n_steps` states from the heap.

    Returns the state of the k-tree of largest value, or one of `GROWTH_ENDED`, `GROWTH_FULL`, `GROWTH_UNFINISHED`.

    Parameters
    ----------
    lists : SetLists
        From a problem without fixed arcs.
    base : float
        Sum of the best listed scores of all variables, in nats.
    tree : KTree
        ``order[:K + 1]`` is the first clique; the rest is scratch.
    most : ndarray of float64, shape (n_variables, K + 1)
        See `largest_sums`.
    states : GrowthStates
        As `begin_with_clique` leaves them.
    floor : float
        Only k-trees of a larger value are searched for.
    """
    n, size = len(tree.order), tree.bags.shape[1]
    for _ in range(n_steps):
        if states.counts[OPEN] == 0:
            return GROWTH_ENDED
        state = pop_state(states)
        depth = states.depths[state]
        # No open state has a larger bound, and the bound of a complete, refined state is its value: it is optimal.
        if depth == n and states.refined[state]:
            return state
        # A k-tree on `depth` variables has 1 + K (depth - K) K-cliques; any other variable may join each.
        successors = (n - depth) * (1 + (size - 1) * (depth - size + 1)) + size
        if states.refined[state] and states.counts[STATES] + successors > len(states.parents):
            return GROWTH_FULL
        rebuild_whole(tree, states, state)
        if states.refined[state]:
            expand_growth(information, tree, most, states, state, weight, floor)
            continue
        # Lazy evaluation: most states inherit a bound too small to leave the heap, and are never scored. A state that
        # leaves it is scored and pushed again with its own bound.
        states.scores[state] = base + score_at_most(lists, tree)
        states.refined[state] = True
        states.estimates[state] = value_of(states.values[state], states.scores[state], weight)
        if states.estimates[state] > floor:
            push_state(states, state)
    return GROWTH_UNFINISHED
