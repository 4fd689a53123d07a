"""Dynamic programming over bags: optima within all k-trees, the twin of branch and bound, memory, interruption."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of
from naive.optimize.width_dp import best_within_all_ktrees

from formats.graphs.algorithms import elimination_width, find_cycle, moral_graph
from stages.lists.set_lists import keep_in_table
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.exact.width import search
from stages.optimize.exact.width.ktree_dp import bag_bytes, solve_by_bags
from stages.optimize.result import total_score
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter


def table_within(seed, n, width, n_sets=14):
    """Random lists of sets with at most `width` parents; some with ties, some with fixed records within the width."""
    for n_fixed in (int(seed % 3 == 2), 0):
        table = random_table(seed, n, min(4, width), n_sets, n_fixed=n_fixed, ties=seed % 2 == 0)
        kept = keep_in_table(table, np.flatnonzero(np.diff(table.parent_offsets) <= width))
        if np.diff(kept.set_offsets).all():
            break
    return kept


def solve(table, width):
    """The best score, by a network that is checked."""
    chosen, elimination = solve_by_bags(table, width, Budget(), NullReporter())
    parents = [table.parent_set(s) for s in chosen.tolist()]
    assert find_cycle(parents) is None
    assert sorted(elimination) == list(range(table.n_variables))
    assert elimination_width(moral_graph(parents), elimination) <= width
    return total_score(table.scores, chosen)


@pytest.mark.parametrize(("n", "width"), [(4, 2), (5, 1), (5, 3), (6, 2), (6, 3), (6, 4), (7, 3), (7, 4), (7, 5)])
@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_the_best_network_within_all_ktrees(seed, n, width):
    table = table_within(seed, n, width)
    assert solve(table, width) == pytest.approx(best_within_all_ktrees(lists_of(table), width), abs=1e-9)


@pytest.mark.parametrize(("n", "width"), [(8, 2), (9, 2), (9, 3), (10, 2), (10, 3)])
@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_branch_and_bound_finds_the_same_optimum(seed, n, width):
    pytest.importorskip("highspy")
    table = table_within(seed, n, width, n_sets=25)
    options = OptimizeOptions(method="exact", treewidth=width, seed=seed)
    network = run(table, options, Budget(), NullReporter())[0]
    assert network.header.extra["total"] == pytest.approx(solve(table, width), abs=1e-9)


def test_without_the_solver_it_proves_few_variables(monkeypatch):
    monkeypatch.setattr(search, "lack_of_solver", lambda: "no solver")
    table = table_within(5, 7, 2)
    network = run(table, OptimizeOptions(method="exact", treewidth=2), Budget(), NullReporter())[0]
    extra = network.header.extra
    assert extra["total"] == pytest.approx(best_within_all_ktrees(lists_of(table), 2), abs=1e-9)
    assert extra["bound"] == pytest.approx(extra["total"], abs=1e-9)
    assert extra["gap"] >= 0.0


def test_a_spent_budget_leaves_the_first_network_and_bound():
    table = table_within(4, 7, 2)
    budget = Budget()
    budget.stop.set()
    assert solve_by_bags(table, 2, budget, NullReporter()) is None
    options = OptimizeOptions(method="exact", treewidth=2)
    found = search.prove(table, options, budget, NullReporter(), by_bags=True)
    assert found.facts["bound"] >= solve(table, 2) - 1e-9


def test_what_does_not_fit_is_refused_with_its_size(monkeypatch):
    assert bag_bytes(12, 3) == (11880 + 1320) * 8 * 4096 + 12 * 4 * 2048
    monkeypatch.setattr(search, "lack_of_solver", lambda: "no solver")
    monkeypatch.setattr(search, "free_bytes", lambda: 1000)
    table = table_within(4, 7, 2)
    with pytest.raises(StageError, match=r"7 variables under --tw 2: without it, tables would take .* KiB"):
        run(table, OptimizeOptions(method="exact", treewidth=2), Budget(), NullReporter())
