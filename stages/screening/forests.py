"""Quasi-determinism screening: the forest of variables that are each nearly determined by another one.

Algorithm 1 of Rahier, Marié, Girard & Forbes (2018), with rules for ties and cycles, so that the result is always a
forest; and the number of roots as a function of the threshold. Their qds-BNSL learns a network on the roots alone and
adds the forest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from formats.records import EntropyTable, Header, ScreeningForest
from stages.graphs import strongly_connected_components
from stages.runtime.budgets import slices
from stages.runtime.errors import StageError

BLOCK_ELEMENTS = 2**20
"""Conditional entropies processed together (8 MiB, and a few times that for sorting)."""


def screen_forest(
    entropies: EntropyTable, *, eps: float | None = None, roots: float | None = None, relative: bool = False
) -> ScreeningForest:
    """The simplest quasi-deterministic forest: each child has one parent Y with H(X|Y) <= `eps`.

    ``header.extra`` has the resulting ``eps``, ``relative``, and ``roots`` as given. The score is ``ll``: -N H(X|Y)
    in nats, the family's maximised log-likelihood. Raises `StageError` if no threshold gives at most the wanted
    number of roots.

    Among X -> Y and Y -> X only the arc with the smaller conditional entropy is admissible; in a tie the lower index
    is the child, as in the paper's loop. Among the admissible parents within `eps`, a child takes the one with the
    fewest states, ties to the lowest index, as in the paper's figures. In a cycle, the arc with the largest
    conditional entropy (then the largest child index) is dropped.

    A constant variable has H(X|Y) = 0 for every Y, so it is screened at any `eps`. Its parent is the next constant
    variable, since that has the fewest states; the parent of the last constant variable is a non-constant one, if
    there is one. `eps` is the largest conditional entropy of a child given its parent, in nats; with `relative` it is
    a limit on H(X|Y) / H(X), a share in [0, 1]. In its place, `roots` gives a share x of roots; eps is then the
    smallest value with at most floor(x n) roots.
    """
    if (eps is None) == (roots is None):
        raise ValueError("give either eps or roots")
    choices = _find_choices(entropies, relative)
    if roots is not None:
        eps = _smallest_eps(choices, roots)
    assert eps is not None
    if not eps >= 0:
        raise ValueError("eps must be 0 or more")
    parents, weights = choices.at(eps)
    for child in _weakest_arcs(parents, weights):
        parents[child] = -1
    children = np.flatnonzero(parents >= 0).tolist()
    header = Header(
        entropies.variables,
        score="ll",
        rows=entropies.rows,
        data=entropies.fingerprint,
        extra={"eps": float(eps), "relative": relative, "roots": roots},
    )
    chosen: dict[int, tuple[int, ...]] = {child: (int(parents[child]),) for child in children}
    # Adding 0.0 turns -0.0 into 0.0.
    rows = entropies.rows_of
    scores = {i: -int(rows[i]) * float(entropies.conditional[i, parents[i]]) + 0.0 for i in children}
    return ScreeningForest(header, chosen, scores)


def root_curve(entropies: EntropyTable, relative: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Number of roots of the forest as a step function of the threshold.

    `relative` is as in `screen_forest`. Returns the thresholds at which the number changes (float64, ascending from
    0), and the number of roots in [``eps[k]``, ``eps[k + 1]``) (int64). It can rise where a child changes to a parent
    with fewer states and so closes a cycle.
    """
    return _trace_roots(_find_choices(entropies, relative))


@dataclass(frozen=True, eq=False)
class _Choices:
    """Changes of parents while the threshold rises.

    A child changes only to a parent with fewer states, or as many and a lower index. There are few changes, and they
    determine the forest of every threshold: the whole curve costs little more than one forest.
    """

    n_variables: int
    # float64, shape (n_changes,): H(X|parent), or its share of H(X), ascending: the threshold of the change.
    weights: np.ndarray
    # `children`, `parents`: int64, shape (n_changes,): a later entry of a child replaces earlier ones.
    children: np.ndarray
    parents: np.ndarray

    def at(self, eps: float) -> tuple[np.ndarray, np.ndarray]:
        """Parents at one threshold, cycles included: indices (-1 for none) and weights."""
        n_changes = int(np.searchsorted(self.weights, eps, side="right"))
        last = np.full(self.n_variables, -1, dtype=np.int64)
        np.maximum.at(last, self.children[:n_changes], np.arange(n_changes))
        parents = np.full(self.n_variables, -1, dtype=np.int64)
        weights = np.full(self.n_variables, np.inf)
        has_parent = last >= 0
        parents[has_parent] = self.parents[last[has_parent]]
        weights[has_parent] = self.weights[last[has_parent]]
        return parents, weights


