"""What decides the directions of arcs under the posterior: counted over networks drawn from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.errors import Inconsistent
from formats.records import ParentSetTable
from stages.graphs.intervention_targets import targets_of
from stages.graphs.orientation import DecisionCounts, decide_directions
from stages.recorded_knowledge import recorded_knowledge
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter, Reporter

from . import PosteriorOptions
from .sampling import draw_samples

N_NETWORKS = 1000
"""Number of networks examined; a share of one half has a standard error of 0.016."""


def drawn_networks(table: ParentSetTable, options: PosteriorOptions, budget: Budget) -> np.ndarray:
    """Networks drawn by Markov chains in addition to an exact sum over networks; the same ones each time.

    Returns int32, shape (n_draws, n_variables): the set of each variable, as an index into the table.
    """
    sampled = replace(options, method="sampled", samples=min(options.samples or N_NETWORKS, N_NETWORKS), seed=0)
    return draw_samples(table, sampled, budget, NullReporter()).sets.reshape(-1, table.n_variables)


def count_decisions(
    table: ParentSetTable, networks: np.ndarray, budget: Budget, reporter: Reporter
) -> DecisionCounts | None:
    """What decides directions in networks of listed sets; at most `N_NETWORKS` are looked at, evenly spaced.

    `networks` (int32, shape (n_networks, n_variables)) has the set of each variable, as an index into the table.
    Returns None if it is not known: only a digest of the knowledge is recorded, or the lists contradict it.
    """
    taken = np.linspace(0, len(networks) - 1, min(len(networks), N_NETWORKS)).astype(np.intp)
    distinct, times = np.unique(networks[taken], axis=0, return_counts=True)
    counts = DecisionCounts()
    try:
        knowledge = recorded_knowledge(table.header.by, table.header.names)
        targets = targets_of(table.header)
        for sets, count in zip(distinct.tolist(), times.tolist()):
            counts.add(decide_directions([table.parent_set(s) for s in sets], knowledge, targets), count)
            if budget.interrupted:
                break
    except Inconsistent as error:
        reporter.warn(f"the column direction is left out: {error}")
        return None
    return counts
