"""Propagation in a junction tree for many rows at once: products of factors, messages towards the root, and back.

Cells of a table are `n_rows` numbers apart, the rows of a cell side by side: inner loops run over rows. Tables
are scaled so that a row's numbers stay in range; a row that leaves it all the same, or that is impossible, is left to
`log_tables`. Messages are those of Shenoy and Shafer 1990 on the way in, of Jensen, Lauritzen and Olesen 1990 back.

What the loops need beside their tables is allocated once, outside: a kernel that allocates nothing counts no
references.
"""

from __future__ import annotations

import numpy as np

from ..jit import njit

LEAST_PEAK = 1e-200
"""Rows whose largest number is smaller are worked out in logarithms: what is smaller still may have lost digits."""

FACTORS_BETWEEN_SCALING = 16


@njit
def collect(plan, network, codes, rows, is_inside, is_max, tables, messages, logs):
    """Multiply factors and hand messages towards the root.

    Parameters
    ----------
    plan : CliquePlan
    network : NetworkArrays
    codes : ndarray of uint8, shape (n, all rows)
    rows : ndarray of int64, shape (n_rows,)
        The rows worked on; they share the plan.
    is_inside : ndarray of bool, shape (n,)
        Variables of the component.
    is_max : bool
        Messages are maxima instead of sums.
    tables : ndarray of float64, at least (plan.cell_start[-1] * n_rows,)
        Filled: for each clique the product of factors and messages, up to a scale for each row.
    messages : ndarray of float64, at least (plan.message_start[-1] * n_rows,)
        Filled.
    logs : ndarray of float64, shape (n_rows,)
        Filled: logarithm of the sum (or maximum) over the component, nats; NaN if a row's numbers became too small.
    """
    bases, peaks = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    digits = np.empty(len(network.n_states), dtype=np.int64)
    _collect(plan, network, codes, rows, is_inside, is_max, tables, messages, logs, bases, peaks, digits)


@njit
def _collect(plan, network, codes, rows, is_inside, is_max, tables, messages, logs, bases, peaks, digits):
    n_rows = len(rows)
    logs[:] = 0.0
    for clique in range(len(plan.heirs)):
        begin, end = plan.cell_start[clique], plan.cell_start[clique + 1]
        table = tables[begin * n_rows : end * n_rows]
        table[:] = 1.0
        for factor in range(plan.factor_start[clique], plan.factor_start[clique + 1]):
            source = plan.sources[factor]
            is_message = source < 0
            if is_message:
                bases[:] = plan.message_start[-1 - source]
            else:
                find_entries(network, source, codes, rows, is_inside, bases)
            values = messages if is_message else network.probabilities
            _multiply(plan, network, clique, factor, values, bases, is_message, table, digits)
            if (factor - plan.factor_start[clique]) % FACTORS_BETWEEN_SCALING == FACTORS_BETWEEN_SCALING - 1:
                _rescale(table, n_rows, peaks, logs)
        n_kept = plan.message_start[clique + 1] - plan.message_start[clique]
        message = messages[plan.message_start[clique] * n_rows : plan.message_start[clique + 1] * n_rows]
        _reduce(table, n_kept, n_rows, is_max, message)
        _rescale(message, n_rows, peaks, logs)


@njit
def find_entries(network, family, codes, rows, is_inside, bases):
    """Where the entries of a family's table begin that agree with the observed members of each row."""
    bases[:] = network.table_start[family]
    for m in range(network.family_start[family], network.family_start[family + 1]):
        member, stride = network.family[m], network.strides[m]
        if not is_inside[member]:
            for r in range(len(rows)):
                bases[r] += stride * np.int64(codes[member, rows[r]])


@njit
def _multiply(plan, network, clique, factor, values, bases, is_message, table, digits):
    """Multiply a table by a factor: by its value at ``bases[row]`` plus the strides of a cell's states."""
    begin = plan.axis_start[clique]
    n_axes = plan.axis_start[clique + 1] - begin
    n_rows = len(bases)
    n_cells = len(table) // n_rows
    at = plan.stride_start[factor]
    n_last = network.n_states[plan.axes[begin + n_axes - 1]]
    last = plan.strides[at + n_axes - 1]
    digits[:n_axes] = 0
    offset, cell = np.int64(0), np.int64(0)
    while cell < n_cells:
        if n_rows == 1:
            base = bases[0] + offset
            for state in range(n_last):
                table[cell + state] *= values[base + state * last]
        elif is_message:
            for state in range(n_last):
                here = (cell + state) * n_rows
                there = (bases[0] + offset + state * last) * n_rows
                for r in range(n_rows):
                    table[here + r] *= values[there + r]
        else:
            for state in range(n_last):
                here, shift = (cell + state) * n_rows, offset + state * last
                for r in range(n_rows):
                    table[here + r] *= values[bases[r] + shift]
        cell += n_last
        offset = next_offset(plan, network, begin, at, n_axes - 2, digits, offset)


@njit
def next_offset(plan, network, begin, at, axis, digits, offset):
    """Count the states of a clique's axes on by one, the last that is looked at fastest.

    Parameters
    ----------
    plan : CliquePlan
    network : NetworkArrays
    begin, at : int
        Where the clique's axes begin in ``plan.axes``, and a factor's strides in ``plan.strides``.
    axis : int
        The fastest axis; those behind it stay as they are.
    digits : ndarray of int64
        State of each axis; changed.
    offset : int
        Of these states in the factor.

    Returns
    -------
    int
        The offset of the next states; of the first ones after the last.
    """
    while axis >= 0:
        digits[axis] += 1
        offset += plan.strides[at + axis]
        if digits[axis] < network.n_states[plan.axes[begin + axis]]:
            break
        offset -= digits[axis] * plan.strides[at + axis]
        digits[axis] = 0
        axis -= 1
    return offset


