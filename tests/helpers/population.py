"""The large-sample limit of a score: a scorer that knows the distribution instead of data."""

from __future__ import annotations

import itertools
import math

import numpy as np
from helpers.tables import make_dataset
from naive.independence import are_separated

from stages.scoring.scores import SCORES


def joint_distribution(parents, tables) -> np.ndarray:
    """Probabilities of all states, one axis per variable; ``tables[v]`` has the axes (parents ascending, v)."""
    n = len(parents)
    joint = np.ones(tuple(table.shape[-1] for table in tables))
    for v in range(n):
        axes = [*sorted(parents[v]), v]
        shape = [joint.shape[i] if i in axes else 1 for i in range(n)]
        joint = joint * np.transpose(tables[v], np.argsort(axes)).reshape(shape)
    return joint


def random_distribution(seed: int, n_variables: int, density: float):
    """A random graph with binary tables bounded away from 0 and 1; returns (parents, joint)."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_variables).tolist()
    parents = [set() for _ in range(n_variables)]
    for place, child in enumerate(order):
        for earlier in order[:place]:
            if rng.random() < density and len(parents[child]) < 3:
                parents[child].add(earlier)
    tables = []
    for v in range(n_variables):
        share = rng.uniform(0.05, 0.95, size=(2,) * len(parents[v]))
        tables.append(np.stack([share, 1 - share], axis=-1))
    return parents, joint_distribution(parents, tables)


def weakest_dependence(parents, joint: np.ndarray) -> float:
    """Smallest conditional mutual information (nats) of two variables that the graph leaves dependent."""
    n = len(parents)
    weakest = math.inf
    for one, other in itertools.combinations(range(n), 2):
        rest = [v for v in range(n) if v not in (one, other)]
        for size in range(n - 1):
            for given in itertools.combinations(rest, size):
                if not are_separated(parents, one, other, given):
                    with_one, with_other = entropy(joint, (one, *given)), entropy(joint, (other, *given))
                    both, none = entropy(joint, (one, other, *given)), entropy(joint, given)
                    weakest = min(weakest, with_one + with_other - both - none)
    return weakest


def entropy(joint: np.ndarray, variables) -> float:
    """Entropy of some variables in nats."""
    others = tuple(i for i in range(joint.ndim) if i not in variables)
    p = joint.sum(axis=others).ravel()
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


class PopulationScorer:
    """BIC on `n_rows` rows that follow a distribution exactly; offers what hill climbing asks of a FamilyScorer."""

    score = "bic"
    definition = SCORES["bic"]
    is_equivalent = True
    quantum = 2.0**-22
    gains = None

    def __init__(self, joint: np.ndarray, n_rows: float = 1e8):
        self.joint, self.n_rows = joint, n_rows
        self.n_variables = joint.ndim
        self.n_states = np.array(joint.shape, dtype=np.int32)
        self.dataset = make_dataset(np.zeros((joint.ndim, 1)), list(joint.shape))
        self._scores = {}

    def of_child(self, child: int) -> PopulationScorer:
        """All families follow the one distribution."""
        return self

    def local_score(self, child: int, parents: tuple[int, ...]) -> float:
        """N times minus the conditional entropy, less the penalty."""
        key = child, tuple(sorted(parents))
        if key not in self._scores:
            unexplained = entropy(self.joint, (child, *parents)) - entropy(self.joint, parents)
            value = -self.n_rows * unexplained - self.penalty(child) * self.n_configurations(parents)
            self._scores[key] = round(value / self.quantum) * self.quantum
        return self._scores[key]

    def expand(self, child, parents, candidates):
        """Scores of the set with each candidate."""
        out = np.full(self.n_variables, -np.inf)
        for y in candidates.tolist():
            out[y] = self.local_score(child, (*parents, y))
        return out

    def penalty(self, child: int) -> float:
        """Penalty per parent configuration."""
        return math.log(self.n_rows) / 2 * (int(self.n_states[child]) - 1)

    def n_configurations(self, parents) -> float:
        """Product of the parents' states."""
        return float(math.prod(int(self.n_states[p]) for p in parents))

    @property
    def row_entropies(self) -> np.ndarray:
        """N H(X) of every variable."""
        return np.array([self.n_rows * entropy(self.joint, (v,)) for v in range(self.n_variables)])
