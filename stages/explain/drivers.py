"""What drives a target: the information of each variable about it, and what each finding does to its distribution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset
from formats.graphs.algorithms import Parents
from stages.graphs.subgraphs import markov_blanket
from stages.inference import queries
from stages.inference.junction_trees import Engine

from .arcs import PairInformation, conditional_information

RELATIONS = PARENT, CHILD, SPOUSE, OUTSIDE = ("parent", "child", "spouse", "")
"""What a variable is to the target: in its Markov blanket (a spouse is another parent of a child) or outside."""


class Driver(NamedTuple):
    """A variable, what it is to the target, and its information about the target: alone, and given the rest of the
    target's Markov blanket.
    """

    variable: int
    relation: str
    alone: PairInformation
    given_blanket: PairInformation


class Findings(NamedTuple):
    """Distributions of the target: without findings, and given each state of each variable.

    - `before`: float64, shape (states of the target,).
    - `probability`: for each variable the distribution of its states.
    - `after`: for each variable float64, shape (its states, states of the target); NaN for a state of probability 0.
    """

    before: np.ndarray
    probability: list[np.ndarray]
    after: list[np.ndarray]

    def strongest(self, variable: int) -> tuple[int, int]:
        """The state of a variable, and that of the target, for which |after - before| is largest."""
        shift = np.nan_to_num(np.abs(self.after[variable] - self.before), nan=-1.0)
        state, of_target = np.unravel_index(int(shift.argmax()), shift.shape)
        return int(state), int(of_target)


def relation_to(parents: Parents, target: int, variable: int, blanket: set[int]) -> str:
    """One of `RELATIONS`."""
    if variable in parents[target]:
        return PARENT
    if target in parents[variable]:
        return CHILD
    return SPOUSE if variable in blanket else OUTSIDE


def drivers_of(dataset: Dataset, parents: Parents, target: int) -> Iterator[Driver]:
    """The information of each other variable about the target, from the rows."""
    blanket = markov_blanket(parents, [target]) - {target}
    for variable in range(dataset.n_variables):
        if variable != target:
            rest = tuple(sorted(blanket - {variable}))
            alone = conditional_information(dataset, target, variable, ())
            given = alone if not rest else conditional_information(dataset, target, variable, rest)
            yield Driver(variable, relation_to(parents, target, variable, blanket), alone, given)


def findings_about(engine: Engine, target: int) -> Findings:
    """The target's distribution given each state of each variable, exactly: by Bayes' rule, from the distributions of
    all variables given each state of the target.
    """
    everything = range(engine.n_variables)
    probability = queries.marginals(engine, {}, everything).found
    before = probability[target]
    joint = [np.zeros((len(p), len(before))) for p in probability]
    for state in np.flatnonzero(before > 0).tolist():
        given = queries.marginals(engine, {target: state}, everything).found
        for table, distribution in zip(joint, given):
            table[:, state] = distribution * before[state]
    totals = [np.where(table.sum(axis=1) > 0, table.sum(axis=1), np.nan)[:, None] for table in joint]
    return Findings(before, probability, [table / total for table, total in zip(joint, totals)])