def _find_choices(entropies: EntropyTable, relative: bool) -> _Choices:
    n = len(entropies.entropy)
    by_rank = np.lexsort((np.arange(n), entropies.n_states))
    rank = np.empty(n, dtype=np.int64)
    rank[by_rank] = np.arange(n)
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    step = max(1, BLOCK_ELEMENTS // max(n, 1))
    for start, end in slices(n, step):
        block = slice(start, end)
        admissible = _admissible_weights(entropies, block, relative)
        by_weight = np.argsort(admissible, axis=1, kind="stable")
        weights = np.take_along_axis(admissible, by_weight, axis=1)
        ranks = np.where(np.isfinite(weights), rank[by_weight], n)
        # In the order of ascending weight, a child changes its parent exactly where the rank falls below all earlier
        # ranks.
        before = np.minimum.accumulate(np.pad(ranks, ((0, 0), (1, 0)), constant_values=n), axis=1)[:, :-1]
        rows, columns = np.nonzero(ranks < before)
        found.append((weights[rows, columns], rows + start, by_rank[ranks[rows, columns]]))
    weights, children, parents = (np.concatenate(arrays) for arrays in zip(*found))
    order = np.argsort(weights, kind="stable")
    return _Choices(n, weights[order], children[order], parents[order])


def _admissible_weights(entropies: EntropyTable, block: slice, relative: bool) -> np.ndarray:
    """Weight of every parent for the children of `block`, infinite if the opposite arc is admissible instead."""
    children = np.arange(block.start, block.stop)
    everyone = np.arange(len(entropies.entropy))
    weights = entropies.conditional[block].copy()
    opposite = entropies.conditional[:, block].T.copy()
    if relative:
        weights = _shares(weights, entropies.entropy[block, None])
        opposite = _shares(opposite, entropies.entropy)
    excluded = (weights > opposite) | ((weights == opposite) & (children[:, None] >= everyone))
    weights[excluded] = np.inf
    return weights


def _shares(conditional: np.ndarray, entropy: np.ndarray) -> np.ndarray:
    """H(X|Y) / H(X), 0 for a constant X."""
    return conditional / np.where(entropy > 0, entropy, np.inf)


def _smallest_eps(choices: _Choices, roots: float) -> float:
    if not 0 <= roots <= 1:
        raise ValueError("the share of roots must lie between 0 and 1")
    n = choices.n_variables
    # In floating point 0.29 * 100 is 28.999...
    wanted = math.floor(roots * n + 1e-9)
    eps, n_roots = _trace_roots(choices)
    reached = n_roots <= wanted
    if not reached.any():
        fewest = int(n_roots.min())
        raise StageError(
            f"no threshold leaves at most {wanted} of {n} variables as roots\n"
            f"  ask for a share of at least {math.ceil(fewest / n * 10_000) / 10_000}, which leaves {fewest}"
        )
    return float(eps[reached.argmax()])


def _trace_roots(choices: _Choices) -> tuple[np.ndarray, np.ndarray]:
    forest = _ChangingForest(choices.n_variables)
    curve: list[tuple[float, int]] = []
    for eps, children, parents in _parent_changes(choices):
        for child, parent in zip(children, parents):
            forest.set_parent(child, parent)
        if not curve or forest.n_roots != curve[-1][1]:
            curve.append((eps, forest.n_roots))
    return np.array([eps for eps, _ in curve]), np.array([count for _, count in curve], dtype=np.int64)


def _parent_changes(choices: _Choices) -> Iterator[tuple[float, list[int], list[int]]]:
    """Yield (eps, children, their new parents) by ascending threshold, beginning with 0."""
    weights, children, parents = choices.weights, choices.children, choices.parents
    starts = np.flatnonzero(np.diff(weights, prepend=-1.0) > 0)
    if not len(weights) or weights[0] > 0:
        yield 0.0, [], []
    for start, stop in zip(starts, np.r_[starts[1:], len(weights)]):
        yield float(weights[start]), children[start:stop].tolist(), parents[start:stop].tolist()


class _ChangingForest:
    """The number of roots, updated incrementally: variables without a parent, plus cycles.

    Every cycle will lose one arc, so it gives one root. A variable has one parent, so it is on at most one cycle. A
    new cycle is found by following parents from the new one.
    """

    def __init__(self, n_variables: int):
        self.n_roots = n_variables
        self.parents = [-1] * n_variables
        self.cycle_of = [-1] * n_variables
        """Child whose new parent closed the variable's cycle; -1 for none."""

    def set_parent(self, child: int, parent: int) -> None:
        if self.parents[child] < 0 or self.cycle_of[child] >= 0:
            self.n_roots -= 1
        if self.cycle_of[child] >= 0:
            self._mark_cycle(child, -1)
        self.parents[child] = parent
        variable = parent
        while variable >= 0 and variable != child and self.cycle_of[variable] < 0:
            variable = self.parents[variable]
        if variable == child:
            self._mark_cycle(child, child)
            self.n_roots += 1

    def _mark_cycle(self, start: int, mark: int) -> None:
        self.cycle_of[start] = mark
        variable = self.parents[start]
        while variable != start:
            self.cycle_of[variable] = mark
            variable = self.parents[variable]


def _weakest_arcs(parents: np.ndarray, weights: np.ndarray) -> list[int]:
    """The child of the heaviest arc of every cycle."""
    # Each variable has at most one parent: a component of several variables is a cycle.
    components = strongly_connected_components([[parent] if parent >= 0 else [] for parent in parents.tolist()])
    return [max(cycle, key=lambda i: (weights[i], i)) for cycle in components if len(cycle) > 1]
