"""The work is divided between the bound of any width and the narrow one by what they gain."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table

from stages.lists.set_lists import lists_in
from stages.optimize.bounds.lagrangian import BoundSearch
from stages.optimize.bounds.width.edge_prices import EdgePrices
from stages.optimize.bounds.width.width_search import TRIAL_SHARE, WidthSearch
from stages.runtime.budgets import Budget

WORK = 8e7


def searches(seed, treewidth=2):
    """A search with a treewidth and one without."""
    lists = lists_in(random_table(seed, 7, max_parents=3, n_sets=30))
    return WidthSearch(lists, np.random.default_rng(seed), treewidth), BoundSearch(lists, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", seeds(2, quick=1))
def test_prices_that_do_not_help_have_their_share_of_the_work(seed, monkeypatch):
    monkeypatch.setattr(EdgePrices, "add_violated", lambda *_: 0)
    search, wide = searches(seed)
    incumbent = -300.0  # no bound meets it
    wide.improve(Budget(), (1.0 - TRIAL_SHARE) * WORK, incumbent)
    search.improve(Budget(), WORK, incumbent)
    assert search._narrow is not None
    assert search._given_up > 0  # prices began anew
    assert not search.best.is_narrow
    assert search.wide.work >= (0.95 - TRIAL_SHARE) * search.work
    assert search.best.value <= wide.value + 1e-4 * (wide.ideal - wide.value)


@pytest.mark.parametrize("seed", [1, 5])
def test_prices_that_help_have_most_of_the_work(seed):
    search, wide = searches(seed)
    incumbent = -300.0
    search.improve(Budget(), WORK, incumbent)
    wide.improve(Budget(), WORK, incumbent)
    assert search.best.value < wide.value - 1e-3
    assert search.best.is_narrow
    assert search.wide.work < 0.6 * search.work
