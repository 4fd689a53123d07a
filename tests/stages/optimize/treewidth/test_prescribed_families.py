"""S2 and S2+ with fixed records: k-trees that hold the prescribed families, networks that keep them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.ktrees import demanding_table, optimize, total
from helpers.seeds import seeds
from naive.optimize.ktrees import best_bounded
from naive.optimize.networks_search import make_table
from naive.optimize.orders import lists_of
from naive.optimize.treewidth import elimination_width, moral_edges

from stages.optimize.treewidth.problem import prepare_bounded
from stages.runtime.errors import InfeasibleError


@pytest.mark.parametrize("bound", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", seeds(8, quick=1))
def test_s2_solves_small_problems_with_fixed_arcs(bound, seed):
    table = demanding_table(seed, 5, n_fixed=2)
    best = best_bounded(lists_of(table), bound)
    if best == -np.inf:
        with pytest.raises(InfeasibleError):
            optimize(table, bound, "s2", 1)
    else:
        network = optimize(table, bound, "s2", 3000)
        assert total(network) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("method", ["s2", "s2plus"])
@pytest.mark.parametrize("bound", [1, 2, 4])
@pytest.mark.parametrize("seed", seeds(5, quick=1))
def test_fixed_arcs_are_kept(method, bound, seed):
    table = demanding_table(seed, 12, n_fixed=5)
    try:
        prepare_bounded(table, bound)
    except InfeasibleError as error:
        with pytest.raises(InfeasibleError, match="raise --tw"):
            optimize(table, bound, method, 1)
        assert "fixed" in str(error)
        return
    networks = [optimize(table, bound, method, 6, seed, jobs=jobs) for jobs in (1, 2)]
    assert networks[0].parents == networks[1].parents
    for child, sets in enumerate(lists_of(table)):
        assert frozenset(networks[0].parents[child]) in {p for _, p in sets}
    elimination = networks[0].header.extra["treewidth"]["elimination"]
    assert elimination_width(moral_edges(networks[0].parents), elimination) <= bound


def test_arcs_against_every_elimination_order_are_kept():
    """An inverted tree cannot be built along an order within its width, but it lies in a k-tree."""
    families = {0: (), 1: (), 2: (), 3: (), 4: (0, 1), 5: (2, 3), 6: (4, 5)}
    table = make_table({v: {p: -3.0} for v, p in families.items()}, fixed=range(7))
    for method in ("s2", "s2plus"):
        assert optimize(table, 2, method, 20).parents == tuple(families.values())
