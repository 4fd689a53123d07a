"""Questions under one piece of evidence, given as a mapping from observed variables to the codes of their states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from formats.errors import Inconsistent
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator

from .engine import Cost, Engine

if TYPE_CHECKING:
    from stages.kernels.inference.answers import Asked, Groups

Evidence = Mapping[int, int]

DRAWN_CELLS = 1 << 22
"""States drawn between two looks at signals."""


class Prepared(NamedTuple):
    """A question cut into components."""

    groups: Groups
    asked: Asked
    cost: Cost


def prepare(
    engine: Engine,
    evidence: Evidence,
    wanted: Sequence[int],
    joined: Sequence[int] = (),
    across: bool = True,
) -> Prepared:
    """Cut a question into components, and refuse it if it takes too much.

    Parameters
    ----------
    engine : Engine
    evidence : mapping
    wanted : sequence of int
        Variables that the answer is about.
    joined : sequence of int
        Those whose joint distribution is asked for.
    across : bool
        Of all of them; else of those in each component, which are independent of the others.

    Raises
    ------
    StageError
        The tables do not fit into memory.
    """
    from stages.kernels.inference.answers import Asked

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
    asked = Asked(
        ranks=engine.ranks,
        is_joined=is_joined,
        target_start=target_start,
        uniforms=np.zeros((0, 0)),
        codes=codes,
        posterior=np.full((1, n_columns), math.nan),
        logs=np.empty(len(groups.rows)),
    )
    cost = engine.cost(groups, asked)
    engine.refuse_too_large(cost)
    return Prepared(groups, asked, cost)


def target_columns(engine: Engine, targets: Sequence[int]) -> tuple[np.ndarray, int]:
    """The column of each target's first state, -1 for other variables; and how many columns there are."""
    start, n_columns = np.full(engine.n_variables, -1, dtype=np.int64), 0
    for variable in targets:
        start[variable] = n_columns
        n_columns += int(engine.arrays.n_states[variable])
    return start, n_columns


def _run(engine: Engine, prepared: Prepared, evidence: Evidence, kind: int) -> float:
    """Answer all components; the logarithm of the probability found, nats.

    Raises
    ------
    Inconsistent
        The evidence has probability zero.
    """
    from stages.kernels.inference.answers import answer_groups

    groups, asked, _ = prepared
    answer_groups(engine.arrays, groups, asked, kind, 0, len(groups.row_start) - 1, math.inf)
    total = float(asked.logs.sum()) + _log_of_observed(engine, asked.codes, evidence)
    if total == -math.inf:
        raise impossible(engine, evidence)
    return total


def _log_of_observed(engine: Engine, codes: np.ndarray, evidence: Evidence) -> float:
    """The part of the logarithm of a probability that comes from families observed whole."""
    from stages.kernels.inference.components import observed_log_probability

    is_hidden, logs = np.ones(codes.shape, dtype=np.bool_), np.zeros(1)
    is_hidden[list(evidence)] = False
    observed_log_probability(engine.arrays, codes, is_hidden, logs)
    return float(logs[0])


class Probability(NamedTuple):
    """Logarithm of the probability of the evidence, nats, and what it took."""

    log_probability: float
    cost: Cost


def log_probability(engine: Engine, evidence: Evidence) -> Probability:
    """The probability of evidence.

    Raises
    ------
    Inconsistent
        It is zero.
    StageError
        The tables do not fit into memory.
    """
    from stages.kernels.inference.answers import LOGS

    prepared = prepare(engine, evidence, ())
    return Probability(_run(engine, prepared, evidence, LOGS), prepared.cost)


class Marginals(NamedTuple):
    """Distributions of single variables.

    Attributes
    ----------
    probabilities : list of ndarray of float64
        Of each variable that was asked for; one of its states has probability 1 if it is observed.
    log_probability : float
        Of the evidence, nats.
    cost : Cost
    """

    probabilities: list[np.ndarray]
    log_probability: float
    cost: Cost


def marginals(engine: Engine, evidence: Evidence, variables: Sequence[int]) -> Marginals:
    """The distribution of each of some variables under the evidence.

    Raises
    ------
    Inconsistent
        The evidence has probability zero.
    StageError
        The tables do not fit into memory.
    """
    from stages.kernels.inference.answers import MARGINALS

    prepared = prepare(engine, evidence, [v for v in variables if v not in evidence])
    total = _run(engine, prepared, evidence, MARGINALS)
    start = prepared.asked.target_start
    found = []
    for variable in variables:
        n_states = int(engine.arrays.n_states[variable])
        if variable in evidence:
            found.append(np.eye(n_states)[evidence[variable]])
        else:
            found.append(prepared.asked.posterior[0, start[variable] : start[variable] + n_states])
    return Marginals(found, total, prepared.cost)


class Joint(NamedTuple):
    """The distribution of several variables together: an axis for each; and as in `Marginals`."""

    probabilities: np.ndarray
    log_probability: float
    cost: Cost


