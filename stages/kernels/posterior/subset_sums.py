"""Sums over all networks by dynamic programming over subsets of variables.

A network's weight is the product of the weights of its families. For the prior that is uniform over networks, the
networks on a set S are summed by their sinks, with inclusion and exclusion (Tian and He 2009, equation 14, roots and
sinks exchanged). A network on S whose sinks contain T consists of a network on S - T and a set within S - T for each
j in T, hence

    H(S) = sum over non-empty T in S of (-1)^(|T| + 1) H(S - T) prod_{j in T} A_j(S - T),

where A_j(U) is the sum of the weights of the sets of j within U. The derivative B(U) = dH(all) / dH(U) is the weight
of all extensions of a network on U. Every term of these sums is itself the weight of some of the networks in the sum.
So no term exceeds the sum, and the loss of digits is bounded by the logarithm of the number of terms. For the prior
that is uniform over orders, T has one member and nothing is subtracted (Koivisto and Sood 2004).

``H(U) A_j(U) sum_{T with j} (-1)^(|T| + 1) prod_{i in T - j} A_i(U) B(U + T)`` is the weight of the networks in which
U is the set of all variables that do not descend from j. (Uniform over orders: the weight of the pairs of order and
network in which U precedes j.) Given U, variable j has the set S within U with probability ``w_j(S) / A_j(U)``, so
one pass yields all arcs.

Numbers are mantissas and exponents (`scaled_numbers`). The exponents of H and B are chosen beforehand so that no term
is much larger than 1; their mantissas are not normalised.
"""

import math

import numpy as np

from ..jit import njit
from ..orders.subset_dp import set_place, squeeze
from .scaled_numbers import NOTHING, add_at, power_of_two


@njit
def enter_weights(parent_offsets, parents, first, end, weights, powers, child, sums, exponents):
    """Enter the weights of a child's listed sets into a table of all subsets of the other variables.

    Parameters
    ----------
    first, end : int
        Range of the child's sets.
    weights, powers : ndarray of float64, ndarray of int32, shape (n_sets,)
        Scaled weights of all sets.
    sums, exponents : ndarray of float64, ndarray of int32, shape (2^(n_variables - 1),)
        Receive the weights, 0 for subsets that are not listed. Masks omit position `child`.
    """
    sums[:] = 0.0
    exponents[:] = NOTHING
    for s in range(first, end):
        place = set_place(parent_offsets, parents, s, child)
        sums[place], exponents[place] = weights[s], powers[s]


