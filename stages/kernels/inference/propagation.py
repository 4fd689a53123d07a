"""Propagation in a junction tree for many rows at once.

Messages to the roots follow Shenoy and Shafer (1990), messages back Jensen, Lauritzen and Olesen (1990). The `n_rows`
values of a cell are adjacent, so that inner loops run over rows. Tables are rescaled per row against underflow; rows
that underflow all the same, and impossible ones, are left to `log_tables`.

Inner functions take single arrays, not the tuples that hold them: each call counts references to every array of a
tuple, which costs more than a small clique.
"""

import numpy as np

from ..jit import njit

LEAST_PEAK = 1e-200
"""Rows whose largest number is below this are computed in logarithms: smaller numbers may have lost digits."""

FACTORS_BETWEEN_SCALING = 16
"""Factors multiplied between two rescalings of a table."""


@njit
def collect(plan, network, codes, rows, is_inside, is_max, tables, messages, logs):
    """Multiply the factors of each clique and send messages to the roots.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n, all rows)
        States; the states of hidden variables are ignored.
    rows : ndarray of int64, shape (n_rows,)
        Rows with this plan.
    is_inside : ndarray of bool, shape (n,)
        Variables of the component.
    is_max : bool
        Max-product instead of sum-product.
    tables : ndarray of float64, at least (plan.cell_start[-1] * n_rows,)
        Output: for each clique the product of factors and incoming messages, up to a scale per row.
    messages : ndarray of float64, at least (plan.message_start[-1] * n_rows,)
        Output, up to a scale per row.
    logs : ndarray of float64, shape (n_rows,)
        Output: log of the sum (or maximum) over the component, nats; NaN where a row underflowed.
    """
    bases, peaks = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    digits, n_rows = np.empty(len(plan.axes), dtype=np.int64), len(rows)
    logs[:] = 0.0
    for clique in range(len(plan.tree_parents)):
        begin, end = plan.cell_start[clique], plan.cell_start[clique + 1]
        table = tables[begin * n_rows : end * n_rows]
        table[:] = 1.0
        sizes = plan.sizes[plan.axis_start[clique] : plan.axis_start[clique + 1]]
        for factor in range(plan.factor_start[clique], plan.factor_start[clique + 1]):
            source = plan.sources[factor]
            is_message = source < 0
            if is_message:
                bases[:] = plan.message_start[-1 - source]
            else:
                find_entries(network, source, codes, rows, is_inside, bases)
            values = messages if is_message else network.probabilities
            at = plan.stride_start[factor]
            # Children of a clique come before it in the plan, so their messages are complete.
            _multiply(sizes, plan.strides[at : at + len(sizes)], values, bases, is_message, table, digits)
            if (factor - plan.factor_start[clique]) % FACTORS_BETWEEN_SCALING == FACTORS_BETWEEN_SCALING - 1:
                _rescale(table, n_rows, peaks, logs)
        n_kept = plan.message_start[clique + 1] - plan.message_start[clique]
        message = messages[plan.message_start[clique] * n_rows : plan.message_start[clique + 1] * n_rows]
        # The message of a root has one cell, rescaled to 1: the sum of all log-scales is then the log of the total.
        _reduce(table, n_kept, n_rows, is_max, message)
        _rescale(message, n_rows, peaks, logs)


@njit
def find_entries(network, family, codes, rows, is_inside, bases):
    """Offset of the observed members' states in the family's table, for each row."""
    bases[:] = network.table_start[family]
    for m in range(network.family_start[family], network.family_start[family + 1]):
        member, stride = network.family[m], network.strides[m]
        if not is_inside[member]:
            for r in range(len(rows)):
                bases[r] += stride * np.int64(codes[member, rows[r]])


@njit
def _multiply(sizes, strides, values, bases, is_message, table, digits):
    """Multiply a table by a factor, whose value for a cell is at ``bases[row]`` plus the offset of the cell.

    Along the last axis, the inner loop, the offset moves by a constant stride.
    """
    n_axes, n_rows = len(sizes), len(bases)
    n_cells = len(table) // n_rows
    n_last, last = sizes[n_axes - 1], strides[n_axes - 1]
    digits[:n_axes] = 0
    offset, cell = np.int64(0), np.int64(0)
    while cell < n_cells:
        # With one row a message and a family table are addressed alike.
        if n_rows == 1:
            base = bases[0] + offset
            for state in range(n_last):
                table[cell + state] *= values[base + state * last]
        # A message has a value of its own for each row, side by side. A family table serves all rows; a row's
        # observed states give its offset there.
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
        offset = next_offset(sizes, strides, n_axes - 2, digits, offset)


