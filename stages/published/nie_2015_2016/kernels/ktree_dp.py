"""The best network whose moral graph is a subgraph of a given k-tree.

Dynamic programming over the cliques of the k-tree, from the last one formed to the first. Choices of sets in the
subtree below a clique form a state: which members of the clique took their set there, the ancestor relation among
members by paths there, and the cost. A state is dropped if another is at least as good in all three respects, or if
no network above the floor can continue it. Few sets of a list fit a k-tree, so few states remain. Costs are scores
relative to each variable's best set within the k-tree, cycles allowed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.jit import borrowing, njit

from .ktree_dp_states import add_candidate, extend_ancestors, store

SLICE_STATES = 1000
"""States stored per kernel call before the caller checks the clock: at most some hundredths of a second."""

PENDING, LOST = 0, 1
"""Entries of `CliqueMessages.costs`: sum of the least costs of finished cliques with an unfinished parent; lower
bound on the cost of networks lost to the limit of states, infinite if there are none.
"""


class CliqueMessages(NamedTuple):
    """The cliques as a tree, and the messages of finished cliques."""

    # `joined`, `following` (int32, shape (n_variables,)): variables whose cliques are children of each one's clique,
    # as linked lists ended by -1.
    joined: np.ndarray
    following: np.ndarray
    # `starts`, `ends` (int64, shape (n_variables,)): range of the message of a variable's clique: states on the K
    # members that it joined.
    starts: np.ndarray
    ends: np.ndarray
    costs: np.ndarray  # float64, shape (2,): see `PENDING` and `LOST`


def new_clique_messages(n_variables: int) -> CliqueMessages:
    """No clique linked or finished."""
    return CliqueMessages(
        joined=np.zeros(n_variables, dtype=np.int32),
        following=np.zeros(n_variables, dtype=np.int32),
        starts=np.zeros(n_variables, dtype=np.int64),
        ends=np.zeros(n_variables, dtype=np.int64),
        costs=np.zeros(2),
    )


@borrowing
def link_cliques(tree, cliques):
    """Fill the linked lists of `cliques`; no clique is finished."""
    order, position, bags = tree.order, tree.position, tree.bags
    size = bags.shape[1]
    cliques.joined[:] = -1
    cliques.costs[PENDING] = 0.0
    cliques.costs[LOST] = np.inf
    for t in range(size, len(order)):
        # Any clique lies in the bag of its latest member. So the K members that a variable joined lie in the clique
        # of the latest of them, or in the start clique.
        latest = size - 1
        for j in range(size - 1):
            latest = max(latest, position[bags[order[t], j]])
        cliques.following[order[t]] = cliques.joined[order[latest]]
        cliques.joined[order[latest]] = order[t]


@borrowing
def place_in(bag, member):
    """Index of `member` in `bag`; -1 if it is not there."""
    for j in range(len(bag)):
        if bag[j] == member:
            return j
    return -1


@borrowing
def copy_row(rows, i, target):
    """Copy row `i` of a matrix to an array."""
    for j in range(len(target)):
        target[j] = rows[i, j]


@borrowing
def merge_message(states, span, message, places, slack, found, kept, most, limit, above, moved):
    """Combine each state of a clique with each state of the message of a child.

    Parameters
    ----------
    span, message : tuple of (int, int)
        Ranges of states of the clique, and of states on the K members that it shares with the child.
    places : ndarray of int64, shape (K,)
        Place in the clique of each of these K members.
    slack : float
        States that cost this much or more are dropped.
    found, kept : PartialChoices
        Candidates, and scratch of the same size.
    most : ndarray of float64, shape (K + 1,)
    above, moved : ndarray of int64, shape (K + 1,)
        Scratch.
    """
    width = len(places)
    for m in range(message[0], message[1]):
        # Masks of the child refer to its places; `places` maps them to places of this clique.
        taken = np.int64(0)
        for j in range(width):
            moved[j] = 0
            for i in range(width):
                moved[j] |= (states.above[m, j] >> i & 1) << places[i]
            taken |= (states.taken[m] >> j & 1) << places[j]
        for s in range(span[0], span[1]):
            cost = states.costs[s] + states.costs[m]
            # States are sorted by cost, so all later ones cost too much as well.
            if cost >= slack:
                break
            # A member takes only one set, on one side of the separator.
            if states.taken[s] & taken:
                continue
            copy_row(states.above, s, above)
            acyclic = True
            for j in range(width):
                # Ancestors of ancestors are ancestors: the message lacks the ancestors on this side.
                ancestors = moved[j]
                for i in range(width + 1):
                    if moved[j] >> i & 1:
                        ancestors |= above[i]
                if ancestors and not extend_ancestors(above, places[j], ancestors):
                    acyclic = False
                    break
            if acyclic:
                candidate = (cost, states.taken[s] | taken, above, s, m, np.int64(-1))
                add_candidate(found, kept, most, limit, candidate)


@borrowing
def choose_sets(lists, states, span, bag, member, best, sets, slack, found, kept, most, limit, above):
    """Combine each state of a clique with each of the `sets`, best first, that one of its members may take.

    `best` is the relative score of the member's best set within the k-tree; `above` (int64, K + 1) is scratch.
    """
    for s in range(span[0], span[1]):
        add_candidate(
            found, kept, most, limit,
            (states.costs[s], states.taken[s], states.above[s], s, np.int64(-1), np.int64(-1)),
        )  # fmt: skip
    # Above: the member takes no set here, and may still take one in a later clique. Below: each set for which this
    # clique is the first to contain members and child.
    for chosen in sets:
        price = best - lists.scores[chosen]
        joined = np.int64(0)
        for i in range(lists.parent_offsets[chosen], lists.parent_offsets[chosen + 1]):
            joined |= 1 << place_in(bag, lists.parents[i])
        for s in range(span[0], span[1]):
            if states.costs[s] + price >= slack:
                break
            # It took a set in the subtree of a child.
            if states.taken[s] >> member & 1:
                continue
            copy_row(states.above, s, above)
            ancestors = joined
            for i in range(len(bag)):
                if joined >> i & 1:
                    ancestors |= above[i]
            if extend_ancestors(above, member, ancestors):
                taken = states.taken[s] | 1 << member
                candidate = (states.costs[s] + price, taken, above, s, np.int64(-1), chosen)
                add_candidate(found, kept, most, limit, candidate)


@borrowing
def project(states, span, members, slack, found, kept, most, limit, above):
    """Project the states to the first `members` places of a clique; other members that have no set yet take the empty
    one.

    `above` (int64, K + 1) is scratch.
    """
    inside = (np.int64(1) << members) - 1
    for s in range(span[0], span[1]):
        cost = states.costs[s]
        for j in range(len(above)):
            above[j] = 0
            if j < members:
                above[j] = states.above[s, j] & inside
            # The cost is infinite if the empty set was pruned; this drops the state.
            elif not states.taken[s] >> j & 1:
                cost += most[j]
        if cost < slack:
            candidate = (cost, states.taken[s] & inside, above, s, np.int64(-1), np.int64(-1))
            add_candidate(found, kept, most, limit, candidate)


@borrowing
def record_lost(found, cliques, others):
    """Record a lower bound on networks lost with dropped states; `others` is the least cost of the other cliques."""
    cliques.costs[LOST] = min(cliques.costs[LOST], found.lost[0] + others)
    found.lost[0] = np.inf


@njit
def solve_clique(lists, tree, families, cliques, states, found, kept, slack, limit, t):
    """Compute the message of the clique at position `t`: states on the K members that its variable joined.

    The start clique has position K and an empty separator.
    """
    bags = tree.bags
    size = bags.shape[1]
    variable = tree.order[t]
    bag = bags[variable]
    most, above, moved = np.empty(size), np.zeros(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for j in range(size):
        most[j] = families.most[bag[j]]
    # A network that continues a state also pays the least costs of all other finished subtrees: `costs[PENDING]` for
    # other cliques, `ahead` for children not merged yet. So a state is kept only if the sum is below the slack.
    ahead = 0.0
    other = cliques.joined[variable]
    while other >= 0:
        ahead += states.costs[cliques.starts[other]]
        other = cliques.following[other]
    cliques.costs[PENDING] -= ahead
    slack -= cliques.costs[PENDING]
    # The only initial state: no set taken, no ancestors, no cost.
    nothing = (0.0, np.int64(0), above, np.int64(-1), np.int64(-1), np.int64(-1))
    add_candidate(found, kept, most, limit, nothing)
    span = store(found, kept, most, limit, states)
    others = cliques.costs[PENDING]
    places = np.empty(size - 1, dtype=np.int64)
    other = cliques.joined[variable]
    while other >= 0:
        message = (cliques.starts[other], cliques.ends[other])
        ahead -= states.costs[message[0]]
        for j in range(size - 1):
            places[j] = place_in(bag, bags[other, j])
        merge_message(states, span, message, places, slack - ahead, found, kept, most, limit, above, moved)
        span = store(found, kept, most, limit, states)
        record_lost(found, cliques, others + ahead)
        other = cliques.following[other]
    i = families.offsets[t]
    while i < families.offsets[t + 1]:
        end = i
        # A variable takes one set at most, so all its sets in this clique are combined with the same states.
        while end < families.offsets[t + 1] and families.children[end] == families.children[i]:
            end += 1
        member = place_in(bag, families.children[i])
        best = families.best[families.children[i]]
        choose_sets(
            lists, states, span, bag, member, best, families.sets[i:end], slack, found, kept, most, limit, above
        )  # fmt: skip
        span = store(found, kept, most, limit, states)
        record_lost(found, cliques, others)
        i = end
    # The variable of this clique, last in its bag, is in no later clique: it is projected out. In the start clique
    # all members are projected out.
    project(states, span, size - 1 if t >= size else 0, slack, found, kept, most, limit, above)
    span = store(found, kept, most, limit, states)
    record_lost(found, cliques, others)
    cliques.starts[variable], cliques.ends[variable] = span
    if span[0] < span[1]:
        cliques.costs[PENDING] += states.costs[span[0]]


@borrowing
def solve_cliques(lists, tree, families, cliques, states, found, kept, slack, limit, start):
    """Compute messages from position `start` down to K, until `states` may overflow or after `SLICE_STATES`.

    Returns the position to continue from; K - 1 when all is done, -2 when there is no such network.

    Parameters
    ----------
    found, kept : PartialChoices
        Scratch, with a capacity above `limit`.
    slack : float
        Only networks that cost less than this are searched for.
    limit : int
        Most states kept for a clique.
    """
    size = tree.bags.shape[1]
    begin = states.stored[0]
    for t in range(start, size - 2, -1):
        # This clique stores up to `limit` states: at the start, after each message, after each member with families,
        # and after projection.
        steps = min(families.offsets[t + 1] - families.offsets[t], size) + 2
        other = cliques.joined[tree.order[t]]
        while other >= 0:
            steps += 1
            other = cliques.following[other]
        if states.stored[0] + steps * limit > len(states.costs) or states.stored[0] - begin > SLICE_STATES:
            return t
        solve_clique(lists, tree, families, cliques, states, found, kept, slack, limit, t)
        if cliques.starts[tree.order[t]] == cliques.ends[tree.order[t]]:
            return -2
    return size - 2


@njit
def trace_choices(lists, tree, states, last):
    """Fill ``tree.chosen`` with the sets of state `last` of the start clique; returns their relative score."""
    n = len(tree.order)
    # Variables without a set in any state take the empty one, the last of their list.
    for child in range(n):
        tree.chosen[child] = lists.set_offsets[child + 1] - 1
    open_states = [last]
    while len(open_states):
        state = open_states.pop()
        if state < 0:
            continue
        s = states.sets[state]
        if s >= 0:
            # The child of a set is the variable whose range of the lists contains it.
            tree.chosen[np.searchsorted(lists.set_offsets, s, side="right") - 1] = s
        open_states.append(states.first[state])
        open_states.append(states.second[state])
    total = 0.0
    for child in range(n):
        total += lists.scores[tree.chosen[child]]
    return total
