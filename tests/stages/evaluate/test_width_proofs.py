"""Proofs within a treewidth: against all networks of small lists, in files, and what is refused."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.cases.proofs import proof_of
from helpers.seeds import seeds
from naive.optimize.ktrees import all_ktrees, best_bounded, best_inside
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of

from formats import open_network, open_parent_sets, open_proof, write_network, write_parent_sets, write_proof
from formats.errors import FormatError, Inconsistent
from formats.proof_records import WIDTH_ROWS, ClusterCut, Node, Proof, Step, WidthRow, digest_of_sets
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


@pytest.mark.parametrize(("treewidth", "most"), [(0, 0), (1, 1), (5, 5), (9, 9)])
def test_where_parents_alone_limit_the_width_the_proof_is_about_parents(treewidth: int, most: int):
    """A network of one parent each is a forest, and all variables fit the largest clique."""
    table = random_table(4, 6, 3, 8)
    proof, network = whole_proof(table, treewidth)
    assert (proof.treewidth, proof.max_parents) == (None, most)
    assert proved_gap(proof, table, network)["proof_gap"] < 1e-6


def test_dominated_sets_are_part_of_the_claim(few_rounds):
    """A set that a subset beats may hold the arc of a branch."""
    table = random_table(10, 6, 3, 8)
    worse = {
        v: {table.parent_set(s): table.scores[s] for s in range(table.set_offsets[v], table.set_offsets[v + 1])}
        for v in range(6)
    }
    for own in worse.values():
        for parents, score in list(own.items()):
            for extra in range(6):
                own.setdefault(tuple(sorted({*parents, extra})), score - 5.0)
    for v, own in worse.items():
        worse[v] = {parents: score for parents, score in own.items() if v not in parents and len(parents) <= 3}
    table = make_table(worse)
    proof, network = whole_proof(table, 3)
    assert proof.treewidth == 3
    assert proved_gap(proof, table, network)["proof_gap"] < 1e-6


def test_without_the_solver_a_proof_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(StageError, match="a proof under --tw 2 is made of multipliers of the linear solver HiGHS"):
        proof_of(random_table(3, 6, 3, 8), treewidth=2)


@pytest.fixture
def files(tmp_path, few_rounds):
    """Lists, a proof within treewidth 2 with branches, its network."""
    table = random_table(8, 6, 2, 8)
    proof, network = whole_proof(table, 2)
    assert proof.treewidth == 2 and len(proof.nodes) > 2
    sets, target, net = (str(tmp_path / name) for name in ("s.jsonl", "p.jsonl", "n.jsonl"))
    write_parent_sets(sets, table.header, table.records())
    write_proof(target, proof)
    write_network(net, network)
    return sets, target, net


def changed(target: str, change) -> None:
    """Change the objects of a written proof and seal it anew."""
    lines = [json.loads(line) for line in Path(target).read_bytes().splitlines()[:-1]]
    change(lines)
    Path(target).write_bytes(sealed([json.dumps(line).encode() + b"\n" for line in lines]))


def refused_by_both(sets: str, target: str, net: str) -> bool:
    try:
        proof, table = open_proof(target), open_parent_sets(sets)
        check_proof(proof, table)
        proved_gap(proof, table, open_network(net))
    except FormatError:
        return plain_check(sets, target, net).returncode != 0
    assert plain_check(sets, target, net).returncode == 0
    return False


def test_written_proofs_are_what_was_proved(files):
    sets, target, net = files
    plain = plain_check(sets, target, net)
    assert plain.returncode == 0 and "and a treewidth of at most 2 scores more than" in plain.stdout
    assert not refused_by_both(*files)


CHANGES = {
    "another treewidth": lambda lines: lines[0].update(treewidth=1),
    "no treewidth": lambda lines: [lines[0].pop(key) for key in ("treewidth", "elimination")],
    "a treewidth of all variables": lambda lines: lines[0].update(treewidth=6),
    "an order of five": lambda lines: lines[0]["elimination"].pop(),
    "one branch alone": lambda lines: lines[0].update(nodes=lines[0]["nodes"] - 1) or lines.pop(),
    "another edge": lambda lines: lines[-1].update(edge=[0, 5] if lines[-1]["edge"] != [0, 5] else [1, 5]),
    "an arc for an edge": lambda lines: lines[-1].update(arc=lines[-1].pop("edge")),
    "half of a row": lambda lines: lines.__setitem__(
        lines[0]["cuts"], {"half": [k for k, cut in enumerate(lines[1:]) if "joined" in cut][:1], "lowered": []}
    ),
    "a row of two kinds": lambda lines: lines[1].update(chord=[0, 1, 2]),
    "an unknown key": lambda lines: lines[1].update(other=1),
    "a path of two": lambda lines: lines.__setitem__(1, {"chord": [0, 1]}),
    "roots outside": lambda lines: lines.__setitem__(1, {"link": [0], "among": [1, 2, 3], "roots": [4]}),
    "itself among": lambda lines: lines.__setitem__(1, {"link": [0], "among": [0, 2, 3], "roots": [2]}),
    "within others": lambda lines: lines.__setitem__(1, {"part": [0, 1, 2], "within": [0, 3]}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_refused_by_both(files, name: str):
    changed(files[1], CHANGES[name])
    assert refused_by_both(*files)


def test_the_network_must_keep_the_treewidth(files):
    """By the proof's order: another order is no evidence."""
    sets, target, net = files
    changed(target, lambda lines: lines[0]["elimination"].reverse())
    table, network = open_parent_sets(sets), open_network(net)
    try:
        proved_gap(open_proof(target), table, network)
    except Inconsistent as error:
        assert "shows no treewidth of at most 2" in str(error)
        assert "does not show the treewidth" in plain_check(*files).stderr
    else:
        assert plain_check(*files).returncode == 0


def test_a_ray_proves_that_there_is_no_network(tmp_path):
    """Two variables that have each other as parents, and no other sets."""
    table = make_table({0: {(1,): -1.0}, 1: {(0,): -1.0}, 2: {(): -1.0}})
    ray = Step((0,), (1,), is_ray=True)
    proof = Proof(
        table.header, digest_of_sets(table), 40, -(10**15), None, (ClusterCut((0, 1), 1),), (Node(-1, (), (ray,)),)
    )
    check_proof(proof, table)
    scored = replace(proof, nodes=(Node(-1, (), (replace(ray, is_ray=False),)),))
    with pytest.raises(Inconsistent):
        check_proof(scored, table)
    sets, target = str(tmp_path / "s.jsonl"), str(tmp_path / "p.jsonl")
    write_parent_sets(sets, table.header, table.records())
    write_proof(target, proof)
    assert open_proof(target).nodes == proof.nodes
    assert "no bnsl.network" in plain_check(sets, target, sets).stderr  # what follows the check of the proof
    write_proof(target, scored)
    assert "left open" in plain_check(sets, target, sets).stderr
