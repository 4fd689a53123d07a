"""Propagation of one row in logarithms: slow, and right however small the numbers are."""

from __future__ import annotations

import numpy as np

from ..jit import njit
from .propagation import find_entries

IMPOSSIBLE = -np.inf


@njit
def collect_logs(plan, network, codes, row, is_inside, is_max, tables, messages):
    """As `propagation.collect`, of one row, with logarithms in tables and messages.

    Returns
    -------
    float
        Logarithm of the sum (or maximum) over the component, nats; minus infinity if the row is impossible.
    """
    rows, bases = np.array([row]), np.empty(1, dtype=np.int64)
    total = 0.0
    for clique in range(len(plan.heirs)):
        table = tables[plan.cell_start[clique] : plan.cell_start[clique + 1]]
        table[:] = 0.0
        for factor in range(plan.factor_start[clique], plan.factor_start[clique + 1]):
            source = plan.sources[factor]
            if source >= 0:
                find_entries(network, source, codes, rows, is_inside, bases)
                base = bases[0]
            else:
                base = plan.message_start[-1 - source]
            for cell in range(len(table)):
                at = base + _offset(plan, network, clique, factor, cell)
                table[cell] += np.log(network.probabilities[at]) if source >= 0 else messages[at]
        begin, end = plan.message_start[clique], plan.message_start[clique + 1]
        n_summed = len(table) // (end - begin)
        for kept in range(end - begin):
            part = table[kept * n_summed : (kept + 1) * n_summed]
            messages[begin + kept] = np.max(part) if is_max else _log_sum(part)
        if plan.heirs[clique] < 0:
            total += messages[begin]
    return total


@njit
def _offset(plan, network, clique, factor, cell):
    """Where a factor's value of a cell is, by the cell's states."""
    offset = np.int64(0)
    for axis in range(plan.axis_start[clique + 1] - 1, plan.axis_start[clique] - 1, -1):
        n_states = network.n_states[plan.axes[axis]]
        stride = plan.strides[plan.stride_start[factor] + axis - plan.axis_start[clique]]
        offset += (cell % n_states) * stride
        cell //= n_states
    return offset


@njit
def _log_sum(logs):
    peak = np.max(logs)
    if peak == IMPOSSIBLE:
        return IMPOSSIBLE
    total = 0.0
    for value in logs:
        total += np.exp(value - peak)
    return peak + np.log(total)


@njit
def distribute_logs(plan, network, tables):
    """From what `collect_logs` left to the joint distribution of each clique, no longer logarithms."""
    for clique in range(len(plan.heirs) - 1, -1, -1):
        weigh_by_separator(plan, clique, tables)
        table = tables[plan.cell_start[clique] : plan.cell_start[clique + 1]]
        n_kept = plan.message_start[clique + 1] - plan.message_start[clique]
        n_summed = len(table) // n_kept
        outer = np.ones(n_kept)
        heir, factor = plan.heirs[clique], plan.handed[clique]
        if heir >= 0:
            outer[:] = 0.0
            for cell in range(plan.cell_start[heir + 1] - plan.cell_start[heir]):
                at = _offset(plan, network, heir, factor, cell)
                outer[at] += tables[plan.cell_start[heir] + cell]
        for kept in range(n_kept):
            part = table[kept * n_summed : (kept + 1) * n_summed]
            total = np.sum(part)
            part *= outer[kept] / total if total > 0.0 else 0.0


@njit
def weigh_by_separator(plan, clique, tables):
    """Logarithms of a clique's table become numbers, those of equal separator states in proportion, the largest 1."""
    table = tables[plan.cell_start[clique] : plan.cell_start[clique + 1]]
    n_kept = plan.message_start[clique + 1] - plan.message_start[clique]
    n_summed = len(table) // n_kept
    for kept in range(n_kept):
        part = table[kept * n_summed : (kept + 1) * n_summed]
        peak = np.max(part)
        for i in range(n_summed):
            part[i] = np.exp(part[i] - peak) if peak > IMPOSSIBLE else 0.0
