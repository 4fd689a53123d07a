"""What is hidden in a row and matters falls into components that the observed cells separate.

Barren variables, hidden ones that nobody asks for and that have no observed descendants, add up to 1 and are left
out (Shachter 1986). Two hidden variables are connected if a family has both.
"""

from __future__ import annotations

import numpy as np

from ..jit import njit

NONE = -1
"""Component of a variable that is observed or barren."""


@njit
def label_components(network, is_hidden, is_wanted, is_joined, labels):
    """Number the components of the hidden variables of every row.

    Parameters
    ----------
    network : NetworkArrays
    is_hidden : ndarray of bool, shape (n, rows)
    is_wanted : ndarray of bool, shape (n,)
        Variables that are never barren.
    is_joined : ndarray of bool, shape (n,)
        Variables that belong together whatever the families say.
    labels : ndarray of int32, shape (rows, n)
        Filled: the component of each variable within its row, `NONE`, or `NONE` - 1 if it is barren.

    Returns
    -------
    int
        Components of all rows.
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
                n_waiting = _add_neighbours(
                    network, waiting[n_waiting], n_found, is_joined, own, waiting, n_waiting
                )
            n_found += 1
        total += n_found
    return total


@njit
def _mark_barren(network, is_hidden, row, is_wanted, labels):
    """`NONE` where observed, `NONE` - 1 where barren, n where a component is to be found."""
    n_variables = len(labels)
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
    n_variables = len(labels)
    for k in range(network.membership_start[variable], network.membership_start[variable + 1]):
        family = network.membership[k]
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
    """What each component consists of: bits of its variables, and of the families that have one of them.

    Parameters
    ----------
    network : NetworkArrays
    labels : ndarray of int32, shape (rows, n)
        See `label_components`.
    keys : ndarray of uint8, shape (components, 2 * bytes)
        Filled: bits, lowest first, of variables, then of families, by their variable.
    rows : ndarray of int64, shape (components,)
        Filled: the row of each component.
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
    """Add the logarithms of the entries of families that are observed whole.

    Parameters
    ----------
    network : NetworkArrays
    codes : ndarray of uint8, shape (n, rows)
    is_hidden : ndarray of bool, shape (n, rows)
    logs : ndarray of float64, shape (rows,)
        Changed; nats.
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