@njit
def _reduce(table, n_kept, n_rows, is_max, message):
    """Sums, or maxima, of consecutive cells."""
    n_summed = len(table) // (n_kept * n_rows)
    message[:] = 0.0
    for kept in range(n_kept):
        there = kept * n_rows
        for k in range(n_summed):
            here = (kept * n_summed + k) * n_rows
            if is_max:
                for r in range(n_rows):
                    message[there + r] = max(message[there + r], table[here + r])
            else:
                for r in range(n_rows):
                    message[there + r] += table[here + r]


@njit
def _rescale(values, n_rows, peaks, logs):
    """Divide each row by its largest number, whose logarithm goes to `logs`; NaN there if it is too small."""
    peaks[:] = 0.0
    for start in range(0, len(values), n_rows):
        for r in range(n_rows):
            peaks[r] = max(peaks[r], values[start + r])
    for r in range(n_rows):
        logs[r] += np.log(peaks[r]) if peaks[r] >= LEAST_PEAK else np.nan
        peaks[r] = 1.0 / peaks[r] if peaks[r] >= LEAST_PEAK else 1.0
    for start in range(0, len(values), n_rows):
        for r in range(n_rows):
            values[start + r] *= peaks[r]


@njit
def distribute(plan, network, n_rows, tables, messages):
    """Hand messages back from the root: each table becomes the joint distribution of its clique.

    Parameters
    ----------
    plan : CliquePlan
    network : NetworkArrays
    n_rows : int
    tables : ndarray of float64
        As `collect` with sums left them; changed.
    messages : ndarray of float64
        Scratch from here on.
    """
    sums, digits = np.empty(n_rows), np.empty(len(network.n_states), dtype=np.int64)
    _distribute(plan, network, n_rows, tables, messages, sums, digits)


@njit
def _distribute(plan, network, n_rows, tables, messages, sums, digits):
    for clique in range(len(plan.heirs) - 1, -1, -1):
        begin, end = plan.message_start[clique], plan.message_start[clique + 1]
        table = tables[plan.cell_start[clique] * n_rows : plan.cell_start[clique + 1] * n_rows]
        message = messages[begin * n_rows : end * n_rows]
        if plan.heirs[clique] < 0:
            message[:] = 1.0
        else:
            message[:] = 0.0
            _marginalise(
                plan, network, plan.heirs[clique], plan.handed[clique], n_rows, tables, message, digits
            )
        n_summed = len(table) // len(message)
        for kept in range(end - begin):
            sums[:] = 0.0
            first = kept * n_summed * n_rows
            for start in range(first, first + n_summed * n_rows, n_rows):
                for r in range(n_rows):
                    sums[r] += table[start + r]
            for r in range(n_rows):
                sums[r] = message[kept * n_rows + r] / sums[r] if sums[r] > 0.0 else 0.0
            for start in range(first, first + n_summed * n_rows, n_rows):
                for r in range(n_rows):
                    table[start + r] *= sums[r]


@njit
def _marginalise(plan, network, clique, factor, n_rows, tables, target, digits):
    """Add the cells of a clique's table to those of a factor's that they agree with."""
    begin = plan.axis_start[clique]
    n_axes = plan.axis_start[clique + 1] - begin
    at = plan.stride_start[factor]
    digits[:n_axes] = 0
    offset = np.int64(0)
    for cell in range(plan.cell_start[clique], plan.cell_start[clique + 1]):
        for r in range(n_rows):
            target[offset * n_rows + r] += tables[cell * n_rows + r]
        offset = next_offset(plan, network, begin, at, n_axes - 1, digits, offset)


@njit
def read_marginals(plan, network, rows, tables, target_start, posterior):
    """Marginal distributions of the variables that are asked for.

    Parameters
    ----------
    plan : CliquePlan
    network : NetworkArrays
    rows : ndarray of int64, shape (n_rows,)
    tables : ndarray of float64
        As `distribute` left them.
    target_start : ndarray of int64, shape (n,)
        The column of each variable's first state; -1 where it is not asked for.
    posterior : ndarray of float64, shape (all rows, columns)
        Filled.
    """
    most = np.int64(0)
    for size in network.n_states:
        most = max(most, size)
    sums = np.empty(most * len(rows))
    _read_marginals(plan, network, rows, tables, target_start, posterior, sums)


@njit
def _read_marginals(plan, network, rows, tables, target_start, posterior, sums):
    n_rows = len(rows)
    for clique in range(len(plan.heirs)):
        begin, end = plan.axis_start[clique], plan.axis_start[clique + 1]
        for axis in range(begin + plan.n_separators[clique], end):
            column = target_start[plan.axes[axis]]
            if column < 0:
                continue
            n_states, inner = network.n_states[plan.axes[axis]], np.int64(1)
            for later in range(axis + 1, end):
                inner *= network.n_states[plan.axes[later]]
            sums[: n_states * n_rows] = 0.0
            first = plan.cell_start[clique]
            for cell in range(plan.cell_start[clique + 1] - first):
                state = (cell // inner) % n_states
                for r in range(n_rows):
                    sums[state * n_rows + r] += tables[(first + cell) * n_rows + r]
            for r in range(n_rows):
                total = 0.0
                for state in range(n_states):
                    total += sums[state * n_rows + r]
                for state in range(n_states):
                    posterior[rows[r], column + state] = sums[state * n_rows + r] / total
