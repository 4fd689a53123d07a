"""Structures by their posterior over networks of listed sets: exact, or counted in sampled networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from stages.lists.set_lists import fixed_first_order
from stages.posterior import MOST_EXACT, PosteriorOptions, exact_gap
from stages.posterior.arc_posterior import run
from stages.posterior.exact import family_relations
from stages.posterior.weights import report_lists, require_posterior_score
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter, Reporter
from stages.runtime.warm_up import compile_first, tiny_table

from .cause_structures import CauseStructures, CountedStructures

LEAST_MASS = 1e-7
"""The least probable parent sets of a cause are left out, as far as their probabilities sum up to this or less."""


def posterior_structures(
    table: ParentSetTable, causes: Sequence[int], options: PosteriorOptions, budget: Budget, reporter: Reporter
) -> Iterator[tuple[int, CauseStructures]]:
    """The structures of each cause, under the prior that is uniform over networks.

    Without a method in the options, it is exact for as many variables as that is possible. Raises errors as
    `stages.posterior.arc_posterior.run` does.
    """
    gap = exact_gap(options)
    if gap is not None and options.method == "exact":
        raise StageError(f"{gap} need sampled networks: use --sampled")
    is_small = table.n_variables <= MOST_EXACT["dags"] and gap is None
    if (options.method or ("exact" if is_small else "sampled")) == "sampled":
        yield from _sampled_structures(table, causes, replace(options, method="sampled"), budget, reporter)
        return
    require_posterior_score(table)
    fixed_first_order(table)
    report_lists(table, reporter)
    compile_first(lambda small: [*family_relations(tiny_table(), [0], small, NullReporter())], budget, "effects")
    for cause, shares in zip(causes, family_relations(table, causes, budget, reporter)):
        yield cause, _probable_sets(table, cause, np.maximum(shares, 0.0))


def _probable_sets(table: ParentSetTable, cause: int, shares: np.ndarray) -> CauseStructures:
    """The listed sets of a cause, the most probable first, without a rest of `LEAST_MASS` or less."""
    order = np.argsort(-shares[:, cause], kind="stable")
    # The probability of each set and of all after it.
    rest = shares[order[::-1], cause].cumsum()[::-1]
    order = order[: max(1, int((rest > LEAST_MASS).sum()))]
    first = int(table.set_offsets[cause])
    return CauseStructures(tuple(table.parent_set(first + place) for place in order.tolist()), shares[order])


def _sampled_structures(
    table: ParentSetTable, causes: Sequence[int], options: PosteriorOptions, budget: Budget, reporter: Reporter
) -> Iterator[tuple[int, CauseStructures]]:
    samples = run(table, options, budget, reporter).samples
    assert samples is not None
    counted = CountedStructures(causes)
    networks, times = np.unique(samples.sets.reshape(-1, table.n_variables), axis=0, return_counts=True)
    for sets, count in zip(networks.tolist(), times.tolist()):
        counted.add([table.parent_set(s) for s in sets], count)
    for cause in causes:
        yield cause, counted.of(cause)
