"""Searches by hill climbing and their plain twins, graphs and budgets, for the tests of the family."""

from __future__ import annotations

import functools

import numpy as np
from helpers.tables import make_dataset
from naive.optimize import climbing as naive

from stages.lists.start_network import StartNetwork
from stages.optimize import OptimizeOptions
from stages.optimize.climbing.cache import FamilyCache
from stages.optimize.climbing.climb import ClimbingRun
from stages.optimize.climbing.climber import GRID_QUANTA
from stages.optimize.climbing.constraints import make_constraints
from stages.optimize.climbing.hc import search_data as search_plain
from stages.published.gamez_2011_2012.chc import search_data as search_constrained
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

FAMILY = ("hc", "chc", "chc-star", "ichc", "2ichc", "fastchc")


class StepBudget(Budget):
    """Ends after so many questions whether it has ended."""

    def __init__(self, questions: int):
        super().__init__()
        self.left = questions

    def is_spent(self, evaluations: int = 0) -> bool:
        self.left -= 1
        return self.left < 0


def search(scorer, method="hc", start=None, budget=None, **options):
    """The result of a method of the family, from the parents `start` if they are given."""
    module = search_plain if method == "hc" else search_constrained
    first = None if start is None else StartNetwork(start)
    chosen = OptimizeOptions(method=method, score=scorer.score, start=first, counts_literally=True, **options)
    return module(scorer, chosen, budget or Budget(), NullReporter())


def as_sets(parents):
    return [set(p) for p in parents]


def remembered(scorer):
    """The scorer's local scores as a function that computes each one once."""
    return functools.cache(scorer.local_score)


def random_graph(seed, n, density):
    """Arcs along a random order, each there with probability `density`; parents as sets."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n).tolist()
    graph = [set() for _ in range(n)]
    for place, child in enumerate(order):
        graph[child] = {earlier for earlier in order[:place] if rng.random() < density}
    return graph


def without_constants(dataset):
    """The data set with a coin in place of every constant variable."""
    rng = np.random.default_rng(0)
    codes = dataset.codes.copy()
    constant = dataset.n_states == 1
    codes[constant] = rng.integers(2, size=(int(constant.sum()), dataset.n_rows))
    return make_dataset(codes, np.maximum(dataset.n_states, 2).tolist())


def naive_result(scorer, method, start, score, **options):
    """The method's result from the plain definitions."""
    options["grid"] = scorer.quantum * GRID_QUANTA
    first = {"constrained": method != "hc", "releases": method == "fastchc"}
    if method in ("ichc", "2ichc"):
        return naive.iterate_constrained(score, start, 2 if method == "2ichc" else None, **options)
    if method == "hc" and scorer.is_equivalent:
        return naive.climb_both_ways(naive.climb, score, scorer.local_score, start, **options)
    result = naive.climb(score, start, **first, **options)
    return naive.climb(score, result, **options) if method == "chc-star" else result


def make_run(scorer, budget=None, **options):
    """A run whose climbers can be looked into."""
    chosen = OptimizeOptions(score=scorer.score, **options)
    return ClimbingRun(
        scorer,
        chosen,
        budget or Budget(),
        NullReporter(),
        make_constraints(scorer, chosen),
        FamilyCache(scorer),
        np.arange(scorer.n_variables),
    )
