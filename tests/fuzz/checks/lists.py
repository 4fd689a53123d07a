"""`bnsl optimize SETS`: every method on the same small lists, with and without a bound on treewidth."""

from __future__ import annotations

import itertools
import json
import math
from random import Random
from typing import Any

import numpy as np
from naive.networks import is_acyclic
from naive.optimize.treewidth import moral_edges, treewidth

from stages.methods import Task
from stages.optimize import METHODS

from .networks import Lists, ParentSet, check_network
from .optimize import NONE_FOUND, PROVED
from .program import Case, Difference, expect, expect_close, margin

FREE = [name for name, method in METHODS.items() if Task(on_data=False, bounded=False) in method.variants]
BOUNDED = [name for name, method in METHODS.items() if Task(on_data=False, bounded=True) in method.variants]

MOST_CHOICES = 20_000
"""Choices of sets up to which the best network is found by trying all."""


def check(case: Case) -> None:
    """Every method without a bound, then every one with a bound drawn at random."""
    rng = case.rng
    n = rng.randint(5, 8)
    lists, fixed = draw_lists(rng, n)
    names = [f"V{v}" for v in range(n)]
    lines: list[Any] = [
        {"format": "bnsl.parentsets", "version": 1, "score": "unknown", "variables": [{"name": v} for v in names]}
    ]
    lines += [_record(child, sets, child in fixed) for child, sets in enumerate(lists)]
    path = case.write("lists.sets.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    required = draw_required(rng, lists)
    knowledge = [word for parent, child in required for word in ("--require", f"V{parent}->V{child}")]
    forbidden = {tuple(rng.sample(range(n), 2)) for _ in range(rng.choice((0, 0, 0, 2)))} - set(required)
    knowledge += [word for parent, child in sorted(forbidden) for word in ("--forbid", f"V{parent}->V{child}")]
    allowed: Lists = [
        {s: v for s, v in sets.items() if _agrees(s, child, required, forbidden)} for child, sets in enumerate(lists)
    ]
    networks = best_networks(allowed)
    bound = rng.randint(1, 3)
    for limit, methods in ((None, FREE), (bound, [m for m in BOUNDED if m != "forest"]), (bound, ["forest"])):
        if methods == ["forest"]:  # of one parent each
            networks = networks and [found for found in networks if max(map(len, found[1])) <= 1]
        optimum = next((t for t, parents in networks if _is_within(parents, limit)), None) if networks else None
        exists = None if networks is None else optimum is not None
        answers = [_answer(case, path, method, limit, knowledge, exists) for method in methods]
        found = [_total(records, allowed, limit) for records, _, _ in answers if records]
        best = max(found, default=-math.inf) if optimum is None else optimum
        for (records, messages, method), total in zip([a for a in answers if a[0]], found):
            _check_answer(records[0], messages, method, total, best, networks is not None)


def draw_lists(rng: Random, n: int) -> tuple[Lists, set[int]]:
    """Some sets of every child with scores of either sign, often tied, and the children with their only set."""
    ties, level, tendency = rng.random() < 0.4, rng.choice((-50.0, 0.0, 20.0)), rng.choice((-2.0, 1.0, 6.0))
    fixed = {v for v in range(n) if rng.random() < 0.05}
    most = rng.choice((2, 3, 3, 8))
    lists: Lists = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets: dict[ParentSet, float] = {(): level}
        for _ in range(rng.randint(0, most)):
            members = tuple(sorted(rng.sample(others, rng.randint(0, min(4, n - 1)))))
            drawn = level + tendency * len(members) + rng.gauss(0.0, 6.0)
            sets[members] = float(round(drawn)) if ties else drawn
        lists.append(dict([rng.choice(list(sets.items()))]) if child in fixed else sets)
    return lists, fixed


def draw_required(rng: Random, lists: Lists) -> list[tuple[int, int]]:
    """No arc in two of three cases; else one or two, (parent, child), of listed sets."""
    listed = [(p, child) for child, sets in enumerate(lists) for s in sets for p in s]
    if not listed or rng.random() < 2 / 3:
        return []
    return sorted({rng.choice(listed) for _ in range(rng.randint(1, 2))})


def _agrees(parents: ParentSet, child: int, required: Any, forbidden: Any) -> bool:
    has_all = all(p in parents for p, c in required if c == child)
    return has_all and not any(c == child and p in parents for p, c in forbidden)


def _record(child: int, sets: dict[ParentSet, float], is_fixed: bool) -> dict[str, Any]:
    ordered = sorted(sets, key=lambda s: (-sets[s], len(s), s))
    record = {"child": child, "parents": list(map(list, ordered)), "scores": [sets[s] for s in ordered]}
    return record | ({"fixed": True} if is_fixed else {})


def best_networks(lists: Lists) -> list[tuple[float, list[ParentSet]]] | None:
    """All networks of the lists, the best first, or None if there are too many choices."""
    if math.prod(map(len, lists)) > MOST_CHOICES:
        return None
    choices = [list(chosen) for chosen in itertools.product(*lists) if is_acyclic(chosen)]
    totals = [math.fsum(sets[s] for sets, s in zip(lists, chosen)) for chosen in choices]
    return [(totals[k], choices[k]) for k in np.argsort(totals)[::-1].tolist()]


def _is_within(parents: list[ParentSet], bound: int | None) -> bool:
    return bound is None or treewidth(moral_edges(parents)) <= bound


def _answer(
    case: Case, path: Any, method: str, bound: int | None, knowledge: list[str], exists: bool | None
) -> tuple[list[dict[str, Any]], str, str]:
    """The network of a method, or nothing where it says that there is none."""
    line = ["optimize", path, "--method", method, *knowledge, "--seed", str(case.rng.randrange(99))]
    line += [] if bound is None else ["--tw", str(bound)]
    line += [] if method in ("exact", "forest") else ["--evaluations", str(case.rng.choice((1, 3, 10)))]
    answer = case.run(*line, codes=(0, 1))
    if answer.code == 0:
        return answer.json_lines(), answer.messages, method
    is_right = not exists or (method not in ("exact", "forest") and NONE_FOUND in answer.messages)
    expect(is_right, f"{method}: a network exists: {answer.messages}")
    return [], answer.messages, method


def _total(records: list[dict[str, Any]], lists: Lists, bound: int | None) -> float:
    """The score of a network, whose families are allowed and whose width is within the bound."""
    parents = check_network(records, len(lists))
    for child, (record, sets) in enumerate(zip(records[1:], lists)):
        expect(parents[child] in sets, f"child {child} took {parents[child]}, which is not allowed")
        expect_close(record["scores"][0], sets[parents[child]], f"score of child {child}")
    expect(_is_within(parents, bound), f"the treewidth exceeds {bound}")
    total = math.fsum(sets[s] for sets, s in zip(lists, parents))
    expect_close(records[0]["total"], total, "total")
    return total


def _check_answer(
    head: dict[str, Any], messages: str, method: str, total: float, best: float, is_optimum: bool
) -> None:
    """Total, bound and claim against the best network known, of which `is_optimum` says that there is none better."""
    rounding = margin(total, best)
    if is_optimum and total > best + rounding:
        raise Difference(f"{method}: the total {total} exceeds the optimum {best}")
    if "bound" in head:
        expect(head["bound"] >= best - rounding, f"{method}: bound {head['bound']} below {best}")
    proved = PROVED in messages or head.get("gap", 1.0) <= 0.0
    if proved or method in ("exact", "forest"):
        expect_close(total, best, f"{method}: a network that is claimed to be optimal", rounding)
