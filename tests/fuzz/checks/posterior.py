"""`bnsl posterior --exact`: probabilities of arcs, ancestors and patterns against a sum over all networks."""

from __future__ import annotations

import csv
import functools
import itertools
import json
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from naive.networks import Parents, all_networks
from naive.posterior import ancestors, n_orders

from .networks import Lists, header
from .program import Case, expect, expect_close

MOST_VARIABLES = 4

TOLERANCE = 1e-7
"""Of probabilities: scores are wrong by 1e-9 relative to their size, thousands of nats."""


@functools.cache
def _networks(n: int) -> list[tuple[Parents, float, np.ndarray, np.ndarray]]:
    """Every network, the logarithm of its number of orders, its arcs and ancestors as matrices [parent, child]."""
    found = []
    for parents in all_networks(n):
        arcs, above = np.zeros((n, n)), np.zeros((n, n))
        for child, (family, over) in enumerate(zip(parents, ancestors(parents))):
            arcs[list(family), child] = above[list(over), child] = 1.0
        found.append((parents, math.log(n_orders(parents)), arcs, above))
    return found


class Drawn(NamedTuple):
    """Lists and constraints, and the command line that names them."""

    line: list[object]
    names: tuple[str, ...]
    lists: Lists
    prior: str
    forbidden: set[tuple[int, int]]

    @property
    def n_variables(self) -> int:
        return len(self.names)


def draw_case(case: Case, prior: str) -> Drawn:
    """Lists of the table's own scores, or random ones, under random constraints."""
    rng, table = case.rng, case.table
    if table.n_variables > MOST_VARIABLES:
        table = table.select(rng.sample(range(table.n_variables), rng.randint(2, MOST_VARIABLES)))
    n = table.n_variables
    score = rng.choice(("bdeu", "k2", "bic"))
    lists = _draw_lists(case, table.n_variables, score, [case.table.names.index(name) for name in table.names])
    lines = [header(table, "parentsets", score=score, rows=table.n_rows, **({"ess": 1.0} if score == "bdeu" else {}))]
    for child, sets in enumerate(lists):
        ordered = sorted(sets, key=lambda s: (-sets[s], len(s), s))
        lines.append({"child": child, "parents": list(map(list, ordered)), "scores": [sets[s] for s in ordered]})
    path = case.write("posterior.sets.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    line: list[object] = ["posterior", path, "--prior", prior, "--format", "csv"]
    forbidden: set[tuple[int, int]] = set()
    if n > 1 and case.chance(0.3):
        forbidden = {tuple(rng.sample(range(n), 2)) for _ in range(rng.randint(1, 3))}
        for parent, child in sorted(forbidden):
            line += ["--forbid", f"{table.names[parent]}->{table.names[child]}"]
    return Drawn(line, table.names, lists, prior, forbidden)


def check(case: Case) -> None:
    """Exact probabilities of arcs, and often of ancestors and patterns."""
    rng, prior = case.rng, case.rng.choice(("dags", "orders"))
    drawn = draw_case(case, prior)
    line, names, n = [*drawn.line, "--exact"], drawn.names, drawn.n_variables
    with_ancestors = prior == "dags" and case.chance(0.4)
    if with_ancestors:
        line += ["--features", "ancestors"]
    patterns = []
    if n > 1 and case.chance(0.3):
        patterns = [_draw_pattern(case, n) for _ in range(rng.randint(1, 3))]
        text = "".join(_pattern_text(pattern, names) + "\n" for pattern in patterns)
        line += ["--patterns", case.write("patterns.txt", text), "--answers", case.folder / "answers.csv"]
    answer = case.run(*line)
    members = weigh(drawn)
    weights = np.array([weight for weight, _, _ in members])
    arcs, above = (np.tensordot(weights, np.array([m[i] for m in members]), 1) for i in (1, 2))
    _compare(answer.rows(), names, arcs, above if with_ancestors else None)
    if patterns:
        with (case.folder / "answers.csv").open() as file:
            reported = [float(row["probability"]) for row in csv.DictReader(file)]
        expect(len(reported) == len(patterns), f"{len(reported)} answers to {len(patterns)} patterns")
        for pattern, probability in zip(patterns, reported):
            expected = math.fsum(w for w, a, _ in members if _holds(pattern, a))
            expect_close(probability, expected, _pattern_text(pattern, names), TOLERANCE)


def _draw_lists(case: Case, n: int, score: str, columns: Sequence[int]) -> Lists:
    """Some or all sets of every child with their scores in the table, or with random ones."""
    rng, share, random_scores = case.rng, case.rng.choice((0.3, 0.8, 1.0)), case.chance(0.3)
    lists: Lists = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets = {}
        for members in (s for size in range(n) for s in itertools.combinations(others, size)):
            if members and rng.random() > share:
                continue
            if random_scores:
                sets[members] = rng.gauss(-20.0, 3.0)
            else:
                sets[members] = case.scores.score(columns[child], [columns[p] for p in members], score, 1.0)
        lists.append(sets)
    return lists


def weigh(drawn: Drawn) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """The probability of every network of listed sets, with its arcs and ancestors."""
    forbidden, prior = drawn.forbidden, drawn.prior
    allowed = [
        {s: v for s, v in sets.items() if not forbidden & {(p, c) for p in s}} for c, sets in enumerate(drawn.lists)
    ]
    found = []
    for parents, log_orders, arcs, above in _networks(drawn.n_variables):
        if all(family in sets for family, sets in zip(parents, allowed)):
            total = math.fsum(sets[family] for family, sets in zip(parents, allowed))
            found.append((total + (log_orders if prior == "orders" else 0.0), arcs, above))
    most = max(weight for weight, _, _ in found)
    whole = math.fsum(math.exp(weight - most) for weight, _, _ in found)
    return [(math.exp(weight - most) / whole, arcs, above) for weight, arcs, above in found]


def _compare(
    rows: Sequence[dict[str, str]], names: Sequence[str], arcs: np.ndarray, above: np.ndarray | None
) -> None:
    """The written table against the matrices; pairs that are not listed have probability 0."""
    written = {(names.index(row["parent"]), names.index(row["child"])): row for row in rows}
    for pair in itertools.permutations(range(len(names)), 2):
        row = written.get(pair)
        what = f"{names[pair[0]]} -> {names[pair[1]]}"
        either = arcs[pair] + arcs[pair[::-1]]
        expect_close(float(row["probability"]) if row else 0.0, arcs[pair], what, TOLERANCE)
        if row:
            expect_close(float(row["either"]), either, f"{what} in either direction", TOLERANCE)
        if above is not None:
            expect_close(float(row["ancestor"]) if row else 0.0, above[pair], f"{what} by a path", TOLERANCE)


Pattern = list[tuple[bool, str, int, int]]
"""Conditions that hold together: negated or not, kind of arc, two variables."""


def _draw_pattern(case: Case, n: int) -> Pattern:
    pairs = [tuple(case.rng.sample(range(n), 2)) for _ in range(case.rng.randint(1, 3))]
    return [(case.chance(0.3), case.rng.choice(("->", "-")), a, b) for a, b in pairs]


def _pattern_text(pattern: Pattern, names: Sequence[str]) -> str:
    return ", ".join(f"{'!' if no else ''}{names[a]} {kind} {names[b]}" for no, kind, a, b in pattern)


def _holds(pattern: Pattern, arcs: np.ndarray) -> bool:
    """Whether a network with these arcs meets all conditions."""
    for negated, kind, a, b in pattern:
        found = arcs[a, b] + (arcs[b, a] if kind == "-" else 0.0)
        if (found > 0) == negated:
            return False
    return True
