"""Hill climbing as a run: threads, restarts, budgets, constraints, and the network that comes out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.cases.climbing import FAMILY, as_sets, search
from helpers.tables import dependent_dataset, make_dataset
from naive.optimize import climbing as naive

from formats.data_records import Variable
from formats.records import Header, NetworkRecord
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.optimize.climbing.climber import Climber
from stages.optimize.climbing.constraints import make_constraints
from stages.optimize.driver import run_on_data
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError, StageError
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


# ------------------------------------------------------------------------------------------- runs
@pytest.mark.parametrize("method", FAMILY)
def test_threads_and_small_caches_change_nothing(method, monkeypatch):
    dataset, _ = dependent_dataset(11, 12, 300)
    outcomes = []
    for jobs, limit in ((1, None), (2, None), (1, 30)):
        if limit is not None:
            monkeypatch.setattr("stages.optimize.climbing.cache.EXPANSION_LIMIT", limit)
            monkeypatch.setattr("stages.optimize.climbing.cache.SINGLE_LIMIT", limit)
        outcome = search(FamilyScorer(dataset), method, restarts=3, perturb=4, seed=5, jobs=jobs)
        outcomes.append((outcome.parents, outcome.scores.tolist(), outcome.stats["steps"], outcome.stats["totals"]))
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("method", FAMILY)
@pytest.mark.parametrize("score", ["bic", "aic"])
def test_scores_are_left_out_only_where_every_further_parent_loses(method, score, monkeypatch):
    """The network stays the same. Constant variables are never parents."""
    bound, n_known = Climber._all_lose, 0

    def checked(climber, child, parents, value):
        nonlocal n_known
        is_known = bound(climber, child, parents, value)
        if is_known:
            n_known += 1
            others = set(np.flatnonzero(climber.scorer.n_states > 1).tolist()) - {child, *parents}
            for more in others:
                assert climber.scorer.local_score(child, tuple(sorted((*parents, more)))) < value
        return is_known

    for seed in range(5):
        dataset, _ = dependent_dataset(seed, 7, 100, most_states=4, noise=0.02, least_states=1 + seed % 3)
        scorer = FamilyScorer(dataset, score)
        with monkeypatch.context() as patch:
            patch.setattr(Climber, "_all_lose", checked)
            found = search(scorer, method)
        with monkeypatch.context() as patch:
            patch.setattr(Climber, "_all_lose", lambda *_: False)
            full = search(scorer, method)
        assert found.parents == full.parents
        assert found.stats["computed"] <= full.stats["computed"]
    assert n_known > 0


def test_restarts_never_lose_and_depend_on_the_seed_alone():
    dataset, _ = dependent_dataset(12, 15, 400, noise=0.2)
    scorer = FamilyScorer(dataset, "bdeu", 10.0)
    once = sum(search(scorer).scores)
    several = [search(scorer, restarts=8, perturb=8, seed=seed) for seed in (1, 1, 2)]
    assert sum(several[0].scores) >= once
    assert several[0].parents == several[1].parents and several[0].stats["totals"] == several[1].stats["totals"]
    assert several[0].stats["totals"] != several[2].stats["totals"]
    assert several[0].facts["restarts"] == 8


class RecordingScorer(FamilyScorer):
    """Lists every family that it scores."""

    def __init__(self, *args):
        super().__init__(*args)
        self.families = []

    def expand(self, child, parents, candidates=None):
        self.families += [(child, tuple(sorted((*parents, y)))) for y in candidates.tolist()]
        return super().expand(child, parents, candidates)

    def local_score(self, child, parents):
        if not parents:
            self.families.append((child, ()))
        return super().local_score(child, parents)


@pytest.mark.parametrize("extras", [{}, {"restarts": 3, "perturb": 4}, {"tabu": 5, "restarts": 2}])
@pytest.mark.parametrize("method", FAMILY)
def test_every_family_is_scored_once_and_counted_once(method, extras):
    if method != "hc" and "tabu" in extras:
        extras = {"restarts": 2}
    dataset, _ = dependent_dataset(13, 10, 200)
    scorer = RecordingScorer(dataset)
    result = search(scorer, method, seed=3, **extras)
    figures = result.stats
    assert result.facts["evaluations"] == figures["computed"] == scorer.evaluations == len(scorer.families)
    assert len(set(scorer.families)) == len(scorer.families)
    assert figures["requested"] >= figures["computed"]


def test_constraining_computes_fewer_scores():
    dataset, _ = dependent_dataset(14, 25, 2000, most_states=3, noise=0.5)
    computed = {m: search(FamilyScorer(dataset, "bdeu", 10.0), m).stats["computed"] for m in FAMILY}
    assert computed["chc"] <= computed["fastchc"] < computed["2ichc"] <= computed["ichc"] < computed["hc"]


def test_budget_ends_the_climb_with_a_network():
    dataset, _ = dependent_dataset(15, 12, 200)
    for method in FAMILY:
        full = search(FamilyScorer(dataset), method).stats
        for evaluations in (0, 30, full["computed"] // 2):
            budget = Budget(evaluations=evaluations)
            result = search(FamilyScorer(dataset), method, budget=budget)
            assert result.stats["computed"] <= full["computed"]
            assert len(result.parents) == len(result.scores) == 12
            assert naive.is_acyclic(as_sets(result.parents))
        stopped = Budget()
        stopped.stop.set()
        assert search(FamilyScorer(dataset), method, budget=stopped).parents == ((),) * 12


def test_many_restarts_end_with_the_clock():
    """The run for the compiler's sake, which has no clock, makes few of them."""
    dataset, _ = dependent_dataset(15, 6, 100)
    ticks = itertools.count()
    budget = Budget(1.0, clock=lambda: 0.01 * next(ticks))
    options = OptimizeOptions(method="hc", restarts=10**7, perturb=2, seed=1)
    network, _ = run_on_data(dataset, options, budget, NullReporter())
    assert 0 < network.header.extra["restarts"] < 1000


