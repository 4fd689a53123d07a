"""Algorithm 1 of Rahier et al. (2018) step by step on sets, and cycles removed one arc at a time."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence


def measure(conditional: Sequence[Sequence[float]], entropy: Sequence[float], relative: bool):
    """What the threshold is compared with: H(X_i|X_j), or its share of H(X_i) (0 for a constant)."""
    n = len(entropy)
    if not relative:
        return [list(map(float, line)) for line in conditional]
    return [
        [float(conditional[i][j]) / float(entropy[i]) if entropy[i] > 0 else 0.0 for j in range(n)] for i in range(n)
    ]


def find_cycle(parents: dict[int, int]) -> list[int] | None:
    """Variables of one cycle, None if there is none."""
    for start in parents:
        path = [start]
        while path[-1] in parents and parents[path[-1]] not in path:
            path.append(parents[path[-1]])
        if path[-1] in parents:
            return path[path.index(parents[path[-1]]) :]
    return None


def screen(weights: Sequence[Sequence[float]], n_states: Sequence[int], eps: float) -> dict[int, int]:
    """The forest as a dictionary from child to parent; `weights[i][j]` is the measure of i given j."""
    n = len(n_states)
    candidates = [{j for j in range(n) if j != i and weights[i][j] <= eps} for i in range(n)]
    for i in range(n):
        for j in sorted(candidates[i]):
            if i in candidates[j]:
                if weights[i][j] <= weights[j][i]:
                    candidates[j].remove(i)
                else:
                    candidates[i].remove(j)
    parents = {i: min(candidates[i], key=lambda j: (n_states[j], j)) for i in range(n) if candidates[i]}
    while cycle := find_cycle(parents):
        del parents[max(cycle, key=lambda i: (weights[i][parents[i]], i))]
    return parents


def spanning_tree_information(entropy: Sequence[float], conditional: Sequence[Sequence[float]]) -> list[float]:
    """Mutual information H(X) - H(X|Y) along the arcs of a Chow-Liu tree, which maximises its sum, by Prim's rule."""
    reached, kept = {0}, []
    while len(reached) < len(entropy):
        outside = [v for v in range(len(entropy)) if v not in reached]
        gain, _, new = max((entropy[v] - conditional[v][u], u, v) for u in reached for v in outside)
        reached.add(new)
        kept.append(float(gain))
    return kept


def conditional_entropy(rows: Sequence[Sequence[int]], child: int, members: Sequence[int]) -> float:
    """H(child | members) in nats, from the rows."""
    together = Counter((tuple(row[m] for m in members), row[child]) for row in rows)
    alone = Counter(tuple(row[m] for m in members) for row in rows)
    return -sum(count * math.log(count / alone[key]) for (key, _), count in together.items()) / len(rows)


def determining_sets(
    rows: Sequence[Sequence[int]],
    n_states: Sequence[int],
    forest: dict[int, tuple[int, ...]],
    eps: float,
    max_parents: int,
    relative: bool = False,
) -> dict[int, tuple[int, ...]]:
    """The forest, and sets for its roots, the one with the least entropy first; smallest, then simplest sets."""
    parents = dict(forest)
    n = len(n_states)
    entropy = [conditional_entropy(rows, v, ()) for v in range(n)]
    for root in sorted(set(range(n)) - set(forest), key=lambda v: (round(entropy[v], 9), v)):
        above = {v for v in range(n) if v != root and root not in ancestors_of(parents, v)}
        limit = eps * (entropy[root] if relative else 1) + 1e-9
        fitting = [
            (size, math.prod(n_states[m] for m in members), members)
            for size in range(1, max_parents + 1)
            for members in itertools.combinations(sorted(above), size)
            if conditional_entropy(rows, root, members) <= limit
        ]
        if fitting:
            parents[root] = min(fitting)[2]
    return parents


def ancestors_of(parents: dict[int, tuple[int, ...]], variable: int) -> set[int]:
    """Variables with a path to this one."""
    found: set[int] = set()
    waiting = [variable]
    while waiting:
        new = set(parents.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found
