"""Differences of two graphs, against a plain reading of each pair."""

from __future__ import annotations

import random
from itertools import combinations

from formats.graph_records import ADDED, MISSING, ONE_SIDED, REVERSED, Arc
from stages.evaluate.differences import differences, pairs_of


def graph(rng: random.Random) -> tuple[list[tuple[int, ...]], list[Arc]]:
    """The parents of five variables, and arcs without a direction."""
    order = rng.sample(range(5), 5)
    parents = [tuple(sorted(p for p in order[: order.index(v)] if rng.random() < 0.4)) for v in range(5)]
    arcs = [(p, child) for child, family in enumerate(parents) for p in family]
    return parents, [rng.choice((arc, arc[::-1])) for arc in arcs if rng.random() < 0.3]


def said_of(a: int, b: int, parents: list[tuple[int, ...]], undecided: list[Arc]) -> Arc | str:
    """The arc of a pair, or what there is in place of one."""
    if a not in parents[b] and b not in parents[a]:
        return "none"
    if (a, b) in undecided or (b, a) in undecided:
        return "loose"
    return (a, b) if a in parents[b] else (b, a)


def expected(first: Arc | str, second: Arc | str) -> str:
    if first == second:
        return ""
    if "none" in (first, second):
        return ADDED if second == "none" else MISSING
    return ONE_SIDED if "loose" in (first, second) else REVERSED


def test_each_pair_by_what_each_graph_says_of_it():
    rng = random.Random(1)
    for _ in range(30):
        graphs = graph(rng), graph(rng)
        found = {frozenset(each.arc): each for each in differences(*(pairs_of(*each, range(5)) for each in graphs))}
        for a, b in combinations(range(5), 2):
            first, second = (said_of(a, b, *each) for each in graphs)
            if first == second == "none":
                assert frozenset((a, b)) not in found
                continue
            arc, is_undirected, mark = found[frozenset((a, b))]
            assert mark == expected(first, second) and is_undirected == ("loose" in (first, second))
            assert is_undirected or arc == (second if first == "none" else first)


def test_variables_are_matched_by_number():
    assert pairs_of(((), (0,), (1,)), [(2, 1)], [2, 0, 1]) == {(0, 2): (2, 0), (0, 1): None}