@njit
def sum_related(sums, exponents, over_supersets, start, most_work):
    """Zeta transform, in slices of about `most_work` additions: sums over the subsets, or supersets, of each set.

    For one element after the other, the numbers of the subsets with and without the element are added (Yates 1937).
    `sums`, `exponents` (float64, int32, shape (2^n_elements,)): transformed in place. `start` (int): 0, or the return
    value of the previous call. Returns the position to continue from; ``n_elements * 2^(n_elements - 1)`` when all is
    done.
    """
    half = len(sums) // 2
    step, first = np.int64(1), start
    # `start` counts pairs over all elements done: half of the table for each.
    while first >= half and step <= half:
        step, first = 2 * step, first - half
    while step <= half and most_work > 0:
        end = min(half, first + most_work)
        for pair in range(first, end):
            low = pair & (step - 1)
            # The number of the pair with a zero bit inserted at the position of the element.
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
    """Exponents of H: the exponent of the largest term with a single variable; in slices of about `most_work` terms.

    `exponents` (int32, shape (n_variables, 2^(n_variables - 1))): of the sums over subsets. `forward`
    (int64, shape (2^n_variables,)): receives the exponents; `NOTHING` where no network exists. Initially 0 for the
    empty set, else `NOTHING`. Returns the mask to continue from; ``2^n_variables`` when all is done.
    """
    n = len(exponents)
    end = min(len(forward), start + most_work // n + 1)
    for mask in range(start, end):
        # Final here: every subset of `mask` is a smaller number and was pushed before.
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
    """Exponents of B, in the same way; masks descend from the one below the full set, whose entry is 0.

    Returns the mask to continue from; -1 when all is done.
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
    """Groups T of variables that can be added to the set `mask`, with the signed products of their sums A_j.

    The bits of a group's index count the variables that can be added, in ascending order. Returns the number of
    variables that can be added.

    Parameters
    ----------
    sums, exponents : ndarray of float64, ndarray of int32, shape (n_variables, 2^(n_variables - 1))
        The sums A_j over subsets, a row for every child.
    singles : bool
        Only groups of one member (prior uniform over orders).
    signed, powers, added : ndarray of float64, int64, int64, shape (2^n_variables,)
        Receive for each group ``(-1)^(size + 1)`` times the product, its exponent, and the group as a mask.
    """
    n = len(sums)
    # Minus one for the empty group and one change of sign per member give (-1)^(size + 1).
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
        # The groups with j are the groups without it (lower numbers), each extended by j.
        for group in range(bit):
            signed[bit + group] = -signed[group] * sums[j, place]
            powers[bit + group] = powers[group] + exponents[j, place]
            added[bit + group] = added[group] | 1 << j
    return n_open


@njit
def push_totals(sums, exponents, forward, totals, singles, buffers, start, most_work):
    """Add the terms of the subsets from `start` on to H of their supersets, until about `most_work` terms.

    Returns the mask to continue from.

    Parameters
    ----------
    sums, exponents : ndarray
        As from `sum_related`, over subsets, a row for every child.
    forward : ndarray of int64
        Exponents of the totals.
    totals : ndarray of float64, shape (2^n_variables,)
        H; initially 1 for the empty set and 0 for all others.
    singles : bool
        Prior uniform over orders.
    buffers : tuple of ndarray
        Scratch: `signed`, `powers`, `added` of `list_groups`.
    """
    signed, powers, added = buffers
    work = 0
    mask = start
    while mask < len(totals) and work < most_work:
        # H(mask) is complete: all its terms come from smaller masks.
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
    """Replace the sums A_j(U) by ``P(U) / A_j(U)``: P(U) is the probability that U is the set of all variables that
    do not descend from j (see above).

    Returns the mask to continue from; -1 when all is done.

    Parameters
    ----------
    sums, exponents : ndarray
        As in `push_totals`; entries are replaced as soon as they are no longer needed.
    forward, totals : ndarray of int64, ndarray of float64
        From `push_totals`.
    backward, rests : ndarray of int64, ndarray of float64, shape (2^n_variables,)
        Exponents of B, and B itself; initially 1 for the full set.
    singles, buffers :
        As for `push_totals`.
    values : ndarray of float64, shape (2^n_variables,)
        Scratch.
    descendants : ndarray of float64, shape (n_variables, n_variables)
        Entry [j, i], i other than j, is increased by P(U) if U lacks i: the probability that i descends from j.
    start : int
        First mask, initially the full set; masks descend.
    most_work : int
        Approximate number of terms.
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
        # Sums A_j(mask) are read for this mask only, so the shares may replace them below.
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
        # Sum of the groups that contain each variable. The variable of the highest bit is read off, then its groups
        # are folded into the groups without it: linear in the number of groups.
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
                # Divided as mantissa and exponent, since A_j may be far out of range; frexp gives [1/2, 1), doubled
                # to [1, 2).
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
    """The posterior probabilities of a child's listed sets.

    Parameters
    ----------
    parent_offsets, parents, first, end, weights, powers, child : As in `enter_weights`.
    shares, exponents : ndarray
        Results of `pull_shares`, summed over supersets by `sum_related`.
    probabilities : ndarray of float64, shape (n_sets,)
        Receives the probabilities.
    """
    for s in range(first, end):
        place = set_place(parent_offsets, parents, s, child)
        shift = powers[s] + exponents[place]
        probabilities[s] = weights[s] * shares[place] * power_of_two(max(shift, -1001)) if shares[place] > 0 else 0.0
