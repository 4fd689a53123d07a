"""Propagation in a junction tree for many rows at once.

Messages to the roots follow Shenoy and Shafer (1990), messages back Jensen, Lauritzen and Olesen (1990). The `n_rows`
values of a cell are adjacent, so that inner loops run over rows. Tables are rescaled per row against underflow; rows
that underflow all the same, and impossible ones, are left to `log_tables`.

Inner functions take single arrays, not the tuples that hold them: each call counts references to every array of a
tuple, which costs more than a small clique.
"""

import numpy as np

from ..jit import njit
from .clique_tables import join_axes, marginalise, multiply, repeat_cells, sum_leading, sum_numbers, sum_trailing

LEAST_PEAK = 1e-200
"""Rows whose largest number is below this are computed in logarithms: smaller numbers may have lost digits."""

FACTORS_BETWEEN_SCALING = 16
"""Factors multiplied between two rescalings of a table."""


@njit
def collect(plan, network, codes, rows, is_inside, is_max, is_kept, tables, messages, logs, stop):
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
    is_kept : bool
        Whether all tables are wanted; otherwise one place, which stays in the cache, serves all but the root's.
    tables : ndarray of float64, at least (plan.cell_start[-1] * n_rows,)
        Output: for each clique the product of factors and incoming messages, up to a scale per row.
    messages : ndarray of float64, at least (plan.message_start[-1] * n_rows,)
        Output, up to a scale per row.
    logs : ndarray of float64, shape (n_rows,)
        Output: log of the sum (or maximum) over the component, nats; NaN where a row underflowed.
    stop : ndarray of uint8, shape (1,)
        Another thread sets it to 1 to end the work; then the outputs are worthless.
    """
    bases, peaks = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    runs, n_rows = np.empty((3, len(plan.axes)), dtype=np.int64), len(rows)
    logs[:] = 0.0
    for clique in range(len(plan.tree_parents)):
        # The root comes last: what was in its place is not read any more.
        begin = plan.cell_start[clique] * n_rows if is_kept or plan.tree_parents[clique] < 0 else 0
        table = tables[begin : begin + (plan.cell_start[clique + 1] - plan.cell_start[clique]) * n_rows]
        sizes = plan.sizes[plan.axis_start[clique] : plan.axis_start[clique + 1]]
        # The table grows by axes: a factor is multiplied into the product over the axes up to its last one.
        table[:n_rows] = 1.0
        depth, n_cells = 0, 1
        for place in range(plan.factor_start[clique], plan.factor_start[clique + 1]):
            if stop[0]:
                return
            factor = plan.by_depth[place]
            source, at = plan.sources[factor], plan.stride_start[factor]
            n_copies = _span(sizes, depth, plan.depths[factor])
            repeat_cells(table, n_cells, n_copies, n_rows)
            depth, n_cells = plan.depths[factor], n_cells * n_copies
            is_message = source < 0
            if is_message:
                bases[:] = plan.message_start[-1 - source]
            else:
                find_entries(network, source, codes, rows, is_inside, bases)
            values = messages if is_message else network.probabilities
            # Children of a clique come before it in the plan, so their messages are complete.
            n_runs = join_axes(sizes[:depth], plan.strides[at : at + depth], runs)
            multiply(runs[:, :n_runs], values, bases, is_message, table[: n_cells * n_rows])
            if (place - plan.factor_start[clique]) % FACTORS_BETWEEN_SCALING == FACTORS_BETWEEN_SCALING - 1:
                _rescale(table[: n_cells * n_rows], n_rows, peaks, logs)
        repeat_cells(table, n_cells, _span(sizes, depth, len(sizes)), n_rows)
        n_kept = plan.message_start[clique + 1] - plan.message_start[clique]
        message = messages[plan.message_start[clique] * n_rows : plan.message_start[clique + 1] * n_rows]
        # The message of a root has one cell, rescaled to 1: the sum of all log-scales is then the log of the total.
        sum_trailing(table, n_kept, n_rows, is_max, message)
        _rescale(message, n_rows, peaks, logs)


@njit
def _span(sizes, begin, end):
    """Number of joint states of some consecutive axes."""
    span = np.int64(1)
    for axis in range(begin, end):
        span *= sizes[axis]
    return span


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
def distribute(plan, n_rows, is_needed, tables, messages, stop):
    """Send messages back from the roots: each table becomes the joint distribution of its clique.

    `is_needed` (bool, shape (c,)): cliques whose distribution is asked for, see `ask_cliques`; the others keep what
    `collect` left. `tables` (float64): from `collect` with sums; updated in place. `messages` (float64): from
    `collect`; scratch afterwards. `stop`: see `collect`.
    """
    sums, runs = np.empty(n_rows), np.empty((3, len(plan.axes)), dtype=np.int64)
    # Backwards: a clique's parent is already a joint distribution.
    for clique in range(len(plan.tree_parents) - 1, -1, -1):
        if stop[0]:
            return
        if not is_needed[clique]:
            continue
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
            n_runs = join_axes(sizes, plan.strides[at : at + len(sizes)], runs)
            marginalise(runs[:, :n_runs], n_rows, joint, message)
        # P(clique) = P(separator) * table / (sum of the table over the rest), so the scale per row cancels. Where
        # the sum is 0 the table and P(separator) are 0 as well: 0/0 is taken as 0.
        n_summed = len(table) // len(message)
        for kept in range(end - begin):
            first = kept * n_summed * n_rows
            if n_rows == 1:
                run = table[first : first + n_summed]
                total = sum_numbers(run)
                run *= message[kept] / total if total > 0.0 else 0.0
                continue
            sums[:] = 0.0
            for start in range(first, first + n_summed * n_rows, n_rows):
                for r in range(n_rows):
                    sums[r] += table[start + r]
            for r in range(n_rows):
                sums[r] = message[kept * n_rows + r] / sums[r] if sums[r] > 0.0 else 0.0
            for start in range(first, first + n_summed * n_rows, n_rows):
                for r in range(n_rows):
                    table[start + r] *= sums[r]


@njit
def ask_cliques(plan, is_asked):
    """The cliques that eliminate an asked variable, and all between them and their roots.

    `is_asked` is bool, shape (n,). Returns bool, shape (c,).
    """
    is_needed = np.zeros(len(plan.tree_parents), dtype=np.bool_)
    for clique in range(len(is_needed)):
        for axis in range(plan.axis_start[clique] + plan.n_separators[clique], plan.axis_start[clique + 1]):
            is_needed[clique] |= is_asked[plan.axes[axis]]
        if is_needed[clique] and plan.tree_parents[clique] >= 0:
            is_needed[plan.tree_parents[clique]] = True
    return is_needed


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
    rest, sums, runs = np.empty(0), np.empty(plan.sizes.max() * n_rows), np.empty((3, 2), dtype=np.int64)
    for clique in range(len(plan.tree_parents)):
        # Each variable is outside the separator in exactly one clique.
        begin, end = plan.axis_start[clique] + plan.n_separators[clique], plan.axis_start[clique + 1]
        if (target_start[plan.axes[begin:end]] < 0).all():
            continue
        # Without the separator; then without one axis after the other, from the last.
        n_left = _span(plan.sizes, begin, end)
        if len(rest) < n_left * n_rows:
            rest = np.empty(n_left * n_rows)
        sum_leading(
            tables[plan.cell_start[clique] * n_rows : plan.cell_start[clique + 1] * n_rows],
            n_left,
            n_rows,
            runs,
            rest,
        )
        for axis in range(end - 1, begin - 1, -1):
            n_states, column = plan.sizes[axis], target_start[plan.axes[axis]]
            part = rest[: n_left * n_rows]
            if column >= 0:
                sum_leading(part, n_states, n_rows, runs, sums)
                for r in range(n_rows):
                    total = 0.0
                    for state in range(n_states):
                        total += sums[state * n_rows + r]
                    for state in range(n_states):
                        # Tables sum to 1 up to rounding, in impossible rows to 0: then 0 / 0 leaves NaN.
                        posterior[rows[r], column + state] = sums[state * n_rows + r] / total
            n_left //= n_states
            sum_trailing(part, n_left, n_rows, False, rest)
