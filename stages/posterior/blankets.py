"""Exact probabilities that one variable is in the Markov blanket of another."""

from __future__ import annotations

import itertools
import math

import numpy as np

from formats.records import ParentSetTable
from stages.lists.set_lists import child_of_sets, keep_in_table
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter, Reporter

from . import PosteriorOptions
from .exact import log_weight


def exact_blankets(
    table: ParentSetTable, options: PosteriorOptions, budget: Budget, reporter: Reporter
) -> np.ndarray:
    """Posterior probabilities of pairs, float64, shape (n_variables, n_variables); 0 on the diagonal.

    Two variables are in each other's blankets if a family has both: one is the parent of the other, or both are of a
    third one. All other networks consist of sets without such a family: one sum over these is their weight. Raises
    errors as `stages.posterior.exact.exact_probabilities` does.
    """
    n = table.n_variables
    families = np.zeros((n, table.n_sets), dtype=np.bool_)
    families[child_of_sets(table), np.arange(table.n_sets)] = True
    families[table.parents, np.repeat(np.arange(table.n_sets), np.diff(table.parent_offsets))] = True
    whole = log_weight(table, options, budget, reporter)
    found, pairs = np.zeros((n, n)), list(itertools.combinations(range(n), 2))
    for number, (a, b) in enumerate(pairs):
        kept = keep_in_table(table, np.flatnonzero(~(families[a] & families[b])))
        apart = 0.0
        if np.diff(kept.set_offsets).all():
            apart = math.exp(log_weight(kept, options, budget, NullReporter()) - whole)
        found[a, b] = found[b, a] = max(0.0, 1.0 - apart)
        reporter.progress(number + 1, len(pairs), "pairs")
    return found
