"""Queries to groups of rows; the rows of a group share a component of hidden variables, hence a junction tree."""

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .clique_plans import eliminate_component, lay_out, measure
from .clique_tables import join_axes, marginalise
from .components import component_of
from .expected_counts import add_expected
from .kept_plans import read_plan
from .log_tables import collect_logs
from .propagation import ask_cliques, collect, distribute, read_marginals
from .trace_states import trace_states

LOGS, MARGINALS, BEST, DRAWN, COUNTS = 0, 1, 2, 3, 4
"""Kinds of query: probabilities of rows; marginals of hidden variables; their most probable states; states drawn;
expected counts of families."""

NO_NUMBERS = np.zeros(0)
NO_TABLE = np.zeros((0, 0))

BATCH_CELLS = 1 << 15
"""Numbers in the tables of the rows that are processed together: 256 KiB, which a second-level cache holds."""


def new_stop():
    """A flag that is not set, for `Query.stop`."""
    return np.zeros(1, dtype=np.uint8)


NO_STOP = new_stop()


class Query(NamedTuple):
    """A query to rows, and its output arrays; e pairs of row and component."""

    ranks: np.ndarray  # int64, shape (n,): an elimination order to try, as each variable's position
    is_joined: np.ndarray  # bool, shape (n,): variables that one clique must contain
    target_start: np.ndarray  # int64, shape (n,): see `propagation.read_marginals`
    codes: np.ndarray  # uint8, shape (n, rows): states; `BEST` and `DRAWN` fill in the hidden ones
    # float64, shape (e,): output: the component's contribution to a row's log-probability, with `BEST` to that of the
    # states; nats.
    logs: np.ndarray
    uniforms: np.ndarray = NO_TABLE  # float64, shape (n, rows): for `DRAWN`, in [0, 1)
    posterior: np.ndarray = NO_TABLE  # float64, shape (rows, columns): output of `MARGINALS`; NaN in impossible rows
    weights: np.ndarray = NO_NUMBERS  # float64, shape (rows,): for `COUNTS`, the multiplicity of each row
    # float64: `COUNTS` adds to it, nothing for impossible rows; see `expected_counts.add_expected`.
    counts: np.ndarray = NO_NUMBERS
    stop: np.ndarray = NO_STOP  # uint8, shape (1,): see `propagation.collect`


@njit
def answer_groups(network, groups, query, kind, max_cells):
    """Answer a query for all groups.

    `kind` (int): `LOGS`, `MARGINALS`, `BEST`, `DRAWN` or `COUNTS`. `max_cells` (float): limit of the cells of tables
    and messages of one row. Returns the first group beyond the limit, where the work stops; -1 if there is none.
    """
    local = np.full(len(network.n_states), -1, dtype=np.int64)
    is_inside = np.zeros(len(network.n_states), dtype=np.bool_)
    for group in range(len(groups.row_start) - 1):
        members, families = component_of(groups, group)
        eliminated = eliminate_component(network, members, families, query, local)
        cells, message_cells, _ = measure(network, members, eliminated)
        if cells + message_cells > max_cells:
            return group
        plan = lay_out(network, members, families, eliminated)
        _answer_group(plan, network, groups, query, kind, group, is_inside)
    return -1


@njit
def answer_planned(network, groups, plans, query, kind):
    """Answer a query for all groups by `kept_plans.KeptPlans`, made for a network of the same structure and a query
    with the same targets and joined variables.

    `kind` (int): `LOGS`, `MARGINALS`, `BEST`, `DRAWN` or `COUNTS`.
    """
    is_inside = np.zeros(len(network.n_states), dtype=np.bool_)
    for group in range(len(groups.row_start) - 1):
        _answer_group(read_plan(plans, group), network, groups, query, kind, group, is_inside)


