"""Candidate sets and nodes of proofs, when columns are reordered."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.proofs import local_table

from formats.proof_records import HalfCut
from stages.evaluate.proof_checking import ProofChecker
from stages.graphs import positions_of
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.cuts import HalvedSum, key_of
from stages.optimize.bounds.proof_assembly import make_proof
from stages.optimize.bounds.proof_steps import Prices, TreeNode
from stages.optimize.column_order import reordered_lists, reordered_nodes, reordered_table
from stages.optimize.driver import run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


@pytest.mark.parametrize("seed", range(5))
def test_lists_come_back_whole(seed: int):
    table = local_table(seed, n_variables=9)
    order = np.random.default_rng(seed).permutation(9)
    turned = reordered_table(table, order)
    names = table.header.names
    assert turned.header.names == tuple(names[v] for v in order)
    for record in turned.records():
        own = {turned.header.names[v] for v in record.required}
        assert all(own <= {turned.header.names[v] for v in members} for members in record.parents)
    header, records = reordered_lists(turned.header, turned.records(), positions_of(order))
    assert header == table.header and records == list(table.records())


def keys(nodes: list[TreeNode]) -> list:
    """What nodes hold, with references to nodes above as numbers."""
    number = {id(node): k for k, node in enumerate(nodes)}

    def prices(some: Prices) -> tuple:
        return [key_of(origin) for origin in some.origins], some.multipliers

    return [
        (
            number.get(id(node.above)),
            node.pair,
            [prices(some) for some in node.exclusions],
            None if node.best is None else prices(node.best),
            node.is_solved,
        )
        for node in nodes
    ]


def test_nodes_come_back_whole():
    pair = np.array([0, 2], dtype=np.int32), 1
    half = HalvedSum([pair, (np.array([1, 2, 3], dtype=np.int32), 1)], np.array([1, 3], dtype=np.int32))
    nested = HalvedSum([half, pair], np.array([0], dtype=np.int32))
    root = TreeNode(exclusions=[Prices((pair, half), (1.0, 2.0))])
    branch = TreeNode(root, (0, 3), best=Prices((nested,), (0.5,)), is_solved=True)
    order = np.array([2, 0, 3, 1])
    turned = reordered_nodes([root, branch], order)
    assert turned[1].above is turned[0] and turned[1].pair == (1, 2)
    assert keys(reordered_nodes(turned, positions_of(order))) == keys([root, branch])


@pytest.mark.slow
def test_a_proof_with_branches_and_halved_sums_holds_in_another_order():
    kept: list = []
    table = local_table(5)
    options = OptimizeOptions(method="exact", keeps_proof=True)
    network, _ = run(table, options, Budget(), NullReporter(), lambda *found: kept.append(found))
    order = np.random.default_rng(1).permutation(table.n_variables)
    nodes = reordered_nodes(kept[0][1], order)
    proof = make_proof(nodes, reordered_table(table, order), network.header.extra["bound"])
    as_found = make_proof(kept[0][1], table, network.header.extra["bound"])
    assert proof.bound == as_found.bound and len(proof.nodes) == len(as_found.nodes)
    assert any(isinstance(cut, HalfCut) for cut in proof.cuts) == any(isinstance(c, HalfCut) for c in as_found.cuts)
    assert ProofChecker(proof, reordered_table(table, order)).excess(proof.bound) <= 0