def joint(engine: Engine, evidence: Evidence, variables: Sequence[int]) -> Joint:
    """The joint distribution of some variables under the evidence.

    Parameters
    ----------
    engine : Engine
    evidence : mapping
    variables : sequence of int
        At least one; none is observed.

    Raises
    ------
    Inconsistent
        The evidence has probability zero.
    StageError
        The tables do not fit into memory.
    """
    from stages.kernels.inference.answers import LOGS, joint_distribution

    prepared = prepare(engine, evidence, variables, variables)
    total = _run(engine, prepared, evidence, LOGS)
    indices = np.array(variables, dtype=np.int64)
    group = _group_of(prepared.groups, variables[0])
    found = joint_distribution(engine.arrays, prepared.groups, prepared.asked, group, indices)
    probabilities = found.reshape(engine.arrays.n_states[indices])
    return Joint(probabilities, total, prepared.cost)


def _group_of(groups: Groups, variable: int) -> int:
    """The component of a hidden variable."""
    place = int(np.flatnonzero(groups.members == variable)[0])
    return int(np.searchsorted(groups.member_start, place, side="right")) - 1


class States(NamedTuple):
    """Codes of some variables, in their order, with the logarithm of their probability, evidence included, nats."""

    codes: list[int]
    log_probability: float
    cost: Cost


def most_probable_states(engine: Engine, evidence: Evidence, variables: Sequence[int]) -> States:
    """The states of some variables that are most probable together, all others summed out (MAP).

    Those of each component are the largest entry of their joint distribution, which is a clique of its junction tree.

    Raises
    ------
    Inconsistent
        The evidence has probability zero.
    StageError
        The tables do not fit into memory.
    """
    from stages.kernels.inference.answers import LOGS, joint_distribution

    prepared = prepare(engine, evidence, variables, variables, across=False)
    total = _run(engine, prepared, evidence, LOGS)
    found: dict[int, int] = {}
    group_of = {v: _group_of(prepared.groups, v) for v in variables}
    for group in sorted(set(group_of.values())):
        members = np.array([v for v in variables if group_of[v] == group], dtype=np.int64)
        table = joint_distribution(engine.arrays, prepared.groups, prepared.asked, group, members)
        best = int(table.argmax())
        total += math.log(table[best])
        codes = np.array(np.unravel_index(best, engine.arrays.n_states[members])).tolist()
        found |= dict(zip(members.tolist(), codes))
    return States([found[v] for v in variables], total, prepared.cost)


class Completion(NamedTuple):
    """States of all variables, uint8 codes, with the logarithm of their probability, evidence included, nats."""

    codes: np.ndarray
    log_probability: float
    cost: Cost


def most_probable_completion(engine: Engine, evidence: Evidence) -> Completion:
    """The states of all variables that are most probable together, given the evidence (MPE).

    Raises
    ------
    Inconsistent
        The evidence has probability zero.
    StageError
        The tables do not fit into memory.
    """
    from stages.kernels.inference.answers import BEST

    prepared = prepare(engine, evidence, range(engine.n_variables))
    total = _run(engine, prepared, evidence, BEST)
    return Completion(prepared.asked.codes[:, 0], total, prepared.cost)


def sample_given(engine: Engine, evidence: Evidence, n_rows: int, seed: int) -> Iterator[np.ndarray]:
    """Draw rows from the network given the evidence, exactly.

    Yields
    ------
    ndarray of uint8, shape (n_variables, batch)

    Raises
    ------
    Inconsistent
        The evidence has probability zero.
    StageError
        The tables do not fit into memory.
    """
    from stages.kernels.inference.answers import draw_rows

    log_probability(engine, evidence)
    prepared = prepare(engine, evidence, range(engine.n_variables))
    at_once = max(1, min(65_536, DRAWN_CELLS // engine.n_variables))
    for batch, start in enumerate(range(0, n_rows, at_once)):
        size = min(at_once, n_rows - start)
        uniforms = task_generator(seed, 3, batch).random((size, engine.n_variables)).T
        drawn = np.repeat(prepared.asked.codes, size, axis=1)
        asked = prepared.asked._replace(uniforms=np.ascontiguousarray(uniforms))
        for group in range(len(prepared.groups.row_start) - 1):
            draw_rows(engine.arrays, prepared.groups, asked, group, drawn)
        yield drawn


def impossible(engine: Engine, evidence: Evidence) -> Inconsistent:
    """The error that names a part of impossible evidence of which nothing can be left out."""
    part = dict(evidence)
    for variable in evidence:
        less = {v: state for v, state in part.items() if v != variable}
        if _is_impossible(engine, less):
            part = less
    variables = engine.network.variables
    said = ", ".join(f"{variables[v].name}={variables[v].known_states[state]}" for v, state in part.items())
    together = "is impossible" if len(part) == 1 else "exclude one another"
    return Inconsistent(
        f"the evidence has probability zero: {said} {together}",
        remedy="parameters fitted with --smoothing leave nothing impossible",
    )


def _is_impossible(engine: Engine, evidence: Evidence) -> bool:
    from stages.kernels.inference.answers import LOGS, answer_groups

    try:
        groups, asked, _ = prepare(engine, evidence, ())
    except StageError:
        return False  # less evidence may take more memory
    answer_groups(engine.arrays, groups, asked, LOGS, 0, len(groups.row_start) - 1, math.inf)
    return float(asked.logs.sum()) + _log_of_observed(engine, asked.codes, evidence) == -math.inf
