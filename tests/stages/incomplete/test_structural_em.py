"""Structural expectation maximisation: its first tree, its score, its rounds, its ends."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from helpers.cases.incomplete import with_holes
from helpers.cases.inference import small_network
from naive import inference as naive

from formats.records import NetworkRecord
from stages.fit import fit_parameters
from stages.incomplete import StructuralEM
from stages.incomplete.structural_em import learn_structure, observed_score, spanning_tree
from stages.inference.forward_sampling import random_network
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run_on_data
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.independent import count_parameters, score_families
from stages.screening.entropies import compute_entropies, mutual_information

CLIMB = OptimizeOptions(method="hc", seed=1)


def climb(table, start, reporter=None):
    return run_on_data(table, CLIMB, Budget(), NullReporter(), start)


def learn(rows, search=climb, start=None, stop=None, **settings):
    stop = stop or threading.Event()
    return learn_structure(rows, search, StructuralEM(**settings), start, stop, NullReporter())


def drawn_rows(seed=1, share=0.2, n_rows=300, n_variables=7):
    return with_holes(random_network(n_variables, states=(2, 3), parents=(1, 2), seed=seed), n_rows, share, seed)


@pytest.mark.parametrize("seed", range(4))
def test_the_first_tree_has_most_information(seed):
    """Among all spanning trees of five variables, listed by their sets of edges."""
    rows = with_holes(small_network(seed, 5, most_states=3), 60, 0.2, seed)
    information = mutual_information(compute_entropies(rows), rows.names, "")
    tree = spanning_tree(rows)
    assert sum(map(len, tree.parents)) == 4 and tree.parents[0] == ()
    best = 0.0
    for edges in itertools.combinations(itertools.combinations(range(5), 2), 4):
        reached = {0}
        for _ in range(4):
            reached |= {v for edge in edges if set(edge) & reached for v in edge}
        if len(reached) == 5:
            best = max(best, sum(information[a, b] for a, b in edges))
    arcs = [(child, parent) for child, family in enumerate(tree.parents) for parent in family]
    assert sum(information[arc] for arc in arcs) == pytest.approx(best)


def test_bic_of_observed_cells():
    """For BIC the score is the log-likelihood less the penalty, whatever the holes were filled with."""
    rows = drawn_rows()
    table = rows.filled(rows.codes)
    network, _ = climb(table, None)
    n_states = [len(variable.known_states) for variable in table.variables]
    penalty = np.log(table.n_rows) / 2 * count_parameters(network.parents, n_states)
    assert observed_score(network, table, -1234.5) == pytest.approx(-1234.5 - penalty)


@pytest.mark.parametrize("imputation", ["best", "drawn"])
def test_rounds(imputation):
    rows = drawn_rows()
    tables = []

    def search(table, start, reporter):
        tables.append((table, start))
        return climb(table, start)

    network, figures = learn(rows, search, imputation=imputation, rounds=6)
    extra = network.header.extra
    scores = [found["score"] for found in figures["rounds"]]
    assert extra["holes"] == rows.n_holes and extra["imputation"] == imputation
    assert extra["rounds"] == len(scores) == len(tables) <= 6
    assert extra["observed_score"] == max(scores)
    assert all(later > earlier for earlier, later in itertools.pairwise(scores[:-1]))
    assert tables[0][1] is None and all(isinstance(start, NetworkRecord) for _, start in tables[1:])
    for table, _ in tables:
        assert np.array_equal(table.codes[~rows.is_hidden], rows.codes[~rows.is_hidden])
        assert (table.codes.max(axis=1) < table.n_states).all()
    # The network's scores are those of the table that it was found on.
    table = tables[int(np.argmax(scores))][0]
    again = score_families(network.parents, table, ("bic",))["bic"]
    assert network.scores == pytest.approx(again) and extra["total"] == pytest.approx(again.sum())


@pytest.mark.slow
def test_the_score_is_of_the_observed_cells():
    """Fitted parameters are near a maximum of the likelihood that listing all states gives."""
    rows = drawn_rows(n_rows=60, n_variables=5)
    tables = []

    def search(table, start, reporter):
        tables.append(table)
        return climb(table, start)

    network, _ = learn(rows, search, rounds=1)
    start = fit_parameters(network, tables[0], smoothing=1.0)
    _, trace = naive.maximised(start, rows.codes, rows.is_hidden, 1.0, 31)
    found = network.header.extra["observed_score"]
    assert found == pytest.approx(observed_score(network, tables[0], trace[-1]), abs=0.1)


def test_no_holes_take_one_search_more_at_most():
    rows = drawn_rows(share=0.0)
    network, figures = learn(rows)
    complete, _ = climb(rows, None)
    assert network.parents == complete.parents and len(figures["rounds"]) <= 2


def test_as_often_drawn_with_the_same_seed():
    rows = drawn_rows()
    found = [learn(rows, imputation="drawn", seed=seed, jobs=jobs)[0] for seed, jobs in ((3, 1), (3, 2))]
    assert found[0].parents == found[1].parents and (found[0].scores == found[1].scores).all()


def test_a_start_completes_first_and_warms_the_search():
    rows = drawn_rows()
    start = spanning_tree(rows)
    seen = []

    def search(table, before, reporter):
        seen.append(before)
        return climb(table, before)

    learn(rows, search, start=start, rounds=1)
    assert seen == [start]


def test_stopped_in_a_search():
    rows, stop = drawn_rows(), threading.Event()

    def search(table, start, reporter):
        if start is not None:
            stop.set()
        return climb(table, start)

    network, figures = learn(rows, search, stop=stop)
    assert network.header.extra["rounds"] == len(figures["rounds"]) == 1
    assert "observed_score" in network.header.extra


def test_stopped_in_the_first_search():
    rows, stop = drawn_rows(), threading.Event()

    def search(table, start, reporter):
        stop.set()
        return climb(table, start)

    network, _ = learn(rows, search, stop=stop)
    assert network.header.extra["rounds"] == 0 and "observed_score" not in network.header.extra


def test_a_bound_on_the_treewidth_holds_and_no_optimum_is_claimed():
    rows = drawn_rows()
    options = OptimizeOptions(method="pricing", treewidth=1, seed=1)
    network, _ = learn(rows, lambda table, *_: run_on_data(table, options, Budget(evaluations=500), NullReporter()))
    assert network.header.extra["treewidth"]["width"] <= 1
    assert "bound" not in network.header.extra, "an optimum of the filled table is none of the rows"
