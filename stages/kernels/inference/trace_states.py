"""From collected tables to states, from the root on: the most probable ones, or draws."""

from __future__ import annotations

import numpy as np

from ..jit import njit


@njit
def trace_states(plan, network, n_rows, tables, places, columns, uniforms, is_drawn, codes):
    """Choose the states of a component's variables.

    Parameters
    ----------
    plan : CliquePlan
    network : NetworkArrays
    n_rows : int
        Rows of the tables.
    tables : ndarray of float64
        As `propagation.collect` left them: with maxima for the most probable states, with sums for draws.
    places : ndarray of int64, shape (m,)
        The row of the tables that each choice is made from.
    columns : ndarray of int64, shape (m,)
        Where it goes.
    uniforms : ndarray of float64, shape (n, all columns)
        Numbers from [0, 1), if choices are drawn.
    is_drawn : bool
        Else the most probable states, ties to the smallest.
    codes : ndarray of uint8, shape (n, all columns)
        Changed at the variables of the component.
    """
    for clique in range(len(plan.heirs) - 1, -1, -1):
        begin, end = plan.axis_start[clique], plan.axis_start[clique + 1]
        middle = begin + plan.n_separators[clique]
        n_chosen = np.int64(1)
        for axis in range(middle, end):
            n_chosen *= network.n_states[plan.axes[axis]]
        for i in range(len(places)):
            column = columns[i]
            kept = np.int64(0)
            for axis in range(begin, middle):
                kept = kept * network.n_states[plan.axes[axis]] + np.int64(codes[plan.axes[axis], column])
            first = (plan.cell_start[clique] + kept * n_chosen) * n_rows + places[i]
            if is_drawn:
                choice = _draw(tables, first, n_rows, n_chosen, uniforms[plan.axes[middle], column])
            else:
                choice = _largest(tables, first, n_rows, n_chosen)
            for axis in range(end - 1, middle - 1, -1):
                n_states = network.n_states[plan.axes[axis]]
                codes[plan.axes[axis], column] = np.uint8(choice % n_states)
                choice //= n_states


@njit
def _largest(tables, first, step, count):
    best = np.int64(0)
    for k in range(1, count):
        if tables[first + k * step] > tables[first + best * step]:
            best = np.int64(k)
    return best


@njit
def _draw(tables, first, step, count, uniform):
    total = 0.0
    for k in range(count):
        total += tables[first + k * step]
    threshold, choice = uniform * total, np.int64(0)
    total = 0.0
    for k in range(count):
        weight = tables[first + k * step]
        if weight > 0.0:
            choice = np.int64(
                k
            )  # the last that is possible, should rounding leave nothing above the threshold
            total += weight
            if total > threshold:
                break
    return choice
