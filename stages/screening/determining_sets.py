"""Deterministic DAGs: variables that several others together nearly determine join a screening forest.

Rahier, Marié, Girard and Forbes (2018) define them (Definition 2) and propose them in place of forests (section 5).
At threshold 0 their Proposition 1 holds for them as well: an optimal network of the roots under log-likelihood makes
the union optimal. They give no algorithm; the rule by which a root chooses its set here is this project's.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from formats.data_records import Dataset
from formats.records import EntropyTable, ScreeningForest
from stages.graphs import children_of
from stages.runtime.reporting import Reporter
from stages.runtime.workers import ordered_map
from stages.scoring.family_scorer import FamilyScorer

Members = tuple[int, ...]


def with_determining_sets(
    forest: ScreeningForest,
    dataset: Dataset,
    entropies: EntropyTable,
    max_parents: int,
    jobs: int = 1,
    reporter: Reporter | None = None,
) -> ScreeningForest:
    """The forest, and for its roots X, where there are any, sets S with H(X|S) within the threshold of the forest.

    One root after the other, the one with the least entropy first (ties to the lowest index), takes a set of at most
    `max_parents` variables, none of which descends from it: of the smallest such sets the one with the fewest joint
    states, ties to the lowest indices. `entropies` are those of `dataset`; sets are counted by `jobs` threads.
    """
    scorer = FamilyScorer(dataset, "ll")
    parents, scores = dict(forest.parents), dict(forest.scores)
    roots = [v for v in range(dataset.n_variables) if v not in parents]
    roots.sort(key=lambda root: (entropies.entropy[root], root))
    for done, root in enumerate(roots, start=1):
        limit = forest.header.extra["eps"] * (entropies.entropy[root] if forest.header.extra["relative"] else 1.0)
        allowed = _without_descendants(root, parents, dataset.n_variables)
        for size in range(1, max_parents + 1):
            found = _simplest_set(scorer, entropies, root, allowed, size, float(limit), jobs)
            if found is not None:
                parents[root], scores[root] = found
                break
        if reporter is not None:
            reporter.progress(done, len(roots), "roots")
    header = replace(forest.header, extra={**forest.header.extra, "max_parents": max_parents})
    return replace(forest, header=header, parents=parents, scores=scores)


def _without_descendants(root: int, parents: Mapping[int, Members], n_variables: int) -> np.ndarray:
    """The variables that neither are `root` nor descend from it; int32, ascending."""
    children = children_of([parents.get(v, ()) for v in range(n_variables)])
    is_above = np.ones(n_variables, dtype=np.bool_)
    waiting = [root]
    while waiting:
        variable = waiting.pop()
        if is_above[variable]:
            is_above[variable] = False
            waiting += children[variable]
    return np.flatnonzero(is_above).astype(np.int32)


def _simplest_set(
    scorer: FamilyScorer, entropies: EntropyTable, root: int, allowed: np.ndarray, size: int, limit: float, jobs: int
) -> tuple[Members, float] | None:
    """Of the sets S of `size` allowed variables with H(root|S) <= `limit` nats the one with the fewest joint states.

    Returns it with the local log-likelihood of its family; None if there is none.
    """
    n_rows = scorer.dataset.n_rows
    states = scorer.n_states.astype(np.float64)
    bases = list(itertools.combinations(allowed.tolist(), size - 1))

    def best_with(base: Members) -> tuple[float, Members, float] | None:
        others = allowed[allowed > base[-1]] if base else allowed
        others = others[_can_determine(entropies.conditional, root, base, others) <= limit + scorer.quantum]
        if not len(others):
            return None
        scores = scorer.expand(root, base, others)[others]
        within = -scores <= n_rows * limit + scorer.quantum
        joint = states[list(base)].prod() * states[others[within]]
        if not len(joint):
            return None
        k = int(joint.argmin())
        return float(joint[k]), (*base, int(others[within][k])), float(scores[within][k]) + 0.0

    found = [each for each in ordered_map(best_with, bases, jobs) if each is not None]
    return min(found)[1:] if found else None


def _can_determine(conditional: np.ndarray, root: int, base: Members, others: np.ndarray) -> np.ndarray:
    """Lower bounds on H(root | base and one of the `others`), from entropies of pairs; nats, shape (n_others,).

    H(X|S) >= H(X|Y) - the sum of H(Z|Y) over the other members Z, for each member Y.
    """
    bound = conditional[root, others] - conditional[np.ix_(np.array(base, dtype=np.int64), others)].sum(axis=0)
    for member in base:
        rest = [other for other in base if other != member]
        of_base = conditional[root, member] - conditional[rest, member].sum()
        np.maximum(bound, of_base - conditional[others, member], out=bound)
    return bound
