"""Proofs: what they claim against all networks of small lists, and what is no proof."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.cases.proofs import local_table, proof_of
from helpers.tables import dependent_dataset
from naive.networks import is_acyclic
from naive.optimize.networks_search import random_table

from bnsl_cli.main import cli
from formats import open_parent_sets, write_parent_sets
from formats.errors import Inconsistent
from formats.proof_records import ClusterCut, HalfCut, Node, Proof, Step, digest_of_sets
from stages.evaluate.proof_checking import NO_SUM, ProofChecker, best_of_component, check_proof, proved_gap
from stages.graphs import topological_order
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.proof_assembly import COARSE_BITS, make_proof
from stages.optimize.driver import run_on_data
from stages.optimize.pricing import loop
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def best_network(table, max_parents=None) -> float:
    """The best score of a network of listed sets, by trying all of them."""
    lists = []
    for first, last in pairwise(table.set_offsets.tolist()):
        sets = [(table.parent_set(s), table.scores[s]) for s in range(first, last)]
        lists.append([(p, x) for p, x in sets if max_parents is None or len(p) <= max_parents])
    best = -math.inf
    for chosen in product(*lists):
        if len(topological_order([parents for parents, _ in chosen])) == len(chosen):
            best = max(best, math.fsum(score for _, score in chosen))
    return best


@pytest.mark.parametrize("seed", range(40))
def test_proofs_hold_for_all_networks_of_small_lists(seed: int):
    table = random_table(seed, 5, max_parents=3, n_sets=4 + seed % 4)
    best = best_network(table)
    for method, options in (("exact", {}), ("ils", {"restarts": 1})):
        proof, network = proof_of(table, method, **options)
        check_proof(proof, table)
        assert proof.bound_in_nats >= best - 1e-9
        if method == "exact":
            assert proof.bound_in_nats - best < 1e-6
        found = proved_gap(proof, table, network)
        assert found["proof_gap"] >= found["proof_bound"] - found["proof_total"] - 1e-9
        short = replace(proof, bound=math.floor(math.ldexp(best, proof.bits)) - 1)
        with pytest.raises(Inconsistent, match="does not prove its bound"):
            check_proof(short, table)


@pytest.mark.parametrize("seed", [2, 5, 6, 7])
@pytest.mark.slow
def test_branch_and_cut_leaves_a_proof(seed: int, few_cuts):
    table = local_table(seed)
    proof, network = proof_of(table)
    check_proof(proof, table)
    assert len(proof.nodes) > 2 and network.header.extra["gap"] < 1e-6
    assert proof.bound_in_nats <= network.header.extra["bound"] + 1e-9
    assert score_by_climbing(table) <= proof.bound_in_nats


def score_by_climbing(table) -> float:
    """A network's score by hill climbing over orders: no more than the best one's."""
    rng = np.random.default_rng(0)
    lists = [
        [(set(table.parent_set(s)), table.scores[s]) for s in range(a, b)]
        for a, b in pairwise(table.set_offsets.tolist())
    ]

    def score(order) -> float:
        before: set[int] = set()
        total = 0.0
        for v in order:
            total += next(x for parents, x in lists[v] if parents <= before)
            before.add(v)
        return total

    order = rng.permutation(len(lists)).tolist()
    best = score(order)
    for _ in range(2000):
        v, place = rng.integers(len(order)), int(rng.integers(len(order)))
        other = [w for w in order if w != v]
        other.insert(place, int(v))
        if score(other) >= best:
            order, best = other, score(other)
    return best


@pytest.mark.parametrize("treewidth", [2, 3])
def test_under_a_treewidth_bound_the_proof_is_about_so_many_parents(treewidth: int):
    table = random_table(7, 6, max_parents=4, n_sets=6)
    proof, network = proof_of(table, "ils", treewidth=treewidth, restarts=2)
    assert proof.max_parents == treewidth
    check_proof(proof, table)
    assert proof.bound_in_nats >= best_network(table, treewidth) - 1e-9
    assert proved_gap(proof, table, network)["proof_gap"] >= 0.0


@pytest.mark.parametrize("magnitude", [1e-6, 1.0, 1e9])
def test_scores_of_any_size_and_ties(magnitude: float):
    table = random_table(3, 5, max_parents=3, n_sets=6)
    for scores in (table.scores * magnitude, np.full_like(table.scores, -magnitude)):
        scaled = replace(table, scores=scores)
        proof, _ = proof_of(scaled)
        check_proof(proof, scaled)
        best = best_network(scaled)
        assert best - 1e-15 * abs(best) <= proof.bound_in_nats <= best + 1e-9 * max(1.0, abs(best))


def test_cuts_hold_for_every_network():
    """Random clusters and halves of halves: the weights of each network's sets add up to the demand."""
    rng = np.random.default_rng(5)
    table = random_table(2, 5, max_parents=4, n_sets=5)
    cuts: list[ClusterCut | HalfCut] = []
    for number in range(60):
        if number < 20:
            members = np.sort(rng.permutation(5)[: rng.integers(1, 6)])
            cuts.append(ClusterCut(tuple(members.tolist()), int(rng.integers(1, len(members) + 1))))
        else:
            parts = np.sort(rng.permutation(number)[: rng.integers(1, 5)])
            lowered = np.flatnonzero(rng.random(5) < 0.5)
            cuts.append(HalfCut(tuple(parts.tolist()), tuple(lowered.tolist())))
    nothing = Proof(table.header, digest_of_sets(table), 40, 0, None, tuple(cuts), (Node(-1, (), ()),))
    checker = ProofChecker(nothing, table)
    least = [10**9] * len(cuts)
    for chosen in product(*(range(a, b) for a, b in pairwise(table.set_offsets.tolist()))):
        if len(topological_order([table.parent_set(s) for s in chosen])) < len(chosen):
            continue
        for number, (sets, weights, _) in enumerate(checker._cuts):
            least[number] = min(least[number], int(weights[np.isin(sets, chosen)].sum()))
    assert all(found >= demand for found, (_, _, demand) in zip(least, checker._cuts))
    assert any(demand > 1 for _, _, demand in checker._cuts[20:])


