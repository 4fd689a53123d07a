"""Bound and gap beside every search among listed sets."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.clocks import TickingClock
from naive.optimize.networks_search import best_by_subsets, make_table, random_table

from stages.lists.set_lists import keep_in_table
from stages.optimize import METHODS, SETS, SETS_TW, OptimizeOptions
from stages.optimize.bounds.anytime_bound import GAP_OF_LISTS, AnytimeBound
from stages.optimize.driver import run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.runtime.warm_up import tiny_table

SEARCHES = [(name, None) for name, spec in METHODS.items() if SETS in spec.variants] + [
    (name, width)
    for name, spec in METHODS.items()
    if SETS_TW in spec.variants
    for width in ((1,) if name == "forest" else (2, 4))
]
"""Methods with the treewidth bounds they are tried at."""

KNOWN = " (whether more exist is not known)"
"""What is known about the sets of lists without a fingerprint of data."""

COSTLY = {"kastar": 60, "s2": 60, "s2plus": 20}
"""Orders or k-trees of searches that take long for each."""


class ReporterOfFacts(NullReporter):
    """Keeps the reports of a search."""

    def __init__(self):
        self.reported = []

    def progress(self, done, total, counted, network=None, **facts):
        self.reported.append(facts)


def search(table, method, width, restarts=None, jobs=1, orders=300, reporter=None):
    options = OptimizeOptions(method=method, treewidth=width, seed=3, restarts=restarts, jobs=jobs)
    network, _ = run(table, options, Budget(evaluations=orders), reporter or NullReporter())
    return network.header.extra


@pytest.mark.slow
@pytest.mark.parametrize(("method", "width"), SEARCHES)
def test_every_search_writes_bound_and_gap(method, width):
    table = random_table(5, 9, max_parents=3, n_sets=25)
    reporter = ReporterOfFacts()
    extra = search(table, method, width, reporter=reporter, orders=COSTLY.get(method, 100))
    assert extra["gap"] == extra["bound"] - extra["total"] >= 0.0
    if method == "forest":
        assert extra["bound_relative_to"] == "networks of the listed sets with at most 1 parent each" + KNOWN
        return
    assert extra["bound"] >= best_by_subsets(table if width is None else within(table, width)) - 1e-7
    bounded = f" with at most {width} parents each, of any treewidth" if width else ""
    assert extra["bound_relative_to"] == "networks of the listed sets" + bounded + KNOWN
    shown = [facts[GAP_OF_LISTS] for facts in reporter.reported if GAP_OF_LISTS in facts]
    assert shown or method == "exact"  # dynamic programming knows nothing before it ends
    assert shown == sorted(shown, reverse=True)


def within(table, most_parents):
    """The table without larger sets, set by set."""
    lists = {}
    for child in range(table.n_variables):
        sets = range(table.set_offsets[child], table.set_offsets[child + 1])
        lists[child] = {
            table.parent_set(s): float(table.scores[s]) for s in sets if len(table.parent_set(s)) <= most_parents
        }
    return make_table(lists)


def table_of_marriages():
    """Six variables want a pair of the first four each: a clique of four in all, too wide for treewidth 2 by one
    pair, whose child loses 18 nats.
    """
    pairs = list(itertools.combinations(range(4), 2))
    sets: dict[int, dict[tuple[int, ...], float]] = {v: {(): -10.0} for v in range(4)}
    return make_table({**sets, **{child: {(): -20.0, pair: -2.0} for child, pair in enumerate(pairs, start=4)}})


@pytest.mark.parametrize("keeps_proof", [False, True])
def test_a_bound_narrowed_by_the_treewidth_says_so_and_holds(keeps_proof):
    """No cut is needed without a width, so the rows of edges are all there is."""
    table, nodes = table_of_marriages(), []
    options = OptimizeOptions(method="ils", treewidth=2, seed=1, keeps_proof=keeps_proof)
    keep = (lambda *found: nodes.append(found)) if keeps_proof else None
    extra = run(table, options, Budget(evaluations=200_000), NullReporter(), keep_nodes=keep)[0].header.extra
    assert extra["total"] == -4 * 10.0 - 5 * 2.0 - 20.0
    claim = "networks of the listed sets with at most 2 parents each, of "
    if keeps_proof:
        # A proof has no rows of edges, and the best network of any width has all pairs.
        assert extra["bound_relative_to"] == claim + "any treewidth" + KNOWN
        assert extra["bound"] >= -52.0
    else:
        assert extra["bound_relative_to"] == claim + "treewidth at most 2" + KNOWN
        assert -70.0 <= extra["bound"] < -52.5


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_sets_too_large_for_the_width_are_left_out(most):
    table = random_table(8, 7, max_parents=3, n_sets=20)
    lists, expected = (
        keep_in_table(table, np.flatnonzero(np.diff(table.parent_offsets) <= most)),
        within(table, most),
    )
    for name in ("set_offsets", "scores", "parent_offsets", "parents"):
        assert np.array_equal(getattr(lists, name), getattr(expected, name))


@pytest.mark.parametrize(("method", "width"), [("asobs", None), ("winasobs", None), ("kg", 2), ("ils", 2)])
def test_bounds_do_not_depend_on_the_number_of_threads(method, width):
    table = random_table(4, 14, n_sets=40)
    alone, together = (search(table, method, width, jobs=jobs, orders=2000) for jobs in (1, 2))
    assert alone == together


@pytest.mark.parametrize(("method", "width"), [("asobs", None), ("obs", None), ("kg", 3)])
def test_a_proved_network_ends_a_run_unless_restarts_are_asked_for(method, width):
    table = make_table({v: {(): -9.0, (max(0, v - 1),): -5.0} if v else {(): -9.0} for v in range(5)})
    proved = search(table, method, width, orders=10**6)
    assert proved["gap"] < 1e-6
    assert proved["orders"] < 1000
    counted = search(table, method, width, restarts=500, orders=10**6)
    assert counted["orders"] >= 500


@pytest.mark.parametrize(("method", "width"), [("ils", None), ("ils", 2), ("winasobs", None), ("asobs", 2)])
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_nothing_needs_to_be_limited(method, width, jobs):
    table = random_table(6, 8, max_parents=3, n_sets=20)
    options = OptimizeOptions(method=method, treewidth=width, seed=1, jobs=jobs)
    extra = run(table, options, Budget(), NullReporter())[0].header.extra
    assert extra["restarts"] >= 1
    timed = run(table, options, Budget(seconds=0.3, clock=TickingClock(0.02)), NullReporter())[0].header.extra
    assert timed["restarts"] >= 1
    assert max(timed["total"], extra["total"]) <= min(timed["bound"], extra["bound"]) + 1e-9


def test_tiny_table_gives_every_part_of_the_bound_something_to_do(monkeypatch):
    monkeypatch.undo()  # all the work that a search begins with
    table = tiny_table()
    anytime_bound = AnytimeBound(table, OptimizeOptions(), Budget())
    assert anytime_bound.search.best.value > best_by_subsets(table) + 0.5
    assert anytime_bound.search.best.gap == math.inf
    anytime_bound.keep_pace(0, -149.0)
    assert anytime_bound.is_closed
    assert best_by_subsets(table) == -149.0


@pytest.mark.parametrize("method", ["ils", "exact"])
def test_a_better_network_that_the_bound_finds_is_taken_over(method):
    """One order is searched, and the bound works on until what it leaves open is solved."""
    for seed in range(4):
        table = random_table(seed, 9, max_parents=3, n_sets=25)
        extra = search(table, method, None, restarts=1, orders=1)
        best = best_by_subsets(table)
        if extra["bound"] <= best + 1e-7:
            assert extra["total"] == pytest.approx(best, abs=1e-7)


@pytest.mark.slow
def test_no_network_is_taken_over_under_a_treewidth_bound():
    table = tiny_table()
    wide, narrow = (AnytimeBound(table, OptimizeOptions(treewidth=treewidth), Budget()) for treewidth in (None, 2))
    for bound in (wide, narrow):
        bound.keep_pace(1e9, -300.0)
    assert wide.better_network(-300.0) is not None
    assert wide.better_network(-149.0) is None
    assert narrow.better_network(-300.0) is None
