"""Rows of a proof within a treewidth: what each says about the cliques of a k-tree, and why it holds.

A network of treewidth at most K on n > K variables has a k-tree G, with k = K, that contains its moral graph
(Arnborg, Corneil and Proskurowski 1987). z[Q] is 1 if the variables Q are a clique of G, else 0; it is 1 for fewer
than two variables. The link of a clique J of at most K variables, the other variables adjacent to all of J with the
edges among them, is a k-tree with k = K - |J|. A k-tree on m >= k variables has k m - k (k + 1) / 2 edges, and any m
of its variables have no more among them. A clique of more than K + 1 variables has z = 0.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, pairwise

from formats.proof_records import WidthRow

Clique = tuple[int, ...]


def weights_of_cliques(row: WidthRow, n_variables: int, treewidth: int) -> tuple[dict[Clique, int], int]:
    """Weights of cliques of two variables or more, and the demand: with the weights of sets (of `joined`) the sum is
    at least that in every network and each of its k-trees.
    """
    weights: defaultdict[Clique, int] = defaultdict(int)
    demand = _WEIGHTS[row.kind](row, n_variables, treewidth, weights)
    # Fewer than two variables are a clique.
    demand -= sum(weight for clique, weight in weights.items() if len(clique) < 2)
    sign = -1 if row.reversed else 1
    return {q: sign * weight for q, weight in weights.items() if len(q) >= 2}, sign * demand


def _with(clique: Clique, *more: int) -> Clique:
    return tuple(sorted((*clique, *more)))


def _others(row: WidthRow, n_variables: int) -> list[int]:
    return [v for v in range(n_variables) if v not in row.of]


def _joined(row: WidthRow, _n: int, _treewidth: int, weights: defaultdict[Clique, int]) -> int:
    """Two variables with all the others as parents are parents of each other, so one set at most counts; variable and
    parents are a clique of the moral graph.
    """
    weights[row.within] += 1
    return 0


def _part(row: WidthRow, _n: int, _treewidth: int, weights: defaultdict[Clique, int]) -> int:
    """Part of a clique is a clique."""
    weights[row.within] += 1
    weights[row.of] -= 1
    return 0


def _link(row: WidthRow, _n: int, treewidth: int, weights: defaultdict[Clique, int]) -> int:
    """If J is no clique, all is zero. Else m of the variables are in its link, with at most k m - k (k + 1) / 2 edges
    if m >= k, else m (m - 1) / 2; and the roots among them lessen k m by at most k + (k - 1) + ..., min(k, m) terms.
    """
    k = treewidth - len(row.of)
    for a, b in combinations(row.among, 2):
        weights[_with(row.of, a, b)] -= 1
    for a in row.among:
        weights[_with(row.of, a)] += k
    for less, root in zip(range(k, 0, -1), row.roots):
        weights[_with(row.of, root)] -= less
    return 0


def _degree(row: WidthRow, n: int, treewidth: int, weights: defaultdict[Clique, int]) -> int:
    """The edges of the link of J, a k-tree on m >= k variables, number k m - k (k + 1) / 2."""
    k, others = treewidth - len(row.of), _others(row, n)
    for a, b in combinations(others, 2):
        weights[_with(row.of, a, b)] += 1
    for a in others:
        weights[_with(row.of, a)] -= k
    weights[row.of] += k * (k + 1) // 2
    return 0


def _extended(row: WidthRow, n: int, treewidth: int, weights: defaultdict[Clique, int]) -> int:
    """Every clique of a k-tree is part of one of K + 1 variables."""
    for a in _others(row, n):
        weights[_with(row.of, a)] += 1
    weights[row.of] -= treewidth + 1 - len(row.of)
    return 0


def _chord(row: WidthRow, _n: int, _treewidth: int, weights: defaultdict[Clique, int]) -> int:
    """A k-tree is chordal: an edge of a cycle is in a triangle with another variable of it."""
    first, *inner, last = row.of
    weights[_with((), first, last)] -= 1
    for a, b in pairwise(row.of):
        weights[_with((), a, b)] -= 1
    for c in inner:
        weights[_with((), first, last, c)] += 1
    return 1 - len(row.of)


_WEIGHTS = {
    "joined": _joined,
    "part": _part,
    "link": _link,
    "degree": _degree,
    "extended": _extended,
    "chord": _chord,
}
