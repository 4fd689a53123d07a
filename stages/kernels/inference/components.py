"""The relevant hidden variables of each row, divided into components that the observed variables separate.

A hidden variable is barren if it is not queried and has no observed or queried descendant. Barren variables sum to 1
and are removed (Shachter 1986). Two hidden variables are connected if one family contains both.
"""

from typing import NamedTuple

import numpy as np

from ..jit import njit

NONE = -1
"""Label of an observed variable; a barren one has `NONE` - 1."""


class Groups(NamedTuple):
    """Distinct components and the rows that have them: g groups, e pairs of row and component."""

    # `member_start`, `family_start`, `row_start`: int64, shape (g + 1,): start of each group's part of `members`,
    # `families` and `rows`.
    member_start: np.ndarray
    members: np.ndarray  # int64: hidden variables of each component, ascending
    family_start: np.ndarray
    families: np.ndarray  # int64: children of the families that contain a member
    row_start: np.ndarray
    rows: np.ndarray  # int64, shape (e,)


@njit
def component_of(groups, group):
    """Members and families of a group, as views."""
    members = groups.members[groups.member_start[group] : groups.member_start[group + 1]]
    return members, groups.families[groups.family_start[group] : groups.family_start[group + 1]]


@njit
def label_components(network, is_hidden, is_wanted, is_joined, labels):
    """Number the components of the hidden variables of every row.

    Returns the number of components of all rows together.

    Parameters
    ----------
    is_hidden : ndarray of bool, shape (n, rows)
        Which cells are not observed.
    is_wanted : ndarray of bool, shape (n,)
        Variables that are never barren.
    is_joined : ndarray of bool, shape (n,)
        Variables forced into one component.
    labels : ndarray of int32, shape (rows, n)
        Output: the component of each variable within its row, `NONE`, or `NONE` - 1 if it is barren.
    """
    n_variables, n_rows = is_hidden.shape
    waiting = np.empty(n_variables, dtype=np.int64)
    total = 0
    for row in range(n_rows):
        own = labels[row]
        _mark_barren(network, is_hidden, row, is_wanted, own)
        n_found = 0
        for start in range(n_variables):
            if own[start] != n_variables:
                continue
            own[start] = n_found
            waiting[0] = start
            n_waiting = 1
            while n_waiting:
                n_waiting -= 1
                n_waiting = _add_neighbours(network, waiting[n_waiting], n_found, is_joined, own, waiting, n_waiting)
            n_found += 1
        total += n_found
    return total


@njit
def _mark_barren(network, is_hidden, row, is_wanted, labels):
    """Label a row: `NONE` if observed, `NONE` - 1 if barren, n if the component is still unknown."""
    n_variables = len(labels)
    # Children come before their parents, so a child's label is final when its parents are visited.
    for place in range(n_variables - 1, -1, -1):
        variable = network.order[place]
        if not is_hidden[variable, row]:
            labels[variable] = NONE
            continue
        labels[variable] = n_variables if is_wanted[variable] else NONE - 1
        for k in range(network.membership_start[variable], network.membership_start[variable + 1]):
            child = network.membership[k]
            if child != variable and labels[child] != NONE - 1:
                labels[variable] = n_variables
                break


@njit
def _add_neighbours(network, variable, label, is_joined, labels, waiting, n_waiting):
    """Label the unlabelled neighbours of a variable and push them on the stack; returns its new size."""
    n_variables = len(labels)
    for k in range(network.membership_start[variable], network.membership_start[variable + 1]):
        family = network.membership[k]
        # The family of a barren child sums to 1 and connects no variables.
        if labels[family] == NONE - 1:
            continue
        for m in range(network.family_start[family], network.family_start[family + 1]):
            other = network.family[m]
            if labels[other] == n_variables:
                labels[other] = label
                waiting[n_waiting] = other
                n_waiting += 1
    if is_joined[variable]:
        for other in range(n_variables):
            if is_joined[other] and labels[other] == n_variables:
                labels[other] = label
                waiting[n_waiting] = other
                n_waiting += 1
    return n_waiting


@njit
def component_keys(network, labels, keys, rows):
    """Bit masks that identify each component: its variables, and the families that contain one of them.

    Parameters
    ----------
    labels : ndarray of int32, shape (rows, n)
        See `label_components`.
    keys : ndarray of uint8, shape (components, 2 * bytes)
        Output, zero at first: bits of variables, then of families by their child, lowest bit first.
    rows : ndarray of int64, shape (components,)
        Output: the row of each component.
    """
    n_rows, n_variables = labels.shape
    n_bytes = (n_variables + 7) // 8
    first = 0
    for row in range(n_rows):
        found = 0
        for variable in range(n_variables):
            label = labels[row, variable]
            if label < 0:
                continue
            # Labels of a row are 0, 1, ..., and rows follow one another.
            component = first + label
            found = max(found, label + 1)
            rows[component] = row
            keys[component, variable >> 3] |= np.uint8(1 << (variable & 7))
            for k in range(network.membership_start[variable], network.membership_start[variable + 1]):
                family = network.membership[k]
                if labels[row, family] != NONE - 1:
                    keys[component, n_bytes + (family >> 3)] |= np.uint8(1 << (family & 7))
        first += found


@njit
def observed_log_probability(network, codes, is_hidden, logs):
    """Add the log-probabilities (nats) of all fully observed families to each row.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n, rows)
        States of the observed cells.
    is_hidden : ndarray of bool, shape (n, rows)
        Which cells are not observed.
    logs : ndarray of float64, shape (rows,)
        Updated in place.
    """
    for row in range(codes.shape[1]):
        for child in range(len(network.n_states)):
            at = network.table_start[child]
            for m in range(network.family_start[child], network.family_start[child + 1]):
                member = network.family[m]
                if is_hidden[member, row]:
                    at = np.int64(-1)
                    break
                at += network.strides[m] * np.int64(codes[member, row])
            if at >= 0:
                logs[row] += np.log(network.probabilities[at])
