"""Most probable states, or draws, traced from the roots of a junction tree to its leaves."""

import numpy as np

from ..jit import njit


@njit
def trace_states(plan, n_rows, tables, places, columns, uniforms, is_drawn, codes):
    """Choose the states of a component's variables.

    Parameters
    ----------
    n_rows : int
        Rows of `tables`.
    tables : ndarray of float64
        From `propagation.collect`, with maxima for the most probable states, with sums for draws.
    places : ndarray of int64, shape (m,)
        Row of `tables` for each of m results.
    columns : ndarray of int64, shape (m,)
        Column of `codes` for each result.
    uniforms : ndarray of float64, shape (n, all columns)
        In [0, 1); read only for draws.
    is_drawn : bool
        Draw; otherwise take the most probable states, ties to the smallest code.
    codes : ndarray of uint8, shape (n, all columns)
        Output at the variables of the component.
    """
    # Parents come after their children in the plan, so the separator's states are known at each clique.
    for clique in range(len(plan.tree_parents) - 1, -1, -1):
        begin, end = plan.axis_start[clique], plan.axis_start[clique + 1]
        middle = begin + plan.n_separators[clique]
        n_chosen = np.int64(1)
        for axis in range(middle, end):
            n_chosen *= plan.sizes[axis]
        for i in range(len(places)):
            column = columns[i]
            # Number of the separator's state, hence of the run of cells among which to choose.
            kept = np.int64(0)
            for axis in range(begin, middle):
                kept = kept * plan.sizes[axis] + np.int64(codes[plan.axes[axis], column])
            first = (plan.cell_start[clique] + kept * n_chosen) * n_rows + places[i]
            if is_drawn:
                # One number for each clique, taken from a variable that no other clique eliminates: so draws are
                # independent.
                choice = _draw(tables, first, n_rows, n_chosen, uniforms[plan.axes[middle], column])
            else:
                choice = _largest(tables, first, n_rows, n_chosen)
            for axis in range(end - 1, middle - 1, -1):
                n_states = plan.sizes[axis]
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
            choice = np.int64(k)  # the last possible state if rounding keeps the sum at the threshold
            total += weight
            if total > threshold:
                break
    return choice
