"""Sums over all networks by dynamic programming over subsets of variables.

A network's weight is the product of the weights of its families. For the prior that is uniform over networks,
those on a set S are summed up by their sinks, with inclusion and exclusion (Tian and He 2009, equation 14,
roots and sinks exchanged): of the networks on S whose sinks contain T, the rest is a network on S - T and each
j in T takes a set within it,

    H(S) = sum over non-empty T in S of (-1)^(|T| + 1) H(S - T) prod_{j in T} A_j(S - T),

where A_j(U) is the sum of the weights of the sets of j within U. Its derivative B(U) is the weight of all ways
to go on from a network on U, which are summed up by the roots of what is added. Every term of these sums is
itself the weight of some of the networks that the sum is about, never larger than the sum, so no digits are
lost beyond the logarithm of the number of terms. For the prior that is uniform over orders, T has one member
and nothing is subtracted (Koivisto and Sood 2004).

``H(U) A_j(U) sum_{T with j} (-1)^(|T| + 1) prod_{i in T - j} A_i(U) B(U + T)`` is the weight of the networks in which
U is all that does not descend from j (uniform over orders: of the pairs of an order and a network in which U precedes
j). Given that, j has the set S within U with probability ``w_j(S) / A_j(U)``: all arcs follow from one pass.

Numbers are mantissas and exponents, see `scaled`; those of H and B, whose exponents are chosen beforehand so that no
term is much larger than 1, have mantissas of any size.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import njit
from ..orders.subset_dp import squeeze
from .scaled import NOTHING, add_at, power_of_two


@njit
def enter_weights(parent_offsets, parents, first, end, weights, powers, child, sums, exponents):
    """The weight of every listed set of a child at its place among all subsets of the other variables.

    Parameters
    ----------
    parent_offsets : ndarray of int64
    parents : ndarray of int32
    first, end : int
        The child's sets.
    weights, powers : ndarray of float64, ndarray of int32, shape (n_sets,)
        Weights of all sets, scaled.
    child : int
    sums, exponents : ndarray of float64, ndarray of int32, shape (2^(n_variables - 1),)
        Receive the weights, 0 where nothing is listed; position `child` is left out of the masks.
    """
    sums[:] = 0.0
    exponents[:] = NOTHING
    for s in range(first, end):
        mask = np.int64(0)
        for k in range(parent_offsets[s], parent_offsets[s + 1]):
            mask |= 1 << parents[k]
        place = squeeze(mask, child)
        sums[place], exponents[place] = weights[s], powers[s]


@njit
def sum_related(sums, exponents, over_supersets, start, most_work):
    """Replace the number of every subset by the sum over its subsets, or its supersets: about `most_work` additions.

    Element by element, the numbers of all subsets with it and those of the same without it are added (Yates 1937).

    Parameters
    ----------
    sums, exponents : ndarray of float64, ndarray of int32, shape (2^n_elements,)
    over_supersets : bool
    start : int
        0, then what the call before returned.
    most_work : int

    Returns
    -------
    int
        Where to go on; ``n_elements * 2^(n_elements - 1)`` when all is done.
    """
    half = len(sums) // 2
    step, first = np.int64(1), start
    while first >= half and step <= half:
        step, first = 2 * step, first - half
    while step <= half and most_work > 0:
        end = min(half, first + most_work)
        for pair in range(first, end):
            low = pair & (step - 1)
            without = (pair - low << 1) + low
            if over_supersets:
                add_at(sums, exponents, without, without + step)
            else:
                add_at(sums, exponents, without + step, without)
        most_work -= end - first
        start += end - first
        first = end
        if end == half:
            step, first = 2 * step, 0
    return start


@njit
def push_exponents(exponents, forward, start, most_work):
    """Exponents of H, those of the largest term with a single variable: about `most_work` terms.

    Parameters
    ----------
    exponents : ndarray of int32, shape (n_variables, 2^(n_variables - 1))
        Of the sums within subsets.
    forward : ndarray of int64, shape (2^n_variables,)
        Receives them; `NOTHING` where there is no network, and at the beginning but for 0 of the empty set.
    start, most_work : int

    Returns
    -------
    int
        Where to go on; ``2^n_variables`` when all is done.
    """
    n = len(exponents)
    end = min(len(forward), start + most_work // n + 1)
    for mask in range(start, end):
        if forward[mask] == NOTHING:
            continue
        for j in range(n):
            if not mask >> j & 1:
                e = exponents[j, squeeze(mask, j)]
                if e != NOTHING:
                    forward[mask | 1 << j] = max(forward[mask | 1 << j], forward[mask] + e)
    return end


@njit
def pull_exponents(exponents, backward, start, most_work):
    """Exponents of B, likewise; masks go downwards from that before the full set, for which 0 is entered.

    Returns
    -------
    int
        Where to go on; -1 when all is done.
    """
    n = len(exponents)
    end = max(-1, start - most_work // n - 1)
    for mask in range(start, end, -1):
        for j in range(n):
            if not mask >> j & 1 and backward[mask | 1 << j] != NOTHING:
                e = exponents[j, squeeze(mask, j)]
                if e != NOTHING:
                    backward[mask] = max(backward[mask], backward[mask | 1 << j] + e)
    return end


@njit
def list_groups(sums, exponents, mask, singles, signed, powers, added):
    """What can be added to a set of variables: groups of others, numbered by bits, with the signed product of sums.

    Parameters
    ----------
    sums, exponents : ndarray of float64, ndarray of int32, shape (n_variables, 2^(n_variables - 1))
    mask : int
    singles : bool
        Whether groups have one member.
    signed, powers, added : ndarray of float64, int64, int64, shape (2^n_variables,)
        Receive for every group ``(-1)^(size + 1)`` times the product, its exponent, and the group as a mask. Of
        groups of one member those of the first variables that can be added.

    Returns
    -------
    int
        How many variables can be added.
    """
    n = len(sums)
    signed[0], powers[0], added[0] = -1.0, 0, 0
    n_open = 0
    for j in range(n):
        if mask >> j & 1:
            continue
        place = squeeze(mask, j)
        if sums[j, place] == 0.0:
            continue
        bit = 1 << n_open
        n_open += 1
        if singles:
            signed[bit], powers[bit], added[bit] = sums[j, place], exponents[j, place], 1 << j
            continue
        for group in range(bit):
            signed[bit + group] = -signed[group] * sums[j, place]
            powers[bit + group] = powers[group] + exponents[j, place]
            added[bit + group] = added[group] | 1 << j
    return n_open


@njit
def push_totals(sums, exponents, forward, totals, singles, buffers, start, most_work):
    """Add what the networks on the subsets from `start` on give to larger subsets, until about `most_work` terms.

    Parameters
    ----------
    sums, exponents : ndarray
        As from `sum_related`, over subsets, a row for every child.
    forward : ndarray of int64
        Exponents of the totals.
    totals : ndarray of float64, shape (2^n_variables,)
        H; 1 for the empty set and 0 for all others at the beginning.
    singles : bool
        Uniform over orders.
    buffers : tuple of ndarray
        As for `list_groups`.
    start : int
    most_work : int

    Returns
    -------
    int
        Where to go on.
    """
    signed, powers, added = buffers
    work = 0
    mask = start
    while mask < len(totals) and work < most_work:
        if forward[mask] != NOTHING:
            n_open = list_groups(sums, exponents, mask, singles, signed, powers, added)
            n_groups = 1 << n_open
            for k in range(n_open if singles else n_groups - 1):
                group = 1 << k if singles else k + 1
                target = mask | added[group]
                shift = forward[mask] + powers[group] - forward[target]
                totals[target] += totals[mask] * signed[group] * power_of_two(shift)
            work += n_open if singles else n_groups
        work += 1
        mask += 1
    return mask


@njit
def pull_shares(
    sums, exponents, forward, totals, backward, rests, singles, buffers, values, descendants, start, most_work
):
    """Replace sums by shares ``P(U) / A_j(U)``, where P(U) is the probability that j chooses within just U.

    Parameters
    ----------
    sums, exponents : ndarray
        As for `push_totals`; a row's numbers are replaced one by one.
    forward, totals : ndarray of int64, ndarray of float64
        From `push_totals`.
    backward, rests : ndarray of int64, ndarray of float64, shape (2^n_variables,)
        Exponents of B, and B itself; 1 for the full set at the beginning.
    singles, buffers :
        As for `push_totals`.
    values : ndarray of float64, shape (2^n_variables,)
        Room to work.
    descendants : ndarray of float64, shape (n_variables, n_variables)
        Entry [j, i] grows by the probability that i is not in U, i other than j: that i descends from j.
    start : int
        The full set at the beginning; masks go downwards.
    most_work : int
        Terms, about.

    Returns
    -------
    int
        Where to go on; -1 when all is done.
    """
    signed, powers, added = buffers
    n, full = len(sums), len(totals) - 1
    work = 0
    mask = start
    while mask >= 0 and work < most_work:
        if backward[mask] == NOTHING and mask != full:
            mask -= 1
            work += 1
            continue
        n_open = list_groups(sums, exponents, mask, singles, signed, powers, added)
        n_groups = 1 << n_open
        values[0] = 0.0
        total = 1.0 if mask == full else 0.0
        for k in range(n_open if singles else n_groups - 1):
            group = 1 << k if singles else k + 1
            target = mask | added[group]
            values[group] = 0.0
            if backward[target] != NOTHING:
                shift = powers[group] + backward[target] - backward[mask]
                values[group] = signed[group] * rests[target] * power_of_two(shift)
                total += values[group]
        rests[mask] = total
        work += n_open if singles else n_groups
        # What the groups with each variable give, by folding the highest bit away.
        for k in range(n_open - 1, -1, -1):
            half = 1 << k
            own = values[half]
            if not singles:
                for group in range(half + 1, 2 * half):
                    own += values[group]
                for group in range(half):
                    values[group] += values[half + group]
            variable = 0
            while not added[half] >> variable & 1:
                variable += 1
            place = squeeze(mask, variable)
            probability = 0.0
            if forward[mask] != NOTHING and own > 0.0:
                shift = forward[mask] + backward[mask] - forward[full]
                probability = totals[mask] * own * power_of_two(shift) / totals[full]
            if probability > 0.0:
                for other in range(n):
                    if other != variable and not mask >> other & 1:
                        descendants[variable, other] += probability
                mantissa, exponent = math.frexp(probability)
                mantissa /= sums[variable, place]
                exponent -= exponents[variable, place]
                mantissa, lift = math.frexp(mantissa)
                sums[variable, place] = 2.0 * mantissa
                exponents[variable, place] = exponent + lift - 1
            else:
                sums[variable, place], exponents[variable, place] = 0.0, NOTHING
        work += n
        mask -= 1
    return mask


@njit
def add_set_probabilities(
    parent_offsets, parents, first, end, weights, powers, child, shares, exponents, probabilities
):
    """The posterior probability of every listed set of a child.

    Parameters
    ----------
    parent_offsets, parents, first, end, weights, powers, child :
        As for `enter_weights`.
    shares, exponents : ndarray
        From `sum_related`, over supersets.
    probabilities : ndarray of float64, shape (n_sets,)
        Receives them.
    """
    for s in range(first, end):
        mask = np.int64(0)
        for k in range(parent_offsets[s], parent_offsets[s + 1]):
            mask |= 1 << parents[k]
        place = squeeze(mask, child)
        shift = powers[s] + exponents[place]
        probabilities[s] = (
            weights[s] * shares[place] * power_of_two(max(shift, -1001)) if shares[place] > 0 else 0.0
        )
