"""Quasi-determinism screening: the forest of variables that one other variable all but determines.

Algorithm 1 of Rahier, Marié, Girard & Forbes (2018), with the ties and cycles it leaves open settled so that
the result is always a forest, and the number of roots as a function of the threshold. Learning on the roots
alone and adding the forest is their qds-BNSL.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from formats.records import EntropyTable, Forest, Header
from stages.runtime.errors import StageError

BLOCK_ELEMENTS = 2**22
"""Elements of the conditional entropies looked at together (32 MiB)."""


def screen_forest(
    entropies: EntropyTable, *, eps: float | None = None, roots: float | None = None, relative: bool = False
) -> Forest:
    """The simplest quasi-deterministic forest: each child has one parent Y with H(X|Y) <= `eps`.

    Parameters
    ----------
    entropies : EntropyTable
    eps : float, optional
        Largest conditional entropy of a child given its parent, in nats (with `relative` a share in [0, 1]).
    roots : float, optional
        Instead of `eps`: wanted share x of roots. The smallest eps that leaves at most floor(x n) is taken.
    relative : bool
        Compare H(X|Y) / H(X) instead of H(X|Y).

    Returns
    -------
    Forest
        ``header.extra`` has the resolved ``eps``, ``relative``, and ``roots`` as given. The score is ``ll``:
        -N H(X|Y) in nats, the family's maximised log-likelihood.

    Raises
    ------
    StageError
        If no threshold leaves so few roots.

    Notes
    -----
    Of X -> Y and Y -> X only the one with the smaller conditional entropy is admissible; on a tie the lower
    index becomes the child, as in the paper's loop. Among the admissible parents within `eps` a child takes the
    one with the fewest states; ties go to the smaller conditional entropy, then to the lower index. Should the
    choices close a cycle, its arc with the largest conditional entropy (then the largest child index) is dropped.

    A constant variable has H(X|Y) = 0 for every Y, so it is screened at any `eps`: under the next constant
    variable, which has fewest states of all, the last of them under a variable that is not constant. Only where
    all variables are constant does the last one stay a root.
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
    chosen = {child: int(parents[child]) for child in children}
    # Adding 0.0 turns -0.0 into 0.0.
    scores = {i: -entropies.rows * float(entropies.conditional[i, j]) + 0.0 for i, j in chosen.items()}
    return Forest(header, chosen, scores)


