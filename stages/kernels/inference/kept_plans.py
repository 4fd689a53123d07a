"""Plans of many components kept in one array, for rows that are worked on again and again.

A plan depends on the structure and on what is hidden, not on the probabilities: expectation maximisation plans once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .clique_plans import CliquePlan, lay_out, measure, order_component

N_SIZES = 4
"""A plan begins with its numbers of cliques, axes, factors and strides."""


class KeptPlans(NamedTuple):
    """The plans of g groups.

    Attributes
    ----------
    starts : ndarray of int64, shape (g + 1,)
        Where the plan of each group begins.
    numbers : ndarray of int64
        Of each plan four sizes, then its arrays in the order of `clique_plans.CliquePlan`.
    """

    starts: np.ndarray
    numbers: np.ndarray


@njit
def plan_groups(network, groups, ranks, most_cells):
    """Plan the components of all groups.

    Parameters
    ----------
    network : NetworkArrays
    groups : answers.Groups
    ranks : ndarray of int64, shape (n,)
        An order of elimination that is tried besides others.
    most_cells : float
        Numbers that tables and messages of a row may have.

    Returns
    -------
    failed : int
        The first group that would need more, which ends the work; -1 if there is none.
    plans : KeptPlans
    """
    n_groups = len(groups.row_start) - 1
    local = np.full(len(network.n_states), -1, dtype=np.int64)
    is_joined = np.zeros(len(network.n_states), dtype=np.bool_)
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    numbers = np.empty(64 * (n_groups + 1), dtype=np.int64)
    for group in range(n_groups):
        members = groups.members[groups.member_start[group] : groups.member_start[group + 1]]
        families = groups.families[groups.family_start[group] : groups.family_start[group + 1]]
        order, later, heirs = order_component(network, members, families, ranks, is_joined, local)
        cells, message_cells, _, _ = measure(network, members, order, later, heirs)
        if cells + message_cells > most_cells:
            return group, KeptPlans(starts=starts, numbers=numbers[: starts[group]])
        plan = lay_out(network, members, families, order, later, heirs)
        end = starts[group] + _plan_length(
            len(plan.heirs), len(plan.axes), len(plan.sources), len(plan.strides)
        )
        if end > len(numbers):
            grown = np.empty(2 * end, dtype=np.int64)
            grown[: starts[group]] = numbers[: starts[group]]
            numbers = grown
        _write_plan(plan, numbers[starts[group] : end])
        starts[group + 1] = end
    return -1, KeptPlans(starts=starts, numbers=numbers[: starts[n_groups]].copy())


@njit
def read_plan(plans, group):
    """The plan of a group, as views.

    Parameters
    ----------
    plans : KeptPlans
    group : int

    Returns
    -------
    CliquePlan
    """
    numbers = plans.numbers[plans.starts[group] : plans.starts[group + 1]]
    n_cliques, n_axes, n_factors, n_strides = numbers[0], numbers[1], numbers[2], numbers[3]
    a = N_SIZES
    b = a + n_cliques + 1
    c = b + n_axes
    d = c + n_cliques
    e = d + n_cliques
    f = e + n_cliques
    g = f + n_cliques + 1
    h = g + n_cliques + 1
    i = h + n_cliques + 1
    j = i + n_factors
    k = j + n_factors
    return CliquePlan(
        axis_start=numbers[a:b],
        axes=numbers[b:c],
        n_separators=numbers[c:d],
        heirs=numbers[d:e],
        handed=numbers[e:f],
        cell_start=numbers[f:g],
        message_start=numbers[g:h],
        factor_start=numbers[h:i],
        sources=numbers[i:j],
        stride_start=numbers[j:k],
        strides=numbers[k : k + n_strides],
    )


@njit
def _plan_length(n_cliques, n_axes, n_factors, n_strides):
    return N_SIZES + 7 * n_cliques + 4 + n_axes + 2 * n_factors + n_strides


@njit
def _write_plan(plan, numbers):
    numbers[0], numbers[1] = len(plan.heirs), len(plan.axes)
    numbers[2], numbers[3] = len(plan.sources), len(plan.strides)
    at = N_SIZES
    for part in (
        plan.axis_start,
        plan.axes,
        plan.n_separators,
        plan.heirs,
        plan.handed,
        plan.cell_start,
        plan.message_start,
        plan.factor_start,
        plan.sources,
        plan.stride_start,
        plan.strides,
    ):
        numbers[at : at + len(part)] = part
        at += len(part)
