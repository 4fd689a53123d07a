"""Rows about cliques: they hold in every network and each of its k-trees, and both checkers count the same."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from naive.optimize.ktrees import all_ktrees
from naive.optimize.networks_search import make_table, random_table

from formats.proof_records import Node, Proof, WidthRow, digest_of_sets
from stages.evaluate.proof_checking import ProofChecker

from .test_proof_mutations import load_plain

N = 6


def random_row(rng: np.random.Generator) -> WidthRow:
    """A row of any kind that both checkers take, sensible or not."""
    kind = rng.choice(["joined", "part", "link", "degree", "extended", "chord"])
    order = rng.permutation(N).tolist()
    if kind == "chord":
        return WidthRow(kind, tuple(order[: rng.integers(3, N + 1)]))
    size = int(rng.integers(0, 5))
    of, others = tuple(sorted(order[:size])), order[size:]
    if kind in ("joined", "part"):
        return WidthRow(kind, of, within=tuple(sorted(of[: rng.integers(0, size + 1)])))
    if kind == "link":
        among = others[: rng.integers(0, len(others) + 1)]
        roots = tuple(among[: rng.integers(0, len(among) + 1)])
        return WidthRow(kind, of, among=tuple(sorted(among)), roots=roots)
    return WidthRow(kind, of, reversed=bool(kind == "degree" and rng.random() < 0.5))


def random_network(rng: np.random.Generator, edges: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Parents whose moral graph has only these edges: each family is a clique of them."""
    order, parents = rng.permutation(N).tolist(), [()] * N
    for place, child in enumerate(order):
        own: list[int] = []
        for p in rng.permutation(order[:place]).tolist():
            if all(tuple(sorted((p, q))) in edges for q in (*own, child)):
                own.append(p)
        parents[child] = tuple(sorted(own))
    return parents


@pytest.mark.parametrize("treewidth", [1, 2, 3, 4])
def test_rows_hold_in_every_network_and_ktree(treewidth: int):
    rng = np.random.default_rng(treewidth)
    rows = list(dict.fromkeys(random_row(rng) for _ in range(400)))
    others = [[w for w in range(N) if w != v] for v in range(N)]
    table = make_table({v: {own: -1.0 for k in range(N) for own in combinations(others[v], k)} for v in range(N)})
    proof = Proof(
        table.header, digest_of_sets(table), 40, 0, None, tuple(rows), (Node(-1, (), ()),), treewidth, tuple(range(N))
    )
    checker = ProofChecker(proof, table)
    number = {
        (v, table.parent_set(s)): s for v in range(N) for s in range(table.set_offsets[v], table.set_offsets[v + 1])
    }
    is_tight = np.zeros(len(rows), dtype=np.bool_)
    ktrees = list(all_ktrees(N, treewidth))
    for _ in range(150):
        edges = {tuple(sorted(edge)) for edge in ktrees[rng.integers(len(ktrees))]}
        network = random_network(rng, edges)
        taken = {number[v, own] for v, own in enumerate(network)}
        for clique, choice in checker._chosen.items():
            if all(pair in edges for pair in combinations(clique, 2)):
                taken.add(choice)
        for k, (choices, weights, demand) in enumerate(checker._cuts):
            total = sum(w for c, w in zip(choices.tolist(), weights.tolist()) if c in taken)
            assert total >= demand, rows[k]
            is_tight[k] |= total == demand
    assert is_tight.mean() > 0.5


def test_both_checkers_count_the_same():
    plain, rng = load_plain(), np.random.default_rng(7)
    table = random_table(1, N, 3, 12)
    lists = [
        [(frozenset(table.parent_set(s)), 0.0) for s in range(table.set_offsets[v], table.set_offsets[v + 1])]
        for v in range(N)
    ]
    for treewidth in (2, 3, 4):
        rows = tuple(random_row(rng) for _ in range(300))
        proof = Proof(
            table.header, digest_of_sets(table), 40, 0, None, rows, (Node(-1, (), ()),), treewidth, tuple(range(N))
        )
        checker = ProofChecker(proof, table)
        clique_of = {choice: frozenset(clique) for clique, choice in checker._chosen.items()}
        places: dict = {}
        for row, (choices, weights, demand) in zip(rows, checker._cuts):
            written = {row.kind: list(row.of), "among": list(row.among), "roots": list(row.roots)}
            written |= {"within": list(row.within), "reversed": row.reversed}
            if row.kind != "link":
                del written["among"]
            found, needed = plain.count_row(written, row.kind, lists, treewidth, places)
            names = {place: clique for clique, place in places.items()}
            theirs = {names.get(v, int(table.set_offsets[min(v, N)]) + s): w for (v, s), w in found.items() if w}
            ours = {clique_of.get(c, c): w for c, w in zip(choices.tolist(), weights.tolist()) if w}
            assert (theirs, needed) == (ours, demand), row
