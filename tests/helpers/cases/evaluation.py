"""Small networks and data sets for the tests of `stages.evaluate`."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from formats.data_records import Dataset, Variable
from formats.records import Header, NetworkRecord
from stages.graphs.essential_graphs import PartiallyDirectedGraph, list_arcs


def make_variables(n_states: Sequence[int]) -> tuple[Variable, ...]:
    """Variables X0, X1, ... with states 0, 1, ..."""
    return tuple(Variable(f"X{i}", tuple(map(str, range(states)))) for i, states in enumerate(n_states))


def make_dataset(rows: Sequence[Sequence[int]], n_states: Sequence[int]) -> Dataset:
    """A data set from rows of codes."""
    codes = np.ascontiguousarray(np.array(rows, dtype=np.uint8).reshape(len(rows), len(n_states)).T)
    return Dataset(make_variables(n_states), codes, f"sha256:{hash((tuple(map(tuple, rows)), tuple(n_states)))}")


def make_network(
    parents: Sequence[Sequence[int]], n_states: Sequence[int] | None = None, **extra: Any
) -> NetworkRecord:
    """A network over X0, X1, ...; states unknown if not given; further arguments go to the header."""
    if n_states is None:
        variables = tuple(Variable(f"X{i}") for i in range(len(parents)))
    else:
        variables = make_variables(n_states)
    header = Header(variables, extra=extra)
    return NetworkRecord(header, tuple(tuple(sorted(p)) for p in parents), np.full(len(parents), np.nan))


def random_rows(seed: int, n_states: Sequence[int], n_rows: int) -> list[tuple[int, ...]]:
    """Dependent columns: each is a noisy copy of the column before it, so that cells are unequally full."""
    generator = random.Random(seed)
    rows = []
    for _ in range(n_rows):
        row: list[int] = []
        for states in n_states:
            noisy = not row or generator.random() < 0.5
            row.append(generator.randrange(states) if noisy else row[-1] % states)
        rows.append(tuple(row))
    return rows


def random_parents(seed: int, n_variables: int, max_parents: int) -> list[list[int]]:
    """A random acyclic structure, the order hidden by a permutation."""
    generator = random.Random(seed)
    names = list(range(n_variables))
    generator.shuffle(names)
    parents: list[list[int]] = [[] for _ in names]
    for rank, child in enumerate(names):
        size = generator.randint(0, min(rank, max_parents))
        parents[child] = sorted(names[p] for p in generator.sample(range(rank), size))
    return parents


def directed_graph(parents: Sequence[Sequence[int]]) -> PartiallyDirectedGraph:
    """The network's own arcs as a graph without undirected edges, for distances between networks themselves."""
    return PartiallyDirectedGraph(frozenset(list_arcs(parents)), frozenset())
