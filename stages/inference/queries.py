"""Queries given one piece of evidence.

Every query raises `Inconsistent` if the evidence has probability zero, and `StageError` if the tables of the junction
tree do not fit into memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from formats.errors import Inconsistent
from stages.kernels.inference.answers import (
    BEST,
    LOGS,
    MARGINALS,
    Query,
    answer_planned,
    draw_rows,
    joint_distribution,
)
from stages.kernels.inference.components import Groups, observed_log_probability
from stages.kernels.inference.kept_plans import KeptPlans
from stages.runtime.budgets import slices
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator

from .interruption import interruptible
from .junction_trees import Cost, Engine

Evidence = Mapping[int, int]
"""Codes of the states of observed variables."""

T = TypeVar("T")

BATCH_STATES = 1 << 22
"""States drawn between two checks for signals."""


class Answer(NamedTuple, Generic[T]):
    """Answer to a query, and its cost."""

    found: T  # distributions or states
    log_probability: float  # of the evidence, together with the states found if the query is for states; nats
    cost: Cost


class Prepared(NamedTuple):
    """A query to one row, divided into components."""

    evidence: Evidence
    groups: Groups
    plans: KeptPlans
    query: Query
    cost: Cost


def prepare(
    engine: Engine, evidence: Evidence, wanted: Sequence[int], joined: Sequence[int] = (), across: bool = True
) -> Prepared:
    """Divide a query into components.

    Raises `StageError` if the tables do not fit into memory. `wanted` variables are queried one by one, `joined`
    variables for their joint distribution. With `across`, all `joined` variables are put into one clique; otherwise
    the ones of each component, which is independent of the others given the evidence.
    """
    n = engine.n_variables
    codes = np.zeros((n, 1), dtype=np.uint8)
    is_hidden = np.ones((n, 1), dtype=np.bool_)
    for variable, state in evidence.items():
        codes[variable, 0], is_hidden[variable, 0] = state, False
    is_wanted, is_joined = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    is_wanted[list(wanted)] = True
    is_joined[list(joined)] = True
    groups = engine.group(is_hidden, is_wanted, is_joined if across else None)
    target_start, n_columns = target_columns(engine, wanted)
    posterior = np.full((1, n_columns), math.nan)
    fields = {"ranks": engine.ranks_for(groups), "is_joined": is_joined}
    query = engine.query(codes, groups, target_start=target_start, posterior=posterior, **fields)
    plans, cost = engine.plan(groups, query)
    return Prepared(evidence, groups, plans, query, cost)


def target_columns(engine: Engine, targets: Sequence[int]) -> tuple[np.ndarray, int]:
    """The column of each target's first state, -1 for other variables; and the number of columns."""
    start, n_columns = np.full(engine.n_variables, -1, dtype=np.int64), 0
    for variable in targets:
        start[variable] = n_columns
        n_columns += int(engine.arrays.n_states[variable])
    return start, n_columns


def _run(engine: Engine, prepared: Prepared, kind: int) -> float:
    """Process all components; returns the log-probability, nats. Refuses evidence of probability zero."""
    total = _total(engine, prepared, kind)
    if total == -math.inf:
        raise impossible(engine, prepared.evidence)
    return total


def _total(engine: Engine, prepared: Prepared, kind: int) -> float:
    """The log-probability from the components and the fully observed families; minus infinity if the probability is
    zero.
    """
    query = prepared.query
    n_cells = prepared.cost.cells
    groups, plans = prepared.groups, prepared.plans
    interruptible(query, n_cells, lambda asked: answer_planned(engine.arrays, groups, plans, asked, kind))
    # Families whose members are all observed belong to no component.
    is_hidden, logs = np.ones(query.codes.shape, dtype=np.bool_), np.zeros(1)
    is_hidden[list(prepared.evidence)] = False
    observed_log_probability(engine.arrays, query.codes, is_hidden, logs)
    return float(query.logs.sum()) + float(logs[0])


def log_probability(engine: Engine, evidence: Evidence) -> Answer[None]:
    """The probability of the evidence."""
    prepared = prepare(engine, evidence, ())
    return Answer(None, _run(engine, prepared, LOGS), prepared.cost)


def marginals(engine: Engine, evidence: Evidence, variables: Sequence[int]) -> Answer[list[np.ndarray]]:
    """The distribution of each of some variables; if one is observed, its state has probability 1."""
    prepared = prepare(engine, evidence, [v for v in variables if v not in evidence])
    total = _run(engine, prepared, MARGINALS)
    start = prepared.query.target_start
    found = []
    for variable in variables:
        n_states = int(engine.arrays.n_states[variable])
        if variable in evidence:
            found.append(np.eye(n_states)[evidence[variable]])
        else:
            found.append(prepared.query.posterior[0, start[variable] : start[variable] + n_states])
    return Answer(found, total, prepared.cost)


