"""The growers of a run on data, one per variable, under the user's arcs and knowing the sets of given lists; their
growth within an order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stages.knowledge import Knowledge
from stages.runtime.workers import ordered_map
from stages.scoring.scores import recorded_ess
from stages.scoring.set_grower import SetGrower

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.scoring.family_scorer import FamilyScorer

    from .. import OptimizeOptions
    from ..result import Parents


def make_growers(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    table: ParentSetTable | None,
    scores_left: Callable[[], float] = lambda: math.inf,
) -> list[SetGrower]:
    """One grower per variable under the user's arcs, knowing the sets of `table`; `scores_left` is theirs."""
    n = scorer.n_variables
    varies = scorer.n_states > 1
    largest = n - 1 if options.max_parents is None else min(options.max_parents, n - 1)
    # Scores of other data or of another kind are worth nothing here, the sets still are.
    same = table is not None and (table.header.data, table.header.score, table.header.ess) == (
        scorer.dataset.fingerprint,
        scorer.score,
        recorded_ess(scorer.score, scorer.ess),
    )
    knowledge = Knowledge.of_arcs(scorer.dataset.names, options.required, options.forbidden, options.tiers)
    growers = []
    for child in range(n):
        allowed = knowledge.may_be_parent(child) & varies & bool(varies[child])
        required = knowledge.required_of(child)
        allowed[list(required)] = True
        is_everything = bool(varies[child]) and int(allowed.sum()) == n - 1
        candidates = None if is_everything else np.flatnonzero(allowed).astype(np.int32)
        grower = SetGrower(scorer, child, largest, candidates, required, scores_left=scores_left)
        if table is not None:
            start, stop = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
            for s in range(start, stop):
                parents = table.parent_set(s)
                is_possible = set(required) <= set(parents) and allowed[list(parents)].all()
                if is_possible and len(parents) <= largest:
                    if same:
                        grower.scores[parents] = float(table.scores[s])
                    else:
                        grower.score(parents)
        growers.append(grower)
    return growers


def grow_within(
    growers: Sequence[SetGrower],
    position: np.ndarray,
    present: Parents | None,
    is_spent: Callable[[], bool],
    jobs: int,
) -> Iterator[tuple[int, ...] | None]:
    """Grow and shrink every variable's set within its predecessors, from nothing and from its present set.

    Parameters
    ----------
    growers : sequence of SetGrower
    position : ndarray, shape (n_variables,)
        Where each variable stands; one of a smaller number comes before.
    present : tuple of tuples of int, optional
        The present sets; of each, what stands before the child is grown.
    is_spent : callable
        Asked before each variable.
    jobs : int
        Threads.

    Yields
    ------
    tuple of int or None
        In the order of the growers, the set reached from nothing; None for variables whose turn did not come.
    """

    def grow(grower: SetGrower) -> tuple[int, ...] | None:
        if is_spent():
            return None
        allowed = position < position[grower.child]
        allowed[list(grower.required)] = True
        if present is not None:
            kept = tuple(p for p in present[grower.child] if allowed[p])
            grower.grow_and_shrink(allowed, kept)
        return grower.grow_and_shrink(allowed)

    return ordered_map(grow, growers, jobs)
