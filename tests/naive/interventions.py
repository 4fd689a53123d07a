"""Interventions by definition: rows left out of a family, classes by comparing graphs whose arcs are cut."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from .networks import Parents, all_networks, skeleton, v_structures
from .scores import local_score

Targets = Sequence[frozenset[int]]


def scored_rows(rows: Sequence[Sequence[int]], was_set: Sequence[Sequence[int]], child: int) -> list[Sequence[int]]:
    """The rows in which the child was not set."""
    return [row for row, target in zip(rows, was_set) if child not in target]


def interventional_score(rows, was_set, n_states, child, parents, score="bic", ess=1.0) -> float:
    """Local score over the rows in which the child was not set (Cooper and Yoo 1999)."""
    return local_score(scored_rows(rows, was_set, child), n_states, child, parents, score, ess)


def cut(parents: Parents, target: frozenset[int]) -> Parents:
    """The network without arcs into the variables of a set."""
    return tuple(() if child in target else family for child, family in enumerate(parents))


def expected_counts_where_free(network, codes, is_hidden, was_set):
    """Log-likelihood of the observed cells given what was set, and the expected counts of all families over the rows
    in which their child was not set; by listing all completions of each row. Missing states of variables that were
    set are equally weighted.
    """
    sizes = [len(variable.known_states) for variable in network.variables]
    counts, total = [np.zeros(table.shape) for table in network.tables], 0.0
    for k, target in enumerate(was_set):
        choices = [range(r) if is_hidden[v, k] else [int(codes[v, k])] for v, r in enumerate(sizes)]
        blank = math.prod(sizes[v] for v in target if is_hidden[v, k])
        weights = {}
        for states in itertools.product(*choices):
            factors = [
                network.tables[child][(*(states[p] for p in parents), states[child])]
                for child, parents in enumerate(network.parents)
                if child not in target
            ]
            weights[states] = math.prod(factors) / blank
        row = sum(weights.values())
        total += math.log(row)
        for states, weight in weights.items():
            for child, parents in enumerate(network.parents):
                if child not in target:
                    counts[child][(*(states[p] for p in parents), states[child])] += weight / row
    return total, counts


def interventional_classes(n_variables: int, targets: Targets) -> list[list[Parents]]:
    """All networks, grouped by the independencies that they imply under each intervention."""
    classes: dict = {}
    for parents in all_networks(n_variables):
        graphs = [cut(parents, target) for target in targets]
        key = tuple((skeleton(graph), v_structures(graph)) for graph in graphs)
        classes.setdefault(key, []).append(parents)
    return list(classes.values())
