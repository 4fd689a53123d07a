"""Moving one variable within an order: the scores of all positions at once, and the move itself.

Remove variable x from the order; x in slot j = 0 .. n-1 has the first j of the others before it. A child y of x
depends on the slot only in whether x precedes y. So y has two choices, one with x and one without it; one of them is
its present one. The other is found among the sets that contain x (if x moves from behind y to before it) or among the
sets after the present one (if y uses x and loses it). The variable x itself takes better sets in later slots. So the
score is a step function of the slot with few steps, and its cost depends on the number of changes, not on the number
of variables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import borrowing
from .set_lists import contains, is_consistent


class OrderState(NamedTuple):
    """An order and the best network consistent with it, changed in place by the moves."""

    order: np.ndarray  # int32: the variables, first to last
    position: np.ndarray  # int32: its inverse
    chosen: np.ndarray  # int64: chosen set of every variable


def new_order_state(n_variables: int) -> OrderState:
    """Uninitialised arrays for an order."""
    return OrderState(
        order=np.empty(n_variables, dtype=np.int32),
        position=np.empty(n_variables, dtype=np.int32),
        chosen=np.empty(n_variables, dtype=np.int64),
    )


@borrowing
def copy_order(source, target):
    """Copy an `OrderState` onto another."""
    copy_into(target.order, source.order)
    copy_into(target.position, source.position)
    copy_into(target.chosen, source.chosen)


class Profile(NamedTuple):
    """Result of `slot_profile`: what changes when the variable moves."""

    # `children`, `sets` (int32, int64; shape (n_variables,)): children whose choice changes when the variable passes
    # them, and their other choice.
    children: np.ndarray
    sets: np.ndarray
    # `own_slots`, `own_sets` (int32, int64; shape (n_variables,)): the variable's own choice is ``own_sets[k]`` from
    # slot ``own_slots[k]`` to before ``own_slots[k - 1]``.
    own_slots: np.ndarray
    own_sets: np.ndarray
    # `slots`, `changes` (int32, float64; shape (2 * n_variables + 2,)): steps of the score: at slot ``slots[k]`` it
    # changes by ``changes[k]`` nats. Sorted by slot.
    slots: np.ndarray
    changes: np.ndarray


def new_profile(n_variables: int) -> Profile:
    """Uninitialised arrays for a profile."""
    return Profile(
        children=np.empty(n_variables, dtype=np.int32),
        sets=np.empty(n_variables, dtype=np.int64),
        own_slots=np.empty(n_variables, dtype=np.int32),
        own_sets=np.empty(n_variables, dtype=np.int64),
        slots=np.empty(2 * n_variables + 2, dtype=np.int32),
        changes=np.empty(2 * n_variables + 2),
    )


@borrowing
def own_choices(lists, x, state, profile, floor):
    """Best set of `x` for every slot in which it scores more than `floor`.

    In a pass through the list, best first, a set that fits from an earlier slot on than all better sets is the choice
    from that slot on. Slots in which no set above `floor` fits are omitted, because `x` cannot gain there. Returns
    the number of different choices, and the sets tested.
    """
    position = state.position
    here = position[x]
    cover = len(position)
    n_own = 0
    first, stop = lists.set_offsets[x], lists.set_offsets[x + 1]
    for s in range(first, stop):
        if lists.scores[s] <= floor and n_own > 0:
            return n_own, s - first
        need = -1
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            need = max(need, position[lists.parents[k]])
            if need >= cover:
                break
        # x must come after the set's latest member. Members before x keep their position when x is removed, so x
        # needs the slot after the latest of these. Members behind x move one position to the left, so x needs the
        # present position of the latest.
        if need < here:
            need += 1
        # From slot `cover` on, an earlier and thus better set of the list fits.
        if need < cover:
            profile.own_slots[n_own] = need
            profile.own_sets[n_own] = s
            n_own += 1
            cover = need
            if need == 0:
                return n_own, s + 1 - first
    return n_own, stop - first


@borrowing
def choices_before(lists, index, x, state, profile):
    """Children before `x` that would take a better set if `x` preceded them, and the steps they cause.

    Returns the number of such children (and of steps), the sum of their gains, and the sets tested.
    """
    position, chosen = state.position, state.chosen
    here = position[x]
    found = 0
    total = 0.0
    work = 0
    # At position -1, x never fails the test below; only the other members of a set matter.
    position[x] = -1
    for pair in range(index.pair_offsets[x], index.pair_offsets[x + 1]):
        child = index.pair_children[pair]
        present = chosen[child]
        # Skip: no set with x is better than the present one, or the child comes after x and can use these sets
        # already.
        if index.pair_first[pair] >= present or position[child] > here:
            continue
        for k in range(index.member_offsets[pair], index.member_offsets[pair + 1]):
            s = np.int64(index.member_sets[k])
            if s >= present:
                break
            work += 1
            if is_consistent(lists, s, position, np.int64(position[child])):
                gain = lists.scores[s] - lists.scores[present]
                total += gain
                profile.children[found] = child
                profile.sets[found] = s
                # The child loses the gain from the slot after its own position on.
                profile.slots[found] = position[child] + 1
                profile.changes[found] = -gain
                found += 1
                break
    position[x] = here
    return found, total, work + index.pair_offsets[x + 1] - index.pair_offsets[x]


@borrowing
def choices_after(lists, index, x, state, profile, found, n_steps, most):
    """Children after `x` that use it, their sets if `x` came after them, and the steps they cause.

    `x` is not moved past a child that would lose more than `most` nats, or that has no set without `x` (a
    fixed record). Returns the number of children and of steps, including the given `found` and `n_steps`, the last
    admissible slot, and the sets tested.
    """
    order, position, chosen = state
    here = position[x]
    last_slot = len(order) - 1
    work = 0
    # At position n, x always fails the test below, so only sets without x are found.
    position[x] = len(order)
    for pair in range(index.pair_offsets[x], index.pair_offsets[x + 1]):
        child = index.pair_children[pair]
        present = chosen[child]
        place = np.int64(position[child])
        # If the present set is better than all sets with x, it does not contain x; nor do the sets of children before
        # x.
        if index.pair_first[pair] > present or place < here or place > last_slot:
            continue
        # The best set with x is the present one or a better one. If it is better, another of its members comes too
        # late, and the present set need not contain x.
        if index.pair_first[pair] < present and not contains(lists, present, x):
            continue
        # The best set without x comes after the present one, which is the first consistent set.
        other = np.int64(-1)
        for s in range(present + 1, lists.set_offsets[child + 1]):
            work += 1
            # Scores only fall from here on: x will not move past this child.
            if lists.scores[present] - lists.scores[s] > most:
                break
            if is_consistent(lists, s, position, place):
                other = s
                break
        if other < 0:
            # Steps already recorded for children behind stay: no slot after `last_slot` is considered.
            last_slot = place - 1
            continue
        profile.children[found] = child
        profile.sets[found] = other
        # Without x the child stands at place - 1, so x follows it from slot `place` on.
        profile.slots[n_steps] = place
        profile.changes[n_steps] = lists.scores[other] - lists.scores[present]
        found += 1
        n_steps += 1
    position[x] = here
    return found, n_steps, last_slot, work


@borrowing
def sort_steps(slots, changes, n):
    """Sort the first `n` steps by slot (Shell sort: usually a dozen entries, sometimes thousands)."""
    # Gaps 1, 4, 13, ... (Knuth 1973).
    gap = 1
    while gap < n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            slot, change = slots[i], changes[i]
            k = i - gap
            while k >= 0 and slots[k] > slot:
                slots[k + gap] = slots[k]
                changes[k + gap] = changes[k]
                k -= gap
            slots[k + gap] = slot
            changes[k + gap] = change
        gap //= 3


@borrowing
def slot_profile(lists, index, x, state, profile, reach):
    """Score of the slots for `x`, relative to the present one, as sorted steps in `profile`.

    Slots whose score is provably more than `reach` nats below the present one may be omitted. To the left of the
    present slot only the children gain, to the right only `x`. So the loss of `x`, or of a child, bounds the score of
    a slot. Returns (number of children in `profile`, number of own choices, number of steps, last slot, score of the
    first slot relative to the present one, sets tested). The first slot is ``profile.own_slots[n_own - 1]``.
    """
    present = lists.scores[state.chosen[x]]
    n_children, at_front, work = choices_before(lists, index, x, state, profile)
    # To the left of the present slot the children gain at most `at_front`, so a slot cannot gain if all sets of x
    # that fit there are at or below this floor.
    n_own, more = own_choices(lists, x, state, profile, present - at_front - reach)
    work += more
    n_steps = n_children
    # Own choices are sorted by descending score and last slot; the step of each is its gain over the next worse one.
    for k in range(n_own - 1):
        profile.slots[n_steps] = profile.own_slots[k]
        profile.changes[n_steps] = lists.scores[profile.own_sets[k]] - lists.scores[profile.own_sets[k + 1]]
        n_steps += 1
    # To the right only x can gain, at most by its best set, so no child may lose more than that.
    most = lists.scores[profile.own_sets[0]] - present + reach
    n_children, n_steps, last_slot, more = choices_after(lists, index, x, state, profile, n_children, n_steps, most)
    work += more
    sort_steps(profile.slots, profile.changes, n_steps)
    # First the score of slot 0 with the worst own choice of x, then of the first slot in which that choice fits:
    # steps up to this slot are added to the score and removed.
    score = lists.scores[profile.own_sets[n_own - 1]] - present + at_front
    first_slot = profile.own_slots[n_own - 1]
    skipped = 0
    while skipped < n_steps and profile.slots[skipped] <= first_slot:
        score += profile.changes[skipped]
        skipped += 1
    for k in range(skipped, n_steps):
        profile.slots[k - skipped] = profile.slots[k]
        profile.changes[k - skipped] = profile.changes[k]
    return n_children, n_own, n_steps - skipped, last_slot, score, work


@borrowing
def move_to_slot(x, slot, state, profile, n_children, n_own):
    """Move `x` to `slot` and update all choices; `profile` must be the profile of `x` in this state."""
    order, position, chosen = state
    here = position[x]
    for k in range(n_children):
        place = position[profile.children[k]]
        # The child takes its other choice if x passes it.
        if (place < here and slot <= place) or (place > here and slot >= place):
            chosen[profile.children[k]] = profile.sets[k]
    for k in range(n_own):
        if profile.own_slots[k] <= slot:
            chosen[x] = profile.own_sets[k]
            break
    step = 1 if slot > here else -1
    for i in range(here, slot, step):
        order[i] = order[i + step]
        position[order[i]] = i
    order[slot] = x
    position[x] = slot
