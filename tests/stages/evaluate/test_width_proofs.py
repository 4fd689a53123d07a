"""Proofs within a treewidth: against all networks of small lists, in files, and what is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.cases.proofs import proof_of
from helpers.seeds import seeds
from naive.optimize.ktrees import all_ktrees, best_bounded, best_inside
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of

from formats import open_parent_sets, open_proof, write_network, write_parent_sets, write_proof
from formats.errors import FormatError, Inconsistent
from formats.proof_records import WIDTH_ROWS, WidthRow
from stages.evaluate.proof_checking import check_proof, proved_gap
from stages.runtime.errors import StageError

from .test_proof_files import plain_check, sealed


def whole_proof(table, treewidth, **options):
    """The proof of the exact search, which holds; and its network."""
    proof, network = proof_of(table, treewidth=treewidth, **options)
    check_proof(proof, table)
    return proof, network


def assert_proves(proof, table, network, best):
    assert best - 1e-9 <= proof.bound_in_nats <= best + 1e-6
    assert proved_gap(proof, table, network)["proof_gap"] < 1e-6
    with pytest.raises(Inconsistent, match="does not prove its bound"):
        check_proof(replace(proof, bound=math.floor(math.ldexp(best, proof.bits)) - 2), table)


@pytest.mark.parametrize("seed", seeds(12, quick=3))
def test_proofs_hold_for_all_networks_within_the_treewidth(seed: int, few_rounds):
    n, treewidth = 5, 2 + seed % 2
    table = random_table(seed, n, treewidth + 1, 4 + seed % 6, ties=seed % 3 == 0)
    proof, network = whole_proof(table, treewidth, seed=seed)
    assert_proves(proof, table, network, best_bounded(lists_of(table), treewidth))


@pytest.mark.parametrize(("seed", "treewidth"), [(1, 2), (2, 3), (3, 2), (4, 4), (5, 2), (6, 3)])
def test_proofs_hold_within_all_ktrees(seed: int, treewidth: int, few_rounds):
    table = random_table(seed, 6, treewidth, 7, ties=seed % 2 == 0)
    proof, network = whole_proof(table, treewidth)
    best = max(best_inside(lists_of(table), edges) for edges in all_ktrees(6, treewidth))
    assert_proves(proof, table, network, best)


def test_all_kinds_of_rows_and_branches_are_used(few_rounds):
    rows, kinds, rays = Counter(), Counter(), 0
    for seed in range(10):
        proof, _ = whole_proof(random_table(seed, 8, 3, 25), 2 + seed % 2)
        rows.update(cut.kind for cut in proof.cuts if isinstance(cut, WidthRow))
        kinds.update(node.kind for node in proof.nodes[1:])
        rays += sum(step.is_ray for node in proof.nodes for step in node.steps)
    assert rows.keys() == set(WIDTH_ROWS)
    assert kinds["edge"] == kinds["no_edge"] > 0
