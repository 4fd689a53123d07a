"""Plans of many components in one array, for repeated passes over the same rows.

A plan depends on the structure and on the hidden variables, not on the probabilities: expectation maximisation plans
once.
"""

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .clique_plans import CliquePlan, eliminate_component, lay_out, measure
from .components import component_of

N_PARTS = len(CliquePlan._fields)


class KeptPlans(NamedTuple):
    """The plans of g groups."""

    starts: np.ndarray  # int64, shape (g + 1,): start of each group's plan
    # int64: each plan: the end of each of its arrays, then the arrays in the order of `clique_plans.CliquePlan`.
    numbers: np.ndarray


@njit
def plan_groups(network, groups, query, max_cells):
    """Plan the components of all groups.

    `query` (answers.Query): see `clique_plans.eliminate_component`. `max_cells` (float): limit of the cells of tables
    and messages of one row. Returns the first group beyond the limit, where planning stops (-1
    if all are planned), and `KeptPlans`.
    """
    n_groups = len(groups.row_start) - 1
    local = np.full(len(network.n_states), -1, dtype=np.int64)
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    numbers = np.empty(64 * (n_groups + 1), dtype=np.int64)
    for group in range(n_groups):
        members, families = component_of(groups, group)
        eliminated = eliminate_component(network, members, families, query, local)
        cells, message_cells, _ = measure(network, members, eliminated)
        if cells + message_cells > max_cells:
            return group, KeptPlans(starts=starts, numbers=numbers[: starts[group]])
        plan = lay_out(network, members, families, eliminated)
        end = starts[group] + N_PARTS
        for part in plan:
            end += len(part)
        if end > len(numbers):
            grown = np.empty(2 * end, dtype=np.int64)
            grown[: starts[group]] = numbers[: starts[group]]
            numbers = grown
        _write_plan(plan, numbers[starts[group] : end])
        starts[group + 1] = end
    return -1, KeptPlans(starts=starts, numbers=numbers[: starts[n_groups]].copy())


@njit
def plan_costs(plans):
    """Costs of each plan for one row.

    Returns float64, shape (g, 3): cells of tables, cells of messages, width.
    """
    costs = np.empty((len(plans.starts) - 1, 3))
    for group in range(len(costs)):
        plan = read_plan(plans, group)
        costs[group, 0], costs[group, 1] = plan.cell_start[-1], plan.message_start[-1]
        costs[group, 2] = np.diff(plan.axis_start).max() - 1
    return costs


@njit
def _write_plan(plan, numbers):
    end = N_PARTS
    for number, part in enumerate(plan):
        numbers[end : end + len(part)] = part
        end += len(part)
        numbers[number] = end


@njit
def read_plan(plans, group):
    """The `CliquePlan` of a group, as views."""
    numbers = plans.numbers[plans.starts[group] : plans.starts[group + 1]]
    ends = numbers[:N_PARTS]
    return CliquePlan(
        axis_start=numbers[N_PARTS : ends[0]],
        axes=numbers[ends[0] : ends[1]],
        sizes=numbers[ends[1] : ends[2]],
        n_separators=numbers[ends[2] : ends[3]],
        tree_parents=numbers[ends[3] : ends[4]],
        message_factors=numbers[ends[4] : ends[5]],
        cell_start=numbers[ends[5] : ends[6]],
        message_start=numbers[ends[6] : ends[7]],
        factor_start=numbers[ends[7] : ends[8]],
        sources=numbers[ends[8] : ends[9]],
        stride_start=numbers[ends[9] : ends[10]],
        strides=numbers[ends[10] : ends[11]],
        depths=numbers[ends[11] : ends[12]],
        by_depth=numbers[ends[12] : ends[13]],
    )
