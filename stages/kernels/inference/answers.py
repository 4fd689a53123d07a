"""Answers for groups of rows: each group shares a component of hidden variables, and so a junction tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .clique_plans import lay_out, measure, order_component
from .expected_counts import add_expected
from .kept_plans import read_plan
from .log_tables import collect_logs, distribute_logs, weigh_by_separator
from .propagation import collect, distribute, read_marginals
from .trace_states import trace_states

LOGS, MARGINALS, BEST, DRAWN, COUNTS = 0, 1, 2, 3, 4
"""What is asked: probabilities of rows; marginals of hidden variables; their most probable states; states drawn;
expected counts of families."""

NO_NUMBERS = np.zeros(0)

CELLS_AT_ONCE = 1 << 15
"""Numbers of the tables of rows that are worked on together: what second-level caches hold."""


class Groups(NamedTuple):
    """Components and the rows that have them; g groups, e pairs of row and component.

    Attributes
    ----------
    member_start, family_start, row_start : ndarray of int64, shape (g + 1,)
    members : ndarray of int64
        Hidden variables of each component, ascending.
    families : ndarray of int64
        Families, by their variable, that have one of them.
    rows : ndarray of int64, shape (e,)
    """

    member_start: np.ndarray
    members: np.ndarray
    family_start: np.ndarray
    families: np.ndarray
    row_start: np.ndarray
    rows: np.ndarray


class Asked(NamedTuple):
    """What is asked of rows, and where answers go.

    Attributes
    ----------
    ranks : ndarray of int64, shape (n,)
        Place of every variable in an order of elimination that is tried besides others.
    is_joined : ndarray of bool, shape (n,)
        Variables that some clique is to have all of.
    target_start : ndarray of int64, shape (n,)
        See `propagation.read_marginals`.
    uniforms : ndarray of float64, shape (n, rows)
        See `trace_states`.
    codes : ndarray of uint8, shape (n, rows)
        States; those hidden are filled in by `BEST` and `DRAWN`.
    posterior : ndarray of float64, shape (rows, columns)
        Filled by `MARGINALS`; NaN in impossible rows.
    logs : ndarray of float64, shape (e,)
        Filled: the component's part of the logarithm of a row's probability, or with `BEST` of that of the states.
    weights : ndarray of float64, shape (rows,)
        How many rows each row stands for, with `COUNTS`.
    counts : ndarray of float64
        See `expected_counts.add_expected`: `COUNTS` adds to them, nothing for impossible rows.
    """

    ranks: np.ndarray
    is_joined: np.ndarray
    target_start: np.ndarray
    uniforms: np.ndarray
    codes: np.ndarray
    posterior: np.ndarray
    logs: np.ndarray
    weights: np.ndarray = NO_NUMBERS
    counts: np.ndarray = NO_NUMBERS


@njit
def group_costs(network, groups, asked):
    """What the junction tree of each group takes, for one row.

    Returns
    -------
    ndarray of float64, shape (g, 4)
        Cells of tables, cells of messages, width, cells of the largest table.
    """
    costs = np.empty((len(groups.row_start) - 1, 4))
    local = np.full(len(network.n_states), -1, dtype=np.int64)
    for group in range(len(costs)):
        members = groups.members[groups.member_start[group] : groups.member_start[group + 1]]
        families = groups.families[groups.family_start[group] : groups.family_start[group + 1]]
        order, later, heirs = order_component(network, members, families, asked.ranks, asked.is_joined, local)
        cells, message_cells, width, largest = measure(network, members, order, later, heirs)
        costs[group, 0], costs[group, 1] = cells, message_cells
        costs[group, 2], costs[group, 3] = width, largest
    return costs


@njit
def answer_groups(network, groups, asked, kind, first, last, most_cells):
    """Answer for the groups from `first` to before `last`.

    Parameters
    ----------
    network : NetworkArrays
    groups : Groups
    asked : Asked
    kind : int
        `LOGS`, `MARGINALS`, `BEST`, `DRAWN` or `COUNTS`.
    first, last : int
    most_cells : float
        Numbers that tables and messages of a row may have.

    Returns
    -------
    int
        The first group that would need more, which ends the work; -1 if there is none.
    """
    n_variables = len(network.n_states)
    local = np.full(n_variables, -1, dtype=np.int64)
    is_inside = np.zeros(n_variables, dtype=np.bool_)
    for group in range(first, last):
        members = groups.members[groups.member_start[group] : groups.member_start[group + 1]]
        families = groups.families[groups.family_start[group] : groups.family_start[group + 1]]
        order, later, heirs = order_component(network, members, families, asked.ranks, asked.is_joined, local)
        cells, message_cells, _, _ = measure(network, members, order, later, heirs)
        if cells + message_cells > most_cells:
            return group
        plan = lay_out(network, members, families, order, later, heirs)
        _answer_group(plan, network, groups, asked, kind, group, is_inside)
    return -1


@njit
def answer_planned(network, groups, plans, asked, kind):
    """Answer for all groups along plans that were kept.

    Parameters
    ----------
    network : NetworkArrays
        Of the structure that was planned for.
    groups : Groups
    plans : KeptPlans
    asked : Asked
    kind : int
        `LOGS`, `MARGINALS`, `BEST`, `DRAWN` or `COUNTS`.
    """
    is_inside = np.zeros(len(network.n_states), dtype=np.bool_)
    for group in range(len(groups.row_start) - 1):
        _answer_group(read_plan(plans, group), network, groups, asked, kind, group, is_inside)


@njit
def _answer_group(plan, network, groups, asked, kind, group, is_inside):
    members = groups.members[groups.member_start[group] : groups.member_start[group + 1]]
    is_inside[members] = True
    begin, end = groups.row_start[group], groups.row_start[group + 1]
    n_at_once = max(1, min(end - begin, CELLS_AT_ONCE // (plan.cell_start[-1] + 1)))
    tables = np.empty(plan.cell_start[-1] * n_at_once)
    messages = np.empty(plan.message_start[-1] * n_at_once)
    for start in range(begin, end, n_at_once):
        stop = min(start + n_at_once, end)
        rows, logs = groups.rows[start:stop], asked.logs[start:stop]
        _answer_rows(plan, network, asked, kind, rows, is_inside, tables, messages, logs)
    is_inside[members] = False


@njit
def _answer_rows(plan, network, asked, kind, rows, is_inside, tables, messages, logs):
    n_rows = len(rows)
    collect(plan, network, asked.codes, rows, is_inside, kind == BEST, tables, messages, logs)
    small = rows[np.isnan(logs)]
    if len(small) < n_rows:
        if kind == MARGINALS:
            distribute(plan, network, n_rows, tables, messages)
            read_marginals(plan, network, rows, tables, asked.target_start, asked.posterior)
        elif kind == COUNTS:
            distribute(plan, network, n_rows, tables, messages)
            add_expected(
                plan, network, asked.codes, rows, is_inside, tables, logs, asked.weights, asked.counts
            )
        elif kind != LOGS:
            places = np.arange(n_rows)
            trace_states(
                plan, network, n_rows, tables, places, rows, asked.uniforms, kind == DRAWN, asked.codes
            )
    for i in range(n_rows):
        if np.isnan(logs[i]):
            logs[i] = _answer_in_logs(
                plan, network, asked, kind, rows[i : i + 1], is_inside, tables, messages
            )


@njit
def _answer_in_logs(plan, network, asked, kind, rows, is_inside, tables, messages):
    """The same for a row whose numbers are too small, or that is impossible."""
    total = collect_logs(plan, network, asked.codes, rows[0], is_inside, kind == BEST, tables, messages)
    if kind == MARGINALS:
        distribute_logs(plan, network, tables)
        read_marginals(plan, network, rows, tables, asked.target_start, asked.posterior)
    elif kind == COUNTS:
        distribute_logs(plan, network, tables)
        logs = np.full(1, total)
        add_expected(plan, network, asked.codes, rows, is_inside, tables, logs, asked.weights, asked.counts)
    elif kind != LOGS:
        for clique in range(len(plan.heirs)):
            weigh_by_separator(plan, clique, tables)
        places = np.zeros(1, dtype=np.int64)
        trace_states(plan, network, 1, tables, places, rows, asked.uniforms, kind == DRAWN, asked.codes)
    return total


@njit
def draw_rows(network, groups, asked, group, drawn):
    """Draw many rows from one: the states of a component's variables given what is observed in row 0.

    Parameters
    ----------
    network : NetworkArrays
    groups : Groups
    asked : Asked
        Its `uniforms` have the shape of `drawn`, its `codes` the one row.
    group : int
    drawn : ndarray of uint8, shape (n, draws)
        Changed at the variables of the component.

    Returns
    -------
    float
        The component's part of the logarithm of the evidence's probability; nothing is drawn at minus infinity.
    """
    plan, is_inside, tables, messages, logs = _one_row(network, groups, asked, group)
    rows = np.zeros(1, dtype=np.int64)
    collect(plan, network, asked.codes, rows, is_inside, False, tables, messages, logs)
    if np.isnan(logs[0]):
        logs[0] = collect_logs(plan, network, asked.codes, rows[0], is_inside, False, tables, messages)
        for clique in range(len(plan.heirs)):
            weigh_by_separator(plan, clique, tables)
    if logs[0] > -np.inf:
        n_draws = drawn.shape[1]
        places, columns = np.zeros(n_draws, dtype=np.int64), np.arange(n_draws)
        trace_states(plan, network, 1, tables, places, columns, asked.uniforms, True, drawn)
    return logs[0]


@njit
def joint_distribution(network, groups, asked, group, variables):
    """The joint distribution of some variables of a component given what is observed in row 0.

    Parameters
    ----------
    network : NetworkArrays
    groups : Groups
    asked : Asked
        All of `variables` are joined.
    group : int
    variables : ndarray of int64

    Returns
    -------
    ndarray of float64
        A cell for each combination of states, the last variable's fastest; zeros if the evidence is impossible.
    """
    plan, is_inside, tables, messages, logs = _one_row(network, groups, asked, group)
    rows = np.zeros(1, dtype=np.int64)
    collect(plan, network, asked.codes, rows, is_inside, False, tables, messages, logs)
    if np.isnan(logs[0]):
        collect_logs(plan, network, asked.codes, rows[0], is_inside, False, tables, messages)
        distribute_logs(plan, network, tables)
    else:
        distribute(plan, network, 1, tables, messages)
    n_cells = np.int64(1)
    for variable in variables:
        n_cells *= network.n_states[variable]
    joint = np.zeros(n_cells)
    for clique in range(len(plan.heirs)):
        begin, end = plan.axis_start[clique], plan.axis_start[clique + 1]
        strides = np.zeros(end - begin, dtype=np.int64)
        n_found, stride = 0, np.int64(1)
        for i in range(len(variables) - 1, -1, -1):
            for axis in range(begin, end):
                if plan.axes[axis] == variables[i]:
                    strides[axis - begin] = stride
                    n_found += 1
            stride *= network.n_states[variables[i]]
        if n_found < len(variables):
            continue
        for cell in range(plan.cell_start[clique], plan.cell_start[clique + 1]):
            rest, at = cell - plan.cell_start[clique], np.int64(0)
            for axis in range(end - 1, begin - 1, -1):
                n_states = network.n_states[plan.axes[axis]]
                at += (rest % n_states) * strides[axis - begin]
                rest //= n_states
            joint[at] += tables[cell]
        break
    return joint


@njit
def _one_row(network, groups, asked, group):
    members = groups.members[groups.member_start[group] : groups.member_start[group + 1]]
    families = groups.families[groups.family_start[group] : groups.family_start[group + 1]]
    local = np.full(len(network.n_states), -1, dtype=np.int64)
    is_inside = np.zeros(len(network.n_states), dtype=np.bool_)
    order, later, heirs = order_component(network, members, families, asked.ranks, asked.is_joined, local)
    plan = lay_out(network, members, families, order, later, heirs)
    is_inside[members] = True
    tables, messages = np.empty(plan.cell_start[-1]), np.empty(plan.message_start[-1])
    return plan, is_inside, tables, messages, np.empty(1)
