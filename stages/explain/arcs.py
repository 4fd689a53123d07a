"""What the score of a network loses without each of its arcs, and the information that the arc carries.

Losses are in nats, positive where the network as it is scores more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset
from formats.graphs.algorithms import Parents
from stages.graphs import children_of
from stages.scoring.family_scorer import FamilyScorer

from .rivals import Rival, RivalSearch, best_without

ROUNDING = 16
"""Differences of at most this many units to which scores are rounded are 0."""


class PairInformation(NamedTuple):
    """Mutual information of two variables given others: of the relative frequencies of rows, in nats; and about what
    is expected by chance where there is none.
    """

    nats: float
    by_chance: float


class ArcFacts(NamedTuple):
    """An arc, and how the network fares without it; all other families stay."""

    parent: int
    child: int
    removal_loss: float  # without the arc
    instead: tuple[int, ...] | None  # best rival of the child's family without the parent; None if there is none
    instead_loss: float  # with this set in its place, NaN without one
    reversal_loss: float  # with the arc reversed, NaN if this makes a cycle
    path: tuple[int, ...]  # shortest other directed path from parent to child, which makes it; empty if none
    information: PairInformation


class FamilyFacts(NamedTuple):
    """A family with its local score, its rivals (the best first) and its arcs."""

    child: int
    parents: tuple[int, ...]
    score: float
    rivals: list[Rival]
    arcs: list[ArcFacts]


def conditional_information(dataset: Dataset, first: int, second: int, given: tuple[int, ...]) -> PairInformation:
    """I(first; second | given) of the N rows, which is G²/2N.

    Of independent variables it is about (degrees of freedom)/2N in the mean (Miller 1955): for each configuration
    that occurs (occurring states of the first - 1) (occurring states of the second - 1).
    """
    counts = count_pair(dataset, first, second, given)
    degrees = ((counts.any(axis=2).sum(axis=1) - 1) * (counts.any(axis=1).sum(axis=1) - 1)).sum()
    return PairInformation(likelihood_ratio(counts) / (2 * dataset.n_rows), float(degrees) / (2 * dataset.n_rows))


def count_pair(dataset: Dataset, first: int, second: int, given: tuple[int, ...]) -> np.ndarray:
    """Rows by configuration of the given variables (if it occurs) and states of the two, int64."""
    strata = dataset.configurations(given)
    shape = int(strata.max(initial=-1)) + 1, int(dataset.n_states[first]), int(dataset.n_states[second])
    cells = (strata * shape[1] + dataset.codes[first]) * shape[2] + dataset.codes[second]
    return np.bincount(cells, minlength=math.prod(shape)).reshape(shape)


def likelihood_ratio(counts: np.ndarray) -> float:
    """G² of counts by configuration, first and second variable."""
    sums = (counts, counts.sum(axis=(1, 2)), counts.sum(axis=2), counts.sum(axis=1))
    _, totals, firsts, seconds = (each.astype(np.int64) for each in sums)
    if np.array_equal(counts.astype(np.int64) * totals[:, None, None], firsts[:, :, None] * seconds[:, None, :]):
        return 0.0  # exactly independent
    joint, of_given, of_first, of_second = (_sum_of_logs(each) for each in sums)
    return max(0.0, 2.0 * (joint + of_given - of_first - of_second))


def _sum_of_logs(counts: np.ndarray) -> float:
    """The sum of n log n."""
    positive = counts[counts > 0].astype(np.float64)
    return float((positive * np.log(positive)).sum())


def explain_families(dataset: Dataset, scorer: FamilyScorer, search: RivalSearch) -> Iterator[FamilyFacts]:
    """The facts about each family of the network of `search`, by child.

    A family's information is that of the rows in which the child was not set.
    """
    parents = search.parents
    for child, members in enumerate(parents):
        present = tuple(sorted(members))
        score, rivals = scorer.local_score(child, present), search.of(child)
        free = dataset.is_free(child)
        rows = dataset if free is None else dataset.rows(np.flatnonzero(free))
        arcs = [_arc_facts(rows, scorer, parents, (parent, child), score, rivals) for parent in present]
        yield FamilyFacts(child, present, score, rivals, arcs)


def _arc_facts(
    rows: Dataset, scorer: FamilyScorer, parents: Parents, arc: tuple[int, int], score: float, rivals: list[Rival]
) -> ArcFacts:
    parent, child = arc
    others = tuple(v for v in sorted(parents[child]) if v != parent)
    removal = score - scorer.local_score(child, others)
    instead = best_without(rivals, parent)
    path = other_path(parents, parent, child)
    reversal = math.nan
    if not path:
        own = tuple(sorted(parents[parent]))
        with_child = tuple(sorted((*own, child)))
        reversal = removal + scorer.local_score(parent, own) - scorer.local_score(parent, with_child)
    return ArcFacts(
        parent,
        child,
        loss_of(removal, scorer),
        None if instead is None else instead.parents,
        math.nan if instead is None else loss_of(score - instead.score, scorer),
        loss_of(reversal, scorer),
        path,
        conditional_information(rows, parent, child, others),
    )


def loss_of(difference: float, scorer: FamilyScorer) -> float:
    """A difference of scores without rounding errors."""
    return 0.0 if abs(difference) <= ROUNDING * scorer.quantum else difference


def other_path(parents: Parents, first: int, last: int) -> tuple[int, ...]:
    """A shortest directed path between two variables besides the arc; empty if there is none."""
    children = children_of(parents)
    came_from: dict[int, int] = {}
    waiting = [first]
    for vertex in waiting:  # grows during the iteration
        for child in children[vertex]:
            if child not in came_from and (vertex, child) != (first, last):
                came_from[child] = vertex
                waiting.append(child)
    if last not in came_from:
        return ()
    path = [last]
    while path[-1] != first:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))
