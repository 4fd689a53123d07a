"""Searches among listed sets under required and forbidden ancestors, against enumeration."""

from __future__ import annotations

import random

import numpy as np
import pytest
from naive.optimize.ancestors import keeps, listed_networks, random_lists, random_pairs
from naive.optimize.networks_search import make_table

from stages.ancestral_knowledge import Ancestors
from stages.knowledge import make_knowledge
from stages.lists.barred_sets import bar_least_sets, refuse_barred
from stages.lists.constrain import keep_admissible
from stages.optimize import OptimizeOptions
from stages.optimize.ancestors.branches import Selection, branches_of, cut_off
from stages.optimize.ancestors.repair import ListedNetworks
from stages.optimize.driver import run
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError, StageError
from stages.runtime.reporting import NullReporter


@pytest.mark.parametrize("method", ["exact", "ils", "asobs"])
@pytest.mark.parametrize("first", range(0, 100, 10))
def test_the_best_network_is_found(method: str, first: int):
    for seed in range(first, first + 10):
        rng = random.Random(seed)
        n = rng.choice([2, 3, 4, 4, 5])
        lists, (required, forbidden) = random_lists(rng, n), random_pairs(rng, n, 4)
        out = [(rng.randrange(n), rng.randrange(n))] if rng.random() < 0.3 else []
        out = [(a, b) for a, b in out if a != b]
        best = max(
            (
                score
                for parents, score in listed_networks(lists)
                if keeps(parents, required, forbidden) and not any(a in parents[b] for a, b in out)
            ),
            default=None,
        )
        table = make_table(lists)
        try:
            knowledge = make_knowledge(table.header.names, [], out, ancestors=Ancestors.of(required, forbidden))
            table, barred = bar_least_sets(keep_admissible(table, knowledge), knowledge)
            restarts = 3 if method == "asobs" else None
            options = OptimizeOptions(method=method, knowledge=knowledge, seed=seed, restarts=restarts)
            network, _ = run(table, options, Budget(), NullReporter())
            refuse_barred(network, barred)
        except (InfeasibleError, StageError) as error:
            assert best is None and (method != "exact" or isinstance(error, InfeasibleError))
            continue
        extra = network.header.extra
        assert best is not None and keeps(network.parents, required, forbidden)
        assert extra["bound"] >= best - 1e-9 and extra["total"] <= best + 1e-9
        if method != "asobs":
            assert extra["total"] == pytest.approx(best)
        if method == "exact":
            assert extra["gap"] < 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_parts_are_disjoint_and_cover_what_keeps_the_pairs(seed: int):
    rng = random.Random(seed)
    n = rng.choice([3, 4])
    lists, (required, forbidden) = random_lists(rng, n), random_pairs(rng, n, 3)
    networks, selection = list(listed_networks(lists)), Selection(make_table(lists))
    kept, ancestors = selection.everything(), Ancestors.of(required, forbidden)
    for parents, _ in rng.sample(networks, min(10, len(networks))):
        parts = branches_of(parents, ancestors, selection, kept)
        assert (parts is None) == keeps(parents, required, forbidden)
        if parts is None:
            continue
        for other, _ in networks:
            within = [
                all(bool(members & set(other[child])) == meets for child, members, meets in part) for part in parts
            ]
            assert sum(within) <= 1 and not (other == parents and any(within))
            assert any(within) or not keeps(other, required, forbidden)


def test_restrictions_worked_by_hand():
    table = make_table([{(): 0.0, (1,): 2.0, (1, 2): 3.0}, {(): 0.0}, {(): 0.0, (0,): 1.0}])
    selection = Selection(table)
    everything = selection.everything()
    condition = branches_of(((), (), (0,)), Ancestors.of([(1, 0)]), selection, everything)
    assert [[(c.child, set(c.members), c.meets) for c in part] for part in condition] == [[(0, {1, 2}, True)]]
    within = selection.restricted(everything, condition[0])
    assert within.tolist() == [True, True, False, True, True, True]
    assert selection.restricted(within, [condition[0][0]._replace(meets=False)]) is None
    assert selection.possible_parents(everything) == [[1, 2], [], [0]]
    assert cut_off([(1, 2), (2, 1)], [[1, 2], [], [0]]) == (2, 1)


def test_a_repair_and_a_climb_keep_all_pairs():
    n_repaired = 0
    for seed in range(150):
        rng = random.Random(seed)
        n = rng.choice([3, 4, 5])
        lists, (required, forbidden) = random_lists(rng, n), random_pairs(rng, n, 3)
        table, ancestors = make_table(lists), Ancestors.of(required, forbidden)
        networks = ListedNetworks(table, ancestors)
        start = rng.choice([parents for parents, _ in listed_networks(lists)])
        found = networks.repaired(start, Budget())
        if found is None:
            continue
        n_repaired += 1
        better = networks.climbed(found, Budget())
        assert keeps(found, required, forbidden) and keeps(better, required, forbidden)
        assert networks.scores_of(better).sum() >= networks.scores_of(found).sum() - 1e-9
        assert np.allclose(networks.scores_of(found), [lists[v][family] for v, family in enumerate(found)])
    assert n_repaired > 60


def test_what_cannot_be_is_named():
    table = make_table([{(): 0.0}, {(): 0.0, (0,): 1.0}, {(): 0.0, (1,): 1.0}])

    def solve(required=(), forbidden=()):
        knowledge = make_knowledge(table.header.names, ancestors=Ancestors.of(required, forbidden))
        return run(table, OptimizeOptions(knowledge=knowledge), Budget(), NullReporter())

    with pytest.raises(InfeasibleError, match="required ancestor V1 ~> V0: no path of listed arcs"):
        solve([(1, 0)])
    with pytest.raises(InfeasibleError, match=r"V0 ~> V2.*V0 ~> V1"):
        solve([(0, 2)], [(0, 1)])
    assert solve([(0, 2)])[0].parents == ((), (0,), (1,))