def root_curve(entropies: EntropyTable, relative: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Number of roots of the forest as a step function of the threshold.

    Parameters
    ----------
    entropies : EntropyTable
    relative : bool
        As in `screen_forest`.

    Returns
    -------
    eps : ndarray of float64, shape (n_steps,)
        Ascending from 0: the thresholds at which the number changes.
    n_roots : ndarray of int64, shape (n_steps,)
        Number of roots from ``eps[k]`` up to, but not at, ``eps[k + 1]``. Mostly falling; it can rise where a
        child changes to a parent with fewer states and thereby closes a cycle.
    """
    return _trace_roots(_find_choices(entropies, relative))


@dataclass(frozen=True, eq=False)
class _Choices:
    """Each child's best admissible parent for every number of states that parents have.

    As the threshold rises, a child changes its parent only for one with fewer states. So these few candidates
    decide the forest for every threshold, and the whole curve costs little more than one forest.

    Attributes
    ----------
    parents : ndarray of int64, shape (n_variables, n_sizes)
        Columns by ascending number of states of the parent; meaningless where the weight is infinite.
    weights : ndarray of float64, shape (n_variables, n_sizes)
        H(X|parent), or its share of H(X): the threshold from which the parent is available; inf without one.
    """

    parents: np.ndarray
    weights: np.ndarray

    def at(self, eps: float) -> tuple[np.ndarray, np.ndarray]:
        """Parents at one threshold, cycles not yet dropped: indices (-1 for none) and weights."""
        available = (self.weights <= eps) & np.isfinite(self.weights)
        rows = np.arange(len(available))
        first = available.argmax(axis=1)
        has_parent = available[rows, first]
        parents = np.where(has_parent, self.parents[rows, first], -1)
        return parents, np.where(has_parent, self.weights[rows, first], np.inf)


def _find_choices(entropies: EntropyTable, relative: bool) -> _Choices:
    n = len(entropies.entropy)
    sizes = np.unique(entropies.n_states)
    members = [np.flatnonzero(entropies.n_states == size) for size in sizes]
    parents = np.zeros((n, len(sizes)), dtype=np.int64)
    weights = np.full((n, len(sizes)), np.inf)
    step = max(1, BLOCK_ELEMENTS // max(n, 1))
    for start in range(0, n, step):
        block = slice(start, min(start + step, n))
        admissible = _admissible_weights(entropies, block, relative)
        rows = np.arange(admissible.shape[0])
        for column, candidates in enumerate(members):
            among = admissible[:, candidates]
            best = among.argmin(axis=1)
            parents[block, column] = candidates[best]
            weights[block, column] = among[rows, best]
    return _Choices(parents, weights)


def _admissible_weights(entropies: EntropyTable, block: slice, relative: bool) -> np.ndarray:
    """Weight of every parent for the children of `block`, infinite where the opposite arc is preferred."""
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
    n = len(choices.parents)
    # 0.29 * 100 is 28.999...: the small addition restores what the user means.
    wanted = math.floor(roots * n + 1e-9)
    eps, n_roots = _trace_roots(choices)
    reached = n_roots <= wanted
    if not reached.any():
        fewest = int(n_roots.min())
        raise StageError(
            f"no threshold leaves at most {wanted} of {n} variables as roots\n"
            f"  ask for a share of at least {_round_up(fewest / n)}, which leaves {fewest}"
        )
    return float(eps[reached.argmax()])


def _round_up(share: float) -> float:
    return math.ceil(share * 10_000) / 10_000


def _trace_roots(choices: _Choices) -> tuple[np.ndarray, np.ndarray]:
    forest = _ChangingForest(len(choices.parents))
    curve: list[tuple[float, int]] = []
    for eps, children, parents in _parent_changes(choices):
        for child, parent in zip(children, parents):
            forest.set_parent(child, parent)
        if not curve or forest.n_roots != curve[-1][1]:
            curve.append((eps, forest.n_roots))
    return np.array([eps for eps, _ in curve]), np.array([count for _, count in curve], dtype=np.int64)


def _parent_changes(choices: _Choices) -> Iterator[tuple[float, list[int], list[int]]]:
    """Yield (eps, children, their new parents) by ascending threshold, beginning with 0."""
    # A parent is ever chosen only if no parent with fewer states is available at the same threshold or before.
    before = np.minimum.accumulate(choices.weights, axis=1)
    used = np.isfinite(choices.weights)
    used[:, 1:] &= choices.weights[:, 1:] < before[:, :-1]
    children, columns = np.nonzero(used)
    weights = choices.weights[children, columns]
    order = np.argsort(weights, kind="stable")
    weights, children = weights[order], children[order]
    parents = choices.parents[children, columns[order]]
    starts = np.flatnonzero(np.diff(weights, prepend=-1.0) > 0)
    if not len(weights) or weights[0] > 0:
        yield 0.0, [], []
    for start, stop in zip(starts, np.r_[starts[1:], len(weights)]):
        yield float(weights[start]), children[start:stop].tolist(), parents[start:stop].tolist()


class _ChangingForest:
    """Counts roots while parents are set one after the other: variables without parent plus cycles.

    Every cycle loses one arc, so it stands for one root. A variable has one parent, hence is on one cycle at
    most, and cycles are found by walking up from the new parent.
    """

    def __init__(self, n_variables: int):
        self.n_roots = n_variables
        self.parents = [-1] * n_variables
        self.cycle_of = [-1] * n_variables
        """Child whose new parent closed the cycle that the variable is on; -1 for none."""

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
    unseen, on_path, done = 0, 1, 2
    state = [unseen] * len(parents)
    parent_of = parents.tolist()
    weakest = []
    for start in range(len(parent_of)):
        path = []
        variable = start
        while variable >= 0 and state[variable] == unseen:
            state[variable] = on_path
            path.append(variable)
            variable = parent_of[variable]
        if variable >= 0 and state[variable] == on_path:
            cycle = path[path.index(variable) :]
            weakest.append(max(cycle, key=lambda i: (weights[i], i)))
        for variable in path:
            state[variable] = done
    return weakest
