"""Searches on data: which search of complete rows each of them comes down to."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.incomplete import with_holes
from helpers.tables import dependent_dataset, make_dataset

from formats.data_records import Dataset
from formats.errors import VerificationError
from formats.graphs.arc_groups import group_of
from formats.records import Header, NetworkRecord, ParentSetTable, ScreeningForest
from stages.evaluate.proof_checking import ProofChecker
from stages.graphs.essential_graphs import list_arcs
from stages.incomplete import StructuralEM
from stages.incomplete.structural_em import learn_structure
from stages.inference.forward_sampling import random_network
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.optimize.bootstrap import Resampling
from stages.optimize.bounds.proof_assembly import make_proof
from stages.optimize.column_order import reordered_rows, reordered_table
from stages.optimize.data_runs import DataRuns
from stages.optimize.driver import run_on_data
from stages.optimize.verify import verify_network
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.runtime.seeding import task_generator

CLIMB = OptimizeOptions(method="hc", seed=1, jobs=2)
FOREST = OptimizeOptions(method="pricing", treewidth=1, seed=1)
QUIET = NullReporter()
NEVER = threading.Event()


def arcs_by_name(network: NetworkRecord) -> set[tuple[str, str]]:
    names = network.header.names
    return {(names[p], names[child]) for p, child in list_arcs(network.parents)}


def replicates(search: DataRuns, n: int = 3, rule: Resampling = Resampling()) -> list:  # noqa: B008
    return list(search.run_replicates(n, rule, Budget(), threading.Event()))


def test_complete_rows_are_searched_once():
    rows, _ = dependent_dataset(1, 6, 150)
    found, _ = DataRuns(rows, CLIMB, StructuralEM()).run(Budget(), QUIET)
    network, _ = run_on_data(rows, CLIMB, Budget(), QUIET)
    assert found.parents == network.parents and found.header == network.header


@pytest.mark.parametrize("options", [CLIMB, FOREST])
def test_rows_with_holes_are_completed_round_by_round(options):
    rows = with_holes(random_network(6, states=(2, 3), parents=(1, 2), seed=1), 200, 0.2, 1)
    rounds = StructuralEM("drawn", 3)
    found, figures = DataRuns(rows, options, rounds).run(Budget(), QUIET)

    def search(table, before, reporter):
        return run_on_data(table, options, Budget(), QUIET, before if options is CLIMB else None)

    stop = threading.Event()
    network, expected = learn_structure(rows, search, StructuralEM("drawn", 3, 1), None, stop, QUIET)
    assert found.parents == network.parents and figures["rounds"] == expected["rounds"]


@pytest.mark.parametrize("options", [CLIMB, FOREST])
@pytest.mark.parametrize("is_started", [False, True])
def test_replicates_are_searched_in_orders_of_their_own(options, is_started: bool):
    rows, _ = dependent_dataset(2, 6, 150)
    start = run_on_data(rows, CLIMB, Budget(), QUIET)[0] if is_started else None
    found = replicates(DataRuns(rows, options, StructuralEM(), start))
    for index, (network, _) in enumerate(found):
        rng = task_generator(1, index)
        drawn = rows.rows(Resampling().rows(rows, (index, 3), 1, rng))
        seed, order = int(rng.integers(1 << 31)), rng.permutation(6)
        own = replace(options, seed=seed, draws_ties=True)
        expected, _ = run_on_data(reordered_rows(drawn, order), own, Budget(), QUIET, start)
        assert arcs_by_name(network) == arcs_by_name(expected)
        assert network.header.extra["seed"] == seed and network.header.variables == rows.variables
        assert sorted(network.scores.tolist()) == sorted(expected.scores.tolist())


@pytest.mark.parametrize(
    "options",
    [
        OptimizeOptions(method="hc", restarts=2),
        OptimizeOptions(method="fastchc", restarts=2),
        OptimizeOptions(method="mmhc", restarts=2),
        OptimizeOptions(method="pricing"),
        OptimizeOptions(method="pricing", treewidth=1),
        OptimizeOptions(method="pricing", treewidth=2),
        OptimizeOptions(method="pricing", treewidth=3, max_table=12),
    ],
)
def test_the_order_of_the_columns_does_not_matter(options: OptimizeOptions):
    rows, _ = dependent_dataset(4, 7, 200, most_states=3)
    knowledge = Knowledge.of_arcs(rows.names, [(0, 1)], [(2, 3)])
    options = replace(options, seed=1, knowledge=knowledge)
    found, _ = DataRuns(rows, options, StructuralEM()).run(Budget(None, 600), QUIET)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(7)
        turned = replace(options, knowledge=knowledge.among(order))
        other, _ = DataRuns(reordered_rows(rows, order), turned, StructuralEM()).run(Budget(None, 600), QUIET)
        assert other.header.names == tuple(rows.names[v] for v in order)
        assert arcs_by_name(other) == arcs_by_name(found) and claims_by_name(other) == claims_by_name(found)


def claims_by_name(network: NetworkRecord) -> dict:
    """The claims of a header, the elimination order by names."""
    extra = dict(network.header.extra)
    if "treewidth" in extra:
        elimination = [network.header.names[v] for v in extra["treewidth"]["elimination"]]
        extra["treewidth"] = {**extra["treewidth"], "elimination": elimination}
    return extra


@pytest.mark.parametrize("treewidth", [None, 2])
@pytest.mark.parametrize("is_given", [False, True])
def test_lists_and_proofs_follow_the_order_of_the_columns(treewidth: int | None, is_given: bool):
    rows, _ = dependent_dataset(3, 8, 300, most_states=3)
    options = OptimizeOptions(method="pricing", treewidth=treewidth, seed=1, keeps_proof=True)
    given = sets_of(rows, replace(options, keeps_proof=False), None)[1] if is_given else None
    expected = sets_of(rows, options, given)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(8)
        table = None if given is None else reordered_table(given, order)
        network, lists, proof = sets_of(reordered_rows(rows, order), options, table)
        assert [record.child for record in lists.records()] == list(range(8))
        assert sets_by_name(lists) == sets_by_name(expected[1])
        verify_network(network, lists, reordered_rows(rows, order), treewidth)
        assert proof.bound == expected[2].bound and ProofChecker(proof, lists).excess(proof.bound) <= 0


def sets_of(rows: Dataset, options: OptimizeOptions, given: ParentSetTable | None) -> tuple:
    """The network, the candidate sets and the proof of a search."""
    kept: list = []
    found, _ = DataRuns(rows, options, StructuralEM(), table=given).run(
        Budget(None, 2000), QUIET, lambda *lists: kept.append(lists), lambda _, nodes: kept.append(nodes)
    )
    lists = ParentSetTable.from_records(*kept[0])
    proof = (
        make_proof(kept[1], lists, found.header.extra["bound"], options.treewidth) if options.keeps_proof else None
    )
    return found, lists, proof


def sets_by_name(table: ParentSetTable) -> dict:
    """Candidate sets with scores; within a list, scores descend."""
    names = table.header.names
    found = {}
    for record in table.records():
        assert (np.diff(record.scores) <= 0).all()
        sets = [frozenset(names[v] for v in members) for members in record.parents]
        found[names[record.child]] = dict(zip(sets, record.scores.tolist())), record.complete, record.evaluated
    return found


def with_copy(n_rows: int = 300) -> Dataset:
    """Four variables: A and its copy, B which depends on them, and C on B."""
    rng = np.random.default_rng(5)
    a = rng.integers(2, size=n_rows)
    b = np.where(rng.random(n_rows) < 0.1, 1 - a, a)
    c = np.where(rng.random(n_rows) < 0.2, 1 - b, b)
    return make_dataset(np.array([a, a, b, c]), [2, 2, 2, 2])


@pytest.mark.parametrize(
    "options",
    [
        OptimizeOptions(method="hc", seed=1),
        OptimizeOptions(method="hc", seed=1, tabu=3),
        OptimizeOptions(method="fastchc", seed=1),
        OptimizeOptions(method="pricing", seed=1),
        OptimizeOptions(method="pricing", seed=1, treewidth=1),
        OptimizeOptions(method="pricing", seed=1, treewidth=2),
    ],
)
def test_copies_of_a_column_share_their_strength(options):
    rows = with_copy()
    found = list(DataRuns(rows, options, StructuralEM()).run_replicates(60, Resampling(), Budget(None, 300), NEVER))
    joined = [{frozenset(arc) for arc in list_arcs(network.parents)} for network, _ in found]
    shares = [sum({copy, 2} in pairs for pairs in joined) for copy in (0, 1)]
    assert sum(shares) >= 60 and min(shares) >= 15  # 30 each, four standard deviations of 3.9 below


@pytest.mark.parametrize("options", [CLIMB, FOREST, OptimizeOptions(method="pricing", treewidth=2, seed=1)])
def test_knowledge_forest_and_elimination_order_follow_the_columns(options):
    rows, _ = dependent_dataset(6, 7, 200, most_states=3)
    tiers = (0, 0, 1, 1, 1, 1, 1)
    told = replace(options, knowledge=Knowledge.of_arcs(rows.names, [(5, 4)], [(0, 1), (1, 0)], tiers))
    found = replicates(DataRuns(rows, told, StructuralEM()), 6)
    for network, _ in found:
        arcs = set(list_arcs(network.parents))
        assert (5, 4) in arcs and not arcs & {(0, 1), (1, 0)}
        assert not any(tiers[p] > tiers[child] for p, child in arcs)
        verify_network(network, treewidth=options.treewidth)
    forest = ScreeningForest(Header(rows.variables), {3: (2,), 6: (5,)}, {})
    for network, _ in replicates(DataRuns(rows, options, StructuralEM(), forest=forest), 3):
        assert network.parents[3] == (2,) and network.parents[6] == (5,)


@pytest.mark.parametrize("options", [CLIMB, OptimizeOptions(method="mmhc", seed=1), FOREST, OptimizeOptions(seed=1)])
@pytest.mark.parametrize("is_started", [False, True])
def test_arcs_allowed_in_groups_follow_the_columns(options, is_started: bool):
    """In each replicate, from no arcs and from a network that obeys them, and with a forest beside them."""
    rows, _ = dependent_dataset(6, 7, 200, most_states=3, least_states=2)
    knowledge = Knowledge(
        rows.names,
        {4: (0,)},
        forbidden=(group_of((0, 5), (1, 2)),),
        allowed=(group_of((0, 1, 5), range(7)), group_of((2,), (3,))),
    )
    told = replace(options, knowledge=knowledge)
    start = run_on_data(rows, replace(CLIMB, knowledge=knowledge), Budget(), QUIET)[0] if is_started else None
    forest = ScreeningForest(Header(rows.variables), {3: (2,), 6: (5,)}, {})
    for screened in (None, forest):
        search = DataRuns(rows, told, StructuralEM(), start, forest=screened)
        for network, _ in [search.run(Budget(None, 300), QUIET), *replicates(search)]:
            arcs = set(list_arcs(network.parents))
            assert (0, 4) in arcs and not arcs & {(0, 1), (0, 2), (5, 1), (5, 2)}
            assert all(p in (0, 1, 5) or (p, child) == (2, 3) for p, child in arcs)
            assert screened is None or (network.parents[3], network.parents[6]) == ((2,), (5,))


@pytest.mark.parametrize("is_replicated", [False, True])
def test_a_network_is_verified_in_the_order_of_the_data(is_replicated: bool, monkeypatch):
    """One whose columns are mixed up is not returned."""
    rows, _ = dependent_dataset(6, 7, 200, most_states=3, least_states=2)
    rows = reordered_rows(rows, np.roll(np.arange(7), 1))
    monkeypatch.setattr("stages.optimize.data_runs.positions_of", lambda order: np.arange(len(order)))
    search = DataRuns(rows, CLIMB, StructuralEM())
    with pytest.raises(VerificationError):
        replicates(search) if is_replicated else search.run(Budget(), QUIET)


@pytest.mark.parametrize("options", [CLIMB, OptimizeOptions(method="pricing", seed=1)])
def test_strengths_do_not_depend_on_the_order_of_the_columns(options):
    rows, _ = dependent_dataset(3, 6, 100, most_states=3)
    tables = (rows, reordered_rows(rows, np.arange(6)[::-1]))
    counts: list[Counter[frozenset[str]]] = []
    for seed, table in enumerate(tables):
        search = DataRuns(table, replace(options, seed=seed), StructuralEM())
        found = search.run_replicates(60, Resampling(), Budget(None, 300), NEVER)
        counts.append(Counter(frozenset(arc) for network, _ in found for arc in arcs_by_name(network)))
    # Four standard deviations of a difference of two counts of 60.
    assert all(abs(counts[0][pair] - counts[1][pair]) <= 22 for pair in counts[0] | counts[1])
