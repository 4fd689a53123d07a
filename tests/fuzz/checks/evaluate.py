"""`bnsl evaluate`: sizes, scores, held-out likelihood, treewidth and distances of random networks."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from naive.networks import arcs, equivalence_classes, essential_graph, hamming_distance, skeleton
from naive.optimize.treewidth import jointree_cells, moral_edges, treewidth
from naive.table_scores import TableScores

from ..tables import Table, write_table
from .fit import fitted_table, with_unseen_states
from .networks import ParentSet, network_text, random_network
from .program import Case, expect, expect_close, score_options

MOST_CELLS = 20_000

MOST_COMPARED = 4
"""Variables up to which essential graphs are found from all networks of a class."""


def check(case: Case) -> None:
    """One to three random networks on the table, some of whose rows are the test set too."""
    rng = case.rng
    table = with_unseen_states(case) if case.chance(0.2) else case.table
    networks = [random_network(rng, table.n_states, 5, MOST_CELLS) for _ in range(rng.randint(1, 3))]
    line: list[object] = ["evaluate", "--json"]
    line += [case.write(f"network{i}.net.jsonl", network_text(table, p)) for i, p in enumerate(networks)]
    names = sorted({case.draw_score()[0] for _ in range(2)})
    ess = rng.choice((1.0, 0.1, 7.0)) if "bdeu" in names else 1.0
    line += ["--data", case.data, *itertools.chain(*(("--score", name) for name in names))]
    line += score_options("bdeu", ess)[2:] if "bdeu" in names else []
    test, smoothing = None, rng.choice((1.0, 1.0, 0.01, 20.0))
    if case.chance(0.7):
        rows = [rng.randrange(table.n_rows) for _ in range(rng.randint(1, 80))]
        test = table._replace(codes=table.codes[:, rows])
        line += ["--test", write_table(test, case.folder, name="test"), "--smoothing", repr(smoothing)]
    reference = None
    if case.chance(0.6):
        reference = random_network(rng, table.n_states, 5, MOST_CELLS)
        line += ["--reference", case.write("reference.net.jsonl", network_text(table, reference))]
    records = case.run(*line).json_lines()
    expect(len(records) == len(networks), f"{len(records)} records of {len(networks)} networks")
    for record, parents in zip(records, networks):
        _check_size(record, parents, table.n_states)
        _check_scores(case, record, parents, table, names, ess)
        _check_treewidth(record, parents, table.n_states)
        if test is not None:
            expected = _mean_log_likelihood(table, test, parents, smoothing)
            expect_close(record["test_loglik"], expected, "test_loglik")
        if reference is not None:
            _check_distance(record, parents, reference)


def _check_size(record: Mapping[str, Any], parents: Sequence[ParentSet], n_states: Sequence[int]) -> None:
    expected = {
        "variables": len(parents),
        "arcs": sum(map(len, parents)),
        "max_parents": max(map(len, parents)),
        "parameters": sum((n_states[c] - 1) * math.prod(n_states[p] for p in s) for c, s in enumerate(parents)),
    }
    for key, value in expected.items():
        expect(record[key] == value, f"{key}: {record[key]} in place of {value}")


def _check_scores(
    case: Case,
    record: Mapping[str, Any],
    parents: Sequence[ParentSet],
    table: Table,
    names: Sequence[str],
    ess: float,
) -> None:
    """Scores are of the states that the network knows, those that no row has among them."""
    scores = case.scores if table is case.table else TableScores(table.codes, table.n_states)
    for name in names:
        expected = math.fsum(scores.score(child, family, name, ess) for child, family in enumerate(parents))
        expect_close(record[name], expected, name, n_rows=table.n_rows)


def _check_treewidth(record: Mapping[str, Any], parents: Sequence[ParentSet], n_states: Sequence[int]) -> None:
    lower, upper, n = record["treewidth_lower"], record["treewidth_upper"], len(parents)
    expect(0 <= lower <= upper < n, f"treewidth from {lower} to {upper}")
    if n <= 5:
        exact = treewidth(moral_edges(parents))
        expect(lower <= exact <= upper, f"treewidth {exact} is not from {lower} to {upper}")
    if n <= MOST_COMPARED:
        edges = moral_edges(parents)
        sizes = {jointree_cells(edges, order, n_states) for order in itertools.permutations(range(n))}
        expect(record["jointree_cells"] in sizes, f"{record['jointree_cells']} cells are of no junction tree")


def _mean_log_likelihood(table: Table, test: Table, parents: Sequence[ParentSet], smoothing: float) -> float:
    total = 0.0
    for child, family in enumerate(parents):
        probabilities = fitted_table(table, child, family, smoothing)
        total += float(np.log(probabilities[tuple(test.codes[[*family, child]])]).sum())
    return total / test.n_rows


@functools.cache
def _essential_graphs(n: int) -> dict[Any, Any]:
    """The essential graph of every network of n variables."""
    return {parents: essential_graph(members) for members in equivalence_classes(n) for parents in members}


def _check_distance(record: Mapping[str, Any], parents: Sequence[ParentSet], reference: Sequence[ParentSet]) -> None:
    n, found, true = len(parents), arcs(parents), arcs(reference)
    expected = {
        "skeleton_distance": len(skeleton(parents) ^ skeleton(reference)),
        "drawn_true_positives": len(found & true),
        "drawn_false_positives": len(found - true),
        "drawn_false_negatives": len(true - found),
    }
    if n <= MOST_COMPARED:
        graphs = _essential_graphs(n)
        ours, theirs = graphs[tuple(parents)], graphs[tuple(reference)]
        expected["shd"] = hamming_distance(ours, theirs, n)
        common = sum(len(mine & other) for mine, other in zip(ours, theirs))
        expected["class_true_positives"] = common
        expected["class_false_positives"] = sum(map(len, ours)) - common
        expected["class_false_negatives"] = sum(map(len, theirs)) - common
    for key, value in expected.items():
        expect(record[key] == value, f"{key}: {record[key]} in place of {value}")