def test_a_long_perturbation_ends_with_the_clock():
    dataset, _ = dependent_dataset(15, 6, 100)
    ticks = itertools.count()
    budget = Budget(2.0, clock=lambda: 0.001 * next(ticks))
    options = OptimizeOptions(method="hc", restarts=2, perturb=10**9, seed=1)
    network, _ = run_on_data(dataset, options, budget, NullReporter())
    assert network.header.extra["restarts"] == 0 and next(ticks) < 3000
    plain, _ = run_on_data(dataset, OptimizeOptions(method="hc", seed=1), Budget(), NullReporter())
    assert network.parents == plain.parents


def test_contradictions_are_refused():
    dataset, _ = dependent_dataset(16, 4, 50, most_states=2)
    scorer = FamilyScorer(dataset)
    with pytest.raises(InfeasibleError, match="V0 -> V1 is both required and forbidden"):
        search(scorer, knowledge=Knowledge.of_arcs(dataset.names, required=((0, 1),), forbidden=((0, 1),)))
    with pytest.raises(InfeasibleError, match="cycle among V0, V1, V2"):
        search(scorer, knowledge=Knowledge.of_arcs(dataset.names, required=((0, 1), (1, 2), (2, 0))))
    with pytest.raises(InfeasibleError, match="loop"):
        search(scorer, knowledge=Knowledge.of_arcs(dataset.names, required=((1, 1),)))
    with pytest.raises(InfeasibleError, match="the arc V0 -> V1, which is forbidden; permit it"):
        search(scorer, start=((), (0,), (), ()), knowledge=Knowledge.of_arcs(dataset.names, forbidden=((0, 1),)))
    with pytest.raises(InfeasibleError, match=r"V3 must have 3 parents, but at most 2 .* require fewer arcs"):
        required = ((0, 3), (1, 3), (2, 3))
        search(scorer, knowledge=Knowledge.of_arcs(dataset.names, required=required), max_parents=2)
    with pytest.raises(InfeasibleError, match="V3 starts with 3 parents"):
        search(scorer, start=((), (), (), (0, 1, 2)), max_parents=2)


