"""Propagation of one row in logarithms: slow, but free of underflow."""

import numpy as np

from ..jit import njit
from .clique_tables import next_offset
from .propagation import find_entries

IMPOSSIBLE = -np.inf


@njit
def collect_logs(plan, network, codes, row, is_inside, is_max, tables, messages):
    """As `propagation.collect` for one row, computed in logarithms.

    Tables are as `collect` leaves them, but with a scale per separator state instead of one per row: what follows
    needs only the distribution given the separator. Messages stay logarithms. Returns the log of the sum (or maximum)
    over the component, nats; minus infinity if the row is impossible.
    """
    rows, bases = np.array([row]), np.empty(1, dtype=np.int64)
    digits = np.empty(len(plan.axes), dtype=np.int64)
    total = 0.0
    for clique in range(len(plan.tree_parents)):
        table = tables[plan.cell_start[clique] : plan.cell_start[clique + 1]]
        table[:] = 0.0
        sizes = plan.sizes[plan.axis_start[clique] : plan.axis_start[clique + 1]]
        for factor in range(plan.factor_start[clique], plan.factor_start[clique + 1]):
            source = plan.sources[factor]
            if source >= 0:
                find_entries(network, source, codes, rows, is_inside, bases)
                at = bases[0]
            else:
                at = plan.message_start[-1 - source]
            strides = plan.strides[plan.stride_start[factor] : plan.stride_start[factor] + len(sizes)]
            digits[: len(sizes)] = 0
            for cell in range(len(table)):
                table[cell] += np.log(network.probabilities[at]) if source >= 0 else messages[at]
                at = next_offset(sizes, strides, len(sizes) - 1, digits, at)
        begin, end = plan.message_start[clique], plan.message_start[clique + 1]
        n_summed = len(table) // (end - begin)
        for kept in range(end - begin):
            # The separator's axes come first: its states own runs of cells, each scaled by its own peak.
            part = table[kept * n_summed : (kept + 1) * n_summed]
            messages[begin + kept] = _exponentiate(part, is_max)
        if plan.tree_parents[clique] < 0:
            total += messages[begin]
    return total


@njit
def _exponentiate(logs, is_max):
    """Replace logarithms by numbers, the largest 1; returns the log of their sum (or maximum) before scaling."""
    peak = np.max(logs)
    if peak == IMPOSSIBLE:
        # No state is left; the message says so, and zeros keep the table free of NaN.
        logs[:] = 0.0
        return IMPOSSIBLE
    total = 0.0
    for i in range(len(logs)):
        logs[i] = np.exp(logs[i] - peak)
        total += logs[i]
    return peak if is_max else peak + np.log(total)