def joint(engine: Engine, evidence: Evidence, variables: Sequence[int]) -> Answer[np.ndarray]:
    """The joint distribution of one or more hidden variables, with an axis for each."""
    prepared = prepare(engine, evidence, variables, variables)
    total = _run(engine, prepared, LOGS)
    indices = np.array(variables, dtype=np.int64)
    group = _group_of(prepared.groups, variables[0])
    found = _joint_distribution(engine, prepared, group, indices)
    return Answer(found.reshape(engine.arrays.n_states[indices]), total, prepared.cost)


def _joint_distribution(engine: Engine, prepared: Prepared, group: int, variables: np.ndarray) -> np.ndarray:
    """The joint distribution of some variables of a component; see the kernel."""
    return interruptible(
        prepared.query,
        prepared.cost.cells,
        lambda query: joint_distribution(engine.arrays, prepared.groups, prepared.plans, query, group, variables),
    )


def _group_of(groups: Groups, variable: int) -> int:
    """The component of a hidden variable."""
    place = int(np.flatnonzero(groups.members == variable)[0])
    return int(np.searchsorted(groups.member_start, place, side="right")) - 1


def most_probable_states(engine: Engine, evidence: Evidence, variables: Sequence[int]) -> Answer[list[int]]:
    """The most probable joint state of some hidden variables, all others summed out (MAP): their codes.

    In each component it is the largest entry of their joint distribution, read from a clique with all of them.
    """
    prepared = prepare(engine, evidence, variables, variables, across=False)
    total = _run(engine, prepared, LOGS)
    found: dict[int, int] = {}
    group_of = {v: _group_of(prepared.groups, v) for v in variables}
    for group in sorted(set(group_of.values())):
        members = np.array([v for v in variables if group_of[v] == group], dtype=np.int64)
        table = _joint_distribution(engine, prepared, group, members)
        # The table is conditional on the evidence, whose probability is already in `total`.
        best = int(table.argmax())
        total += math.log(table[best])
        codes = np.array(np.unravel_index(best, engine.arrays.n_states[members])).tolist()
        found |= dict(zip(members.tolist(), codes))
    return Answer([found[v] for v in variables], total, prepared.cost)


def most_probable_completion(engine: Engine, evidence: Evidence) -> Answer[np.ndarray]:
    """The most probable joint state of all variables (MPE): uint8 codes, shape (n_variables,)."""
    prepared = prepare(engine, evidence, range(engine.n_variables))
    total = _run(engine, prepared, BEST)
    return Answer(prepared.query.codes[:, 0], total, prepared.cost)


def sample_given(engine: Engine, evidence: Evidence, n_rows: int, seed: int) -> Iterator[np.ndarray]:
    """Draw rows from the network conditional on the evidence, exactly.

    Yields uint8, shape (n_variables, batch).
    """
    # Refuses impossible evidence before any row is drawn.
    log_probability(engine, evidence)
    prepared = prepare(engine, evidence, range(engine.n_variables))
    batch_rows = max(1, min(65_536, BATCH_STATES // engine.n_variables))
    for batch, (start, end) in enumerate(slices(n_rows, batch_rows)):
        size = end - start
        uniforms = task_generator(seed, 3, batch).random((size, engine.n_variables)).T
        drawn = np.repeat(prepared.query.codes, size, axis=1)
        query = prepared.query._replace(uniforms=np.ascontiguousarray(uniforms))
        for group in range(len(prepared.groups.row_start) - 1):
            _draw_rows(engine, prepared, query, group, drawn)
        yield drawn


def _draw_rows(engine: Engine, prepared: Prepared, query: Query, group: int, drawn: np.ndarray) -> None:
    """Draw the states of a component's variables; see the kernel."""
    interruptible(
        query,
        prepared.cost.cells,
        lambda asked: draw_rows(engine.arrays, prepared.groups, prepared.plans, asked, group, drawn),
    )


def impossible(engine: Engine, evidence: Evidence) -> Inconsistent:
    """Error naming a minimal impossible subset of the evidence."""
    part = dict(evidence)
    for variable in evidence:
        # Evidence stays possible if a part is dropped: a part that cannot be dropped now cannot be dropped later, so
        # one pass leaves a minimal set.
        less = {v: state for v, state in part.items() if v != variable}
        if _is_impossible(engine, less):
            part = less
    variables = engine.network.variables
    parts = [f"{variables[v].name}={variables[v].known_states[s]}" for v, s in part.items()]
    together = "is impossible" if len(parts) == 1 else "exclude one another"
    return Inconsistent(
        f"the evidence has probability zero: {', '.join(parts)} {together}",
        remedy="parameters fitted with --smoothing leave nothing impossible",
    )


def _is_impossible(engine: Engine, evidence: Evidence) -> bool:
    try:
        prepared = prepare(engine, evidence, ())
    except StageError:
        return False  # less evidence may take more memory
    return _total(engine, prepared, LOGS) == -math.inf
