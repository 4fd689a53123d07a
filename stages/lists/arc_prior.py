"""Lists made without a prior of arcs, scored with one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from formats.arc_priors import ArcPrior, recorded_prior
from formats.records import ParentSetTable
from formats.sets.listed_sets import best_first, offsets_of
from stages.runtime.errors import StageError
from stages.runtime.reporting import Reporter
from stages.scoring.arc_gains import ArcGains
from stages.scoring.definitions import score_quantum

from .set_lists import all_sets, child_of_entries, child_of_sets


def with_prior(table: ParentSetTable, prior: ArcPrior | None, reporter: Reporter) -> ParentSetTable:
    """The same sets, scored with the prior; lists that contain this prior stay as they are.

    A set that is not listed scores less than a listed subset by at least a margin: 0, or what ``keep_mass`` says.
    The prior adds at most the sum of the positive gains, which the margin must cover for a list to stay complete;
    else nothing is known of sets that are not listed. `left_out` grows by the same factor at most.

    Raises `StageError` if the lists contain another prior.
    """
    if prior is None:
        return table
    known = recorded_prior(table.header.extra)
    if known is not None:
        if known != prior:
            raise StageError(
                "the scores of these lists contain another prior of arcs already\n"
                "  leave out --prior, or make lists with this one: bnsl parentsets --prior FILE"
            )
        return table
    header = table.header
    n_states = [2 if variable.states is None else len(variable.states) for variable in header.variables]
    gains = ArcGains(prior, header.names, n_states, score_quantum(header.rows or 1))
    n, most = table.n_variables, (header.limits or {}).get("max_parents", table.n_variables)
    others = [np.delete(np.arange(n), child) for child in range(n)]
    largest = np.array([gains.largest(child, (), others[child], most) for child in range(n)])
    keep_mass = header.extra.get("keep_mass")
    margin = 0.0 if keep_mass is None else -math.log(keep_mass) if keep_mass else math.inf
    is_covered = table.fixed | (largest <= margin)
    left_out = np.where(table.fixed, table.left_out, table.left_out * np.exp(np.minimum(largest, 700.0)))
    extra = header.extra | prior.recorded()
    if keep_mass:
        extra["keep_mass"] = min(1.0, keep_mass * math.exp(min(700.0, float(largest.max(initial=0.0)))))
    n_lost = int((table.complete & ~is_covered).sum())
    if n_lost:
        reporter.warn(
            f"{n_lost} of {n} lists are complete without --prior only: they may lack sets that the prior favours; "
            "give --prior to bnsl parentsets as well"
        )
    scores = _scored(table, gains)
    children = child_of_sets(table)
    order = best_first(all_sets(table), scores, children)
    sets = all_sets(table).take(order)
    return replace(
        table,
        header=replace(header, extra=extra),
        set_offsets=offsets_of(np.bincount(children[order], minlength=n)),
        scores=scores[order],
        parent_offsets=sets.offsets,
        parents=sets.members,
        complete=table.complete & is_covered,
        unlisted=np.where(is_covered & ~table.fixed, table.unlisted + largest, np.nan),
        left_out=left_out,
    )


def _scored(table: ParentSetTable, gains: ArcGains) -> np.ndarray:
    """The score of each set with its gain, nats; float64, shape (n_sets,)."""
    child, of_entry = child_of_entries(table), np.zeros(len(table.parents))
    starts = np.searchsorted(child, np.arange(table.n_variables + 1))
    for each, (first, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist())):
        of_entry[first:end] = gains.row(each)[table.parents[first:end]]
    # Sums of multiples of the quantum are exact.
    sums = np.append(0.0, np.cumsum(of_entry))
    return table.scores + (sums[table.parent_offsets[1:]] - sums[table.parent_offsets[:-1]])