@njit
def next_offset(sizes, strides, axis, digits, offset):
    """Advance the states of a clique's axes by one, like an odometer.

    Returns the offset of the next states; after the last ones, of the first.

    Parameters
    ----------
    sizes, strides : ndarray of int64, shape (axes,)
        Numbers of states, and strides of a factor.
    axis : int
        The fastest axis; later ones do not change.
    digits : ndarray of int64
        State of each axis; updated in place.
    offset : int
        Offset of these states in the factor.
    """
    while axis >= 0:
        digits[axis] += 1
        offset += strides[axis]
        if digits[axis] < sizes[axis]:
            break
        # Carry: this axis starts again, the one before advances.
        offset -= digits[axis] * strides[axis]
        digits[axis] = 0
        axis -= 1
    return offset


@njit
def _reduce(table, n_kept, n_rows, is_max, message):
    """Sums, or maxima, over runs of consecutive cells: the separator's axes come first."""
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
    """Divide each row by its largest number and add the log of that to `logs`, NaN if it is below `LEAST_PEAK`."""
    peaks[:] = 0.0
    for start in range(0, len(values), n_rows):
        for r in range(n_rows):
            peaks[r] = max(peaks[r], values[start + r])
    for r in range(n_rows):
        # NaN stays NaN in all later sums: the row is computed again in logarithms.
        logs[r] += np.log(peaks[r]) if peaks[r] >= LEAST_PEAK else np.nan
        peaks[r] = 1.0 / peaks[r] if peaks[r] >= LEAST_PEAK else 1.0
    for start in range(0, len(values), n_rows):
        for r in range(n_rows):
            values[start + r] *= peaks[r]


@njit
def distribute(plan, n_rows, tables, messages):
    """Send messages back from the roots: each table becomes the joint distribution of its clique.

    `tables` (float64): from `collect` with sums; updated in place. `messages` (float64): from `collect`; scratch
    afterwards.
    """
    sums, digits = np.empty(n_rows), np.empty(len(plan.axes), dtype=np.int64)
    # Backwards: a clique's parent is already a joint distribution.
    for clique in range(len(plan.tree_parents) - 1, -1, -1):
        begin, end = plan.message_start[clique], plan.message_start[clique + 1]
        table = tables[plan.cell_start[clique] * n_rows : plan.cell_start[clique + 1] * n_rows]
        message = messages[begin * n_rows : end * n_rows]
        if plan.tree_parents[clique] < 0:
            message[:] = 1.0
        else:
            message[:] = 0.0
            parent, at = plan.tree_parents[clique], plan.stride_start[plan.message_factors[clique]]
            sizes = plan.sizes[plan.axis_start[parent] : plan.axis_start[parent + 1]]
            joint = tables[plan.cell_start[parent] * n_rows : plan.cell_start[parent + 1] * n_rows]
            _marginalise(sizes, plan.strides[at : at + len(sizes)], n_rows, joint, message, digits)
        # P(clique) = P(separator) * table / (sum of the table over the rest), so the scale per row cancels. Where
        # the sum is 0 the table and P(separator) are 0 as well: 0/0 is taken as 0.
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
def _marginalise(sizes, strides, n_rows, table, target, digits):
    """Add each cell of a clique's table to the cell of the same states in a factor."""
    digits[: len(sizes)] = 0
    offset = np.int64(0)
    for start in range(0, len(table), n_rows):
        for r in range(n_rows):
            target[offset * n_rows + r] += table[start + r]
        offset = next_offset(sizes, strides, len(sizes) - 1, digits, offset)


@njit
def read_marginals(plan, rows, tables, target_start, posterior):
    """Marginal distributions of the target variables.

    Parameters
    ----------
    rows : ndarray of int64, shape (n_rows,)
        Rows of `posterior`, one for each row of the tables.
    tables : ndarray of float64
        From `distribute`.
    target_start : ndarray of int64, shape (n,)
        Column of each variable's first state; -1 if it is no target.
    posterior : ndarray of float64, shape (all rows, columns)
        Output.
    """
    n_rows = len(rows)
    sums = np.empty(plan.sizes.max() * n_rows)
    for clique in range(len(plan.tree_parents)):
        begin, end = plan.axis_start[clique], plan.axis_start[clique + 1]
        # Each variable is outside the separator in exactly one clique.
        for axis in range(begin + plan.n_separators[clique], end):
            column = target_start[plan.axes[axis]]
            if column < 0:
                continue
            n_states, inner = plan.sizes[axis], np.int64(1)
            for later in range(axis + 1, end):
                inner *= plan.sizes[later]
            sums[: n_states * n_rows] = 0.0
            first = plan.cell_start[clique]
            for cell in range(plan.cell_start[clique + 1] - first):
                # Axes after this one run faster and have `inner` states together.
                state = (cell // inner) % n_states
                for r in range(n_rows):
                    sums[state * n_rows + r] += tables[(first + cell) * n_rows + r]
            for r in range(n_rows):
                total = 0.0
                for state in range(n_states):
                    total += sums[state * n_rows + r]
                for state in range(n_states):
                    # Tables sum to 1 up to rounding, in impossible rows to 0: then 0 / 0 leaves NaN.
                    posterior[rows[r], column + state] = sums[state * n_rows + r] / total