def test_the_best_of_a_component():
    for seed in range(20):
        table = random_table(seed, 4, max_parents=3, n_sets=5)
        sets = [
            [(table.parent_set(s), round(1000 * table.scores[s])) for s in range(a, b)]
            for a, b in pairwise(table.set_offsets.tolist())
        ]
        assert best_of_component(sets, [0, 1, 2, 3]) == round(
            best_network(replace(table, scores=np.round(1000 * table.scores)))
        )


@pytest.mark.parametrize("seed", range(30))
def test_the_best_of_a_component_without_empty_sets(seed: int):
    """Choices among few sets, large numbers, parents outside, components of one variable, none that is acyclic."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    names = rng.permutation(9)[:n].tolist()
    others = [v for v in range(9) if v not in names]
    sets = [
        [
            (tuple(rng.choice([p for p in names if p != v] + others, rng.integers(1, 3), replace=False)), int(score))
            for score in rng.integers(-(1 << 57), 1 << 57, rng.integers(1, 4))
        ]
        for v in names
    ]
    sums = [
        sum(score for _, score in chosen)
        for chosen in product(*sets)
        if is_acyclic([tuple(names.index(p) for p in parents if p in names) for parents, _ in chosen])
    ]
    assert best_of_component(sets, names) == max(sums, default=NO_SUM)


def test_coarse_multipliers_stay_where_they_prove_as_much(few_cuts):
    table = local_table(5)
    proof, network = proof_of(table)
    coarse = 1 << (proof.bits - COARSE_BITS)
    is_coarse = [all(m % coarse == 0 for step in node.steps for m in step.multipliers) for node in proof.nodes]
    assert any(is_coarse)
    assert proof.bound_in_nats - network.header.extra["total"] < 1e-9


def test_numbers_that_do_not_fit_are_refused():
    table = random_table(1, 4, max_parents=2, n_sets=4)
    huge = Step((0,), (1 << 61,))
    proof = Proof(
        table.header, digest_of_sets(table), 40, 0, None, (ClusterCut((0, 1), 1),), (Node(-1, (), (huge,)),)
    )
    with pytest.raises(Inconsistent, match="too large"):
        check_proof(proof, table)


def test_a_proof_is_about_its_lists_alone():
    table = random_table(1, 4, max_parents=2, n_sets=4)
    proof, network = proof_of(table)
    other = replace(table, scores=table.scores + 1e-9)
    with pytest.raises(Inconsistent, match="other parent sets"):
        check_proof(proof, other)
    absent = replace(network, parents=((1, 2, 3), *network.parents[1:]))
    with pytest.raises(Inconsistent, match="not listed"):
        proved_gap(proof, table, absent)


def test_open_nodes_are_not_proved(few_cuts):
    """Without its last node, or with a pair that is not the same."""
    table = local_table(2)
    proof, _ = proof_of(table)
    *nodes, last = proof.nodes
    assert nodes[1:] and proof.cuts
    with pytest.raises(Inconsistent, match="does not prove"):
        check_proof(replace(proof, nodes=tuple(nodes)), table)
    wrong = replace(last, pair=(last.pair[0], (last.pair[1] + 1) % 24))
    with pytest.raises(Inconsistent, match="does not prove"):
        check_proof(replace(proof, nodes=(*nodes, wrong)), table)


DATA_RUNS = {
    "grown lists": ({}, False),
    "complete lists": ({}, True),
    "grown lists, treewidth 2": ({"treewidth": 2}, False),
    "complete lists, treewidth 2": ({"treewidth": 2}, True),
}


@pytest.mark.parametrize("kind", DATA_RUNS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_proofs_of_searches_on_data_are_about_the_sets_that_they_save(
    tmp_path: Path, monkeypatch, kind: str, seed: int
):
    options, is_complete = DATA_RUNS[kind]
    monkeypatch.setattr(loop, "forecast_listing", lambda _: 0.0 if is_complete else None)
    dataset, _ = dependent_dataset(seed, 12, 200, most_states=2)
    kept: dict = {}
    network, _ = run_on_data(
        dataset,
        OptimizeOptions(method="pricing", seed=seed, max_parents=3, keeps_proof=True, **options),
        Budget(evaluations=3000),
        NullReporter(),
        keep_lists=lambda header, records: write_parent_sets(tmp_path / "s.jsonl", header, list(records)),
        keep_nodes=lambda _, nodes: kept.update(nodes=nodes),
    )
    table, bound = open_parent_sets(tmp_path / "s.jsonl"), network.header.extra["bound"]
    proof = make_proof(kept["nodes"], table, bound, options.get("treewidth"))
    check_proof(proof, table)
    assert proof.bound_in_nats == pytest.approx(bound, abs=1e-6)
    measures = proved_gap(proof, table, network)
    assert measures["proof_gap"] == pytest.approx(network.header.extra["gap"], abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give --save-sets FILE"),
        (("--save-sets", "-"), "give --save-sets FILE"),
        (("--save-sets", "s", "--screen", "f"), "leave out --screen"),
        (("--save-sets", "s", "--tw", "1"), "the best forest is found from all pairs"),
    ],
)
def test_proofs_about_sets_that_nobody_has_are_refused(arguments: tuple[str, ...], message: str):
    given = ["optimize", "--data", "d.csv", "--method", "pricing", "--proof", "p", *arguments]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == 2
    assert message in result.output
