"""Rows of the relaxation, as proofs write them: the same coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from naive.optimize.networks_search import random_table

from formats.proof_records import ClusterCut, Node, Proof, WidthRow, digest_of_sets
from stages.evaluate.proof_checking import ProofChecker
from stages.lists.set_lists import all_sets
from stages.optimize.exact.width.cliques import FamilyCliques
from stages.optimize.exact.width.proof_rows import written_row
from stages.optimize.exact.width.separation import FamilyPoint, first_rows, separate


@pytest.mark.parametrize(("seed", "treewidth"), [(0, 2), (1, 3), (2, 4), (3, 2)])
def test_written_rows_have_the_same_coefficients(seed: int, treewidth: int):
    table = random_table(seed, 7, treewidth, 12)
    cliques = FamilyCliques(table.set_offsets, all_sets(table), treewidth)
    rng = np.random.default_rng(seed)
    rows = list(first_rows(cliques))
    for _ in range(3):
        rows += separate(FamilyPoint(cliques, rng.random(cliques.n_columns) ** 2))
    kinds = {row.key[0] for row in rows}
    assert kinds >= {"edges", "arc", "sink", "edge", "cluster", "degree", "triangles", "link", "chord"}
    assert treewidth == 2 or kinds >= {"star", "triangle", "quads", "quad degree"}
    written = [written_row(cliques, row.key) for row in rows]
    cuts = tuple(row if isinstance(row, WidthRow) else ClusterCut(tuple(row[0].tolist()), row[1]) for row in written)
    order = tuple(range(7))
    nothing = Proof(table.header, digest_of_sets(table), 40, 0, None, cuts, (Node(-1, (), ()),), treewidth, order)
    checker = ProofChecker(nothing, table)
    column_of = {choice: _column(cliques, clique) for clique, choice in checker._chosen.items()}
    for row, (choices, weights, demand) in zip(rows, checker._cuts):
        found = {column_of.get(c, c): w for c, w in zip(choices.tolist(), weights.tolist()) if w}
        assert found == {c: w for c, w in zip(row.columns.tolist(), row.values.tolist()) if w}, row.key
        assert demand == row.demand, row.key


def _column(cliques: FamilyCliques, clique: tuple[int, ...]) -> int:
    columns = {2: cliques.pair_column, 3: cliques.triple_column, 4: cliques.quad_column}[len(clique)]
    return int(columns[clique])