@njit
def _answer_group(plan, network, groups, query, kind, group, is_inside):
    members, _ = component_of(groups, group)
    is_inside[members] = True
    begin, end = groups.row_start[group], groups.row_start[group + 1]
    # As many rows as fill a batch; a single row may exceed the batch.
    size = max(1, min(end - begin, BATCH_CELLS // (plan.cell_start[-1] + 1)))
    tables = np.empty(plan.cell_start[-1] * size)
    messages = np.empty(plan.message_start[-1] * size)
    for start in range(begin, end, size):
        stop = min(start + size, end)
        rows, logs = groups.rows[start:stop], query.logs[start:stop]
        _answer_rows(plan, network, query, kind, rows, is_inside, tables, messages, logs)
    is_inside[members] = False


@njit
def _answer_rows(plan, network, query, kind, rows, is_inside, tables, messages, logs):
    """Answer for all rows in plain numbers, then in logarithms for the rows that underflowed."""
    is_needed = ask_cliques(plan, query.target_start >= 0) if kind == MARGINALS else plan.tree_parents > -2
    is_kept = False
    for clique in range(len(is_needed)):
        is_kept |= kind != LOGS and is_needed[clique] and plan.tree_parents[clique] >= 0
    collect(plan, network, query.codes, rows, is_inside, kind == BEST, is_kept, tables, messages, logs, query.stop)
    if query.stop[0]:
        return
    is_small = np.isnan(logs)
    # Rows that underflowed are answered as well; what they get here is replaced below.
    if not is_small.all():
        _read_answers(plan, network, query, kind, rows, is_inside, is_needed, tables, messages, logs)
    for i in range(len(rows)):
        if is_small[i]:
            row, log = rows[i : i + 1], logs[i : i + 1]
            log[0] = collect_logs(plan, network, query.codes, row[0], is_inside, kind == BEST, tables, messages)
            _read_answers(plan, network, query, kind, row, is_inside, is_needed, tables, messages, log)


@njit
def _read_answers(plan, network, query, kind, rows, is_inside, is_needed, tables, messages, logs):
    """Answers from the joint distributions of cliques (`MARGINALS`, `COUNTS`), or traced back (`BEST`, `DRAWN`)."""
    if kind in (MARGINALS, COUNTS):
        distribute(plan, len(rows), is_needed, tables, messages, query.stop)
        if query.stop[0]:
            return
    if kind == MARGINALS:
        read_marginals(plan, rows, tables, query.target_start, query.posterior)
    elif kind == COUNTS:
        add_expected(plan, network, query.codes, rows, is_inside, tables, logs, query.weights, query.counts)
    elif kind != LOGS:
        places = np.arange(len(rows))
        trace_states(plan, len(rows), tables, places, rows, query.uniforms, kind == DRAWN, query.codes)


@njit
def draw_rows(network, groups, plans, query, group, drawn):
    """Draw the states of a component's variables many times, given the observed states of row 0.

    `plans`: from `kept_plans.plan_groups`. `query` (Query): ``uniforms`` has the shape of `drawn`, ``codes`` one
    column. `drawn` (uint8, shape (n, draws)): output at the variables of the component. Returns the component's
    contribution to the log-probability of the evidence, nats; minus infinity if nothing is drawn.
    """
    plan, tables, _, log = _collect_one_row(network, groups, plans, query, group)
    if log > -np.inf:
        n_draws = drawn.shape[1]
        places, columns = np.zeros(n_draws, dtype=np.int64), np.arange(n_draws)
        trace_states(plan, 1, tables, places, columns, query.uniforms, True, drawn)
    return log


@njit
def joint_distribution(network, groups, plans, query, group, variables):
    """The joint distribution of some variables of a component, given the observed states of row 0.

    `plans`: from `kept_plans.plan_groups`, with ``is_joined`` of the query for all of `variables`, so that a clique
    contains them. `variables` is int64, shape (k,). Returns float64: one cell per combination of states, the last
    variable's fastest; zeros if the evidence is impossible.
    """
    plan, tables, messages, _ = _collect_one_row(network, groups, plans, query, group)
    strides = np.zeros(len(network.n_states), dtype=np.int64)  # 0 for variables that are summed out
    n_cells = np.int64(1)
    for i in range(len(variables) - 1, -1, -1):
        strides[variables[i]] = n_cells
        n_cells *= network.n_states[variables[i]]
    joint, runs = np.zeros(n_cells), np.empty((3, len(plan.axes)), dtype=np.int64)
    is_asked = strides > 0
    is_needed = ask_cliques(plan, is_asked)
    distribute(plan, 1, is_needed, tables, messages, query.stop)
    for clique in range(len(plan.tree_parents)):
        begin, end = plan.axis_start[clique], plan.axis_start[clique + 1]
        # Any clique that contains all of them has the same joint distribution of them: the first one serves.
        if is_needed[clique] and is_asked[plan.axes[begin:end]].sum() == len(variables):
            n_runs = join_axes(plan.sizes[begin:end], strides[plan.axes[begin:end]], runs)
            table = tables[plan.cell_start[clique] : plan.cell_start[clique + 1]]
            marginalise(runs[:, :n_runs], 1, table, joint)
            break
    return joint


@njit
def _collect_one_row(network, groups, plans, query, group):
    """Plan of a component, and collected tables, messages and log of the sum for row 0."""
    members, _ = component_of(groups, group)
    is_inside = np.zeros(len(network.n_states), dtype=np.bool_)
    is_inside[members] = True
    plan = read_plan(plans, group)
    tables, messages = np.empty(plan.cell_start[-1]), np.empty(plan.message_start[-1])
    rows, logs = np.zeros(1, dtype=np.int64), np.empty(1)
    collect(plan, network, query.codes, rows, is_inside, False, True, tables, messages, logs, query.stop)
    if np.isnan(logs[0]):
        logs[0] = collect_logs(plan, network, query.codes, rows[0], is_inside, False, tables, messages)
    return plan, tables, messages, logs[0]