def test_required_arcs_stay_and_forbidden_ones_stay_out():
    dataset, _ = dependent_dataset(17, 8, 300, most_states=3)
    required, forbidden = ((7, 0), (6, 1)), ((0, 2), (2, 0), (1, 3))
    for method in FAMILY:
        parents = search(
            FamilyScorer(dataset),
            method,
            knowledge=Knowledge.of_arcs(dataset.names, required=required, forbidden=forbidden),
        ).parents
        arcs = {(p, child) for child, family in enumerate(parents) for p in family}
        assert set(required) <= arcs and not set(forbidden) & arcs


# ------------------------------------------------------------------------------------------- networks
def test_network_says_how_it_was_found():
    dataset, _ = dependent_dataset(18, 6, 200, most_states=3)
    options = OptimizeOptions(method="hc", score="bdeu", ess=10.0, restarts=2, seed=3)
    network, figures = run_on_data(dataset, options, Budget(), NullReporter())
    header = network.header
    assert (header.score, header.ess, header.rows, header.data) == ("bdeu", 10.0, 200, dataset.fingerprint)
    assert header.extra["method"] == "hc" and header.extra["restarts"] == 2 and header.extra["seed"] == 3
    assert header.extra["total"] == figures["score"]
    assert "seconds" not in header.extra and figures["seconds"] > 0


def test_interrupted_run_is_marked():
    dataset, _ = dependent_dataset(18, 6, 200, most_states=3)
    budget = Budget()
    budget.stop.set()
    network, _ = run_on_data(dataset, OptimizeOptions(method="chc"), budget, NullReporter())
    assert network.header.extra["interrupted"] is True
    assert network.n_arcs == 0


def test_start_is_matched_by_name():
    dataset, _ = dependent_dataset(19, 5, 200, most_states=3)
    result, _ = run_on_data(dataset, OptimizeOptions(method="hc"), Budget(), NullReporter())
    order = [3, 1, 4, 0, 2]
    shuffled = NetworkRecord(
        Header(tuple(dataset.variables[v] for v in order)),
        tuple(tuple(sorted(order.index(p) for p in result.parents[v])) for v in order),
        np.full(5, np.nan),
    )
    again, figures = run_on_data(dataset, OptimizeOptions(method="hc"), Budget(), NullReporter(), shuffled)
    assert again.parents == result.parents and figures["steps"] == 0
    other = NetworkRecord(Header((Variable("X"),)), ((),), np.zeros(1))
    with pytest.raises(StageError, match="'X'"):
        run_on_data(dataset, OptimizeOptions(method="hc"), Budget(), NullReporter(), other)


def test_pairs_that_memory_does_not_hold_are_refused_with_their_size(monkeypatch):
    def no_memory(*_):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("stages.optimize.climbing.climber.new_climb_state", no_memory)
    dataset, _ = dependent_dataset(11, 12, 300)
    with pytest.raises(StageError, match="the gains of all pairs of 12 variables take up to 2 KiB"):
        search(FamilyScorer(dataset), "hc")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"forbidden": ((0, 1), (69, 1), (3, 64))},
        {"required": ((5, 6),), "forbidden": ((0, 1),)},
        {"tiers": tuple(v % 3 - 1 for v in range(70))},
    ],
    ids=str,
)
def test_permitted_parents_are_those_of_the_knowledge(said):
    codes = np.random.default_rng(0).integers(0, 2, (70, 40)).astype(np.uint8)
    codes[7] = 0
    scorer = FamilyScorer(make_dataset(codes, [2] * 7 + [1] + [2] * 62))
    knowledge = Knowledge.of_arcs(scorer.dataset.names, **said)
    constraints = make_constraints(scorer, OptimizeOptions("hc", knowledge=knowledge))
    for child in range(70):
        expected = constraints.knowledge.may_be_parent(child) & (scorer.n_states > 1) & (child != 7)
        expected |= np.isin(np.arange(70), constraints.knowledge.required_of(child))
        assert constraints.may_be_parents(child)[:70].tolist() == expected.tolist()
        assert not constraints.may_be_parents(child)[70:].any()
