"""Algorithm 1 of Rahier et al. (2018) step by step on sets, and cycles removed one arc at a time."""

from __future__ import annotations

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
