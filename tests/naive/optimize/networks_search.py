"""Optimal networks by brute force, and small random candidate tables to try searches on."""

from __future__ import annotations

import itertools
import math

import numpy as np

from formats.data_records import Variable
from formats.records import Header, ParentSetRecord, ParentSetTable

from .orders import best_within, lists_of, order_score


def make_table(sets_by_child, fixed=(), header=None):
    """A table from ``{child: {parents: score}}``; lists are sorted as the contract says."""
    n = len(sets_by_child)
    header = header or Header(tuple(Variable(f"V{i}") for i in range(n)))
    records = []
    for child in range(n):
        ranked = sorted(
            ((score, tuple(sorted(parents))) for parents, score in sets_by_child[child].items()),
            key=lambda entry: (-entry[0], len(entry[1]), entry[1]),
        )
        records.append(
            ParentSetRecord.of(child, tuple(p for _, p in ranked), tuple(s for s, _ in ranked), fixed=child in fixed)
        )
    return ParentSetTable.from_records(header, records)


def random_table(seed, n, max_parents=3, n_sets=8, n_fixed=0, ties=False):
    """Random lists: larger sets tend to score better, dominated ones are left out; fixed arcs go from a
    hidden order's earlier to its later variables. With `ties` scores are small integers.
    """
    rng = np.random.default_rng(seed)
    hidden = rng.permutation(n).tolist()
    fixed = set(rng.permutation(n)[:n_fixed].tolist())
    tables = {}
    for child in range(n):
        others = [v for v in range(n) if v != child]
        if child in fixed:
            before = hidden[: hidden.index(child)]
            size = int(rng.integers(0, min(2, len(before)) + 1))
            tables[child] = {tuple(rng.permutation(before)[:size].tolist()): -float(rng.integers(5, 30))}
            continue
        sets = {(): -50.0}
        for _ in range(n_sets):
            size = int(rng.integers(1, min(max_parents, n - 1) + 1)) if n > 1 else 0
            family = tuple(sorted(rng.permutation(others)[:size].tolist()))
            score = -50.0 + 8.0 * len(family) + rng.normal(0, 6)
            sets[family] = float(round(score)) if ties else float(score)
        sets = {p: s for p, s in sets.items() if not p or s > sets[()]}
        tables[child] = {
            p: s for p, s in sets.items() if not any(set(q) < set(p) and t >= s for q, t in sets.items())
        }
    return make_table(tables, fixed)


def best_by_orders(table):
    """Best score over all n! orders."""
    lists = lists_of(table)
    return max(order_score(lists, list(order)) for order in itertools.permutations(range(len(lists))))


def best_by_subsets(table):
    """Best score by dynamic programming: the best network on a set of variables has a sink among them."""
    lists = lists_of(table)
    n = len(lists)
    best = {frozenset(): 0.0}
    for size in range(1, n + 1):
        for members in itertools.combinations(range(n), size):
            whole = frozenset(members)
            best[whole] = max(
                (best[whole - {sink}] + best_within(lists, sink, whole - {sink})[0] for sink in members),
                default=-math.inf,
            )
    return best[frozenset(range(n))]
