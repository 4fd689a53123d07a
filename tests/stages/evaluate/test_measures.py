"""The record of measures as a whole: what it holds, in which order, and what it refuses."""

from __future__ import annotations

import dataclasses
import math
import random
import subprocess
import sys

import numpy as np
import pytest
from helpers.cases.evaluation import make_dataset, make_network, make_variables, random_parents, random_rows
from helpers.seeds import seeds
from naive import scores as naive_scores
from naive.networks import structure_summary

from formats.data_records import Dataset, Variable
from formats.errors import Inconsistent
from formats.graphs.structures import network_of, with_parameters
from formats.records import Header, NetworkRecord, Parameters
from stages.evaluate import measures
from stages.evaluate.likelihood import cross_validated_log_likelihoods, held_out_log_likelihoods
from stages.evaluate.measures import evaluate_network
from stages.evaluate.record_keys import MEASURE_KEYS
from stages.graphs import treewidth
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter
from stages.scoring.scores import SCORES

N_STATES = [2, 3, 2, 4, 2]
ROWS = random_rows(1, N_STATES, 60)
DATA = make_dataset(ROWS, N_STATES)
TEST = make_dataset(random_rows(2, N_STATES, 30), N_STATES)
PARENTS = [(), (0,), (0, 1), (2,), ()]


class Recorder(NullReporter):
    """Keeps the warnings."""

    def __init__(self):
        self.warnings = []

    def warn(self, message):
        self.warnings.append(message)


def reorder(dataset: Dataset, order: list[int]) -> Dataset:
    variables = tuple(dataset.variables[i] for i in order)
    return Dataset(variables, np.ascontiguousarray(dataset.codes[order]), dataset.fingerprint)


def test_structure_alone():
    assert evaluate_network(make_network(PARENTS)) == {
        "variables": 5,
        "arcs": 4,
        "min_states": None,
        "mean_states": None,
        "max_states": None,
        "min_parents": 0,
        "mean_parents": 0.8,
        "max_parents": 2,
        "min_children": 0,
        "mean_children": 0.8,
        "max_children": 2,
        "parameters": None,
        "treewidth_lower": 2,
        "treewidth_upper": 2,
        "jointree_cells": None,
    }
    assert evaluate_network(make_network(PARENTS, N_STATES))["parameters"] == 1 + 2 * 2 + 6 + 3 * 2 + 1


@pytest.mark.parametrize("seed", seeds(20, 3))
def test_the_summary_of_a_network_alone_is_what_counting_arc_by_arc_gives(seed):
    generator = random.Random(seed)
    n_states = [generator.randint(1, 4) for _ in range(generator.randint(1, 9))]
    parents = random_parents(seed, len(n_states), 3)
    record = evaluate_network(make_network(parents, n_states), treewidth=False)
    expected = structure_summary(parents, n_states)
    assert list(record) == list(expected)
    assert record == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("given", [{"data": DATA}, {"reference": make_network(PARENTS)}])
def test_only_a_network_alone_is_summarised(given):
    record = evaluate_network(make_network(PARENTS, N_STATES), treewidth=False, **given)
    assert list(record)[:4] == ["variables", "arcs", "max_parents", "parameters"]


def test_cells_of_a_junction_tree_by_hand():
    """Cliques {0, 1, 2}, {2, 3} and {4}."""
    assert evaluate_network(make_network(PARENTS, N_STATES))["jointree_cells"] == 2 * 3 * 2 + 2 * 4 + 2


def test_an_equivalent_network_differs_only_as_drawn():
    record = evaluate_network(make_network([(), (0,)], [2, 2]), reference=make_network([(1,), ()], [2, 2]))
    assert (record["shd"], record["skeleton_distance"]) == (0, 0)
    assert [record[f"drawn_{name}"] for name in ("true_positives", "false_positives", "false_negatives")] == [0, 1, 1]


def test_everything_at_once_comes_in_the_order_of_the_measures():
    elimination = {"bound": 2, "width": 2, "elimination": [4, 3, 2, 1, 0]}
    tables = tuple(np.full([N_STATES[v] for v in (*p, c)], 1 / N_STATES[c]) for c, p in enumerate(PARENTS))
    parameters = Parameters(make_variables(N_STATES), tuple(PARENTS), tables)
    network = with_parameters(make_network(PARENTS, N_STATES, treewidth=elimination), parameters)
    record = evaluate_network(
        network,
        data=DATA,
        test=TEST,
        reference=make_network([(), (), (1,), (2,), ()]),
        scores=tuple(SCORES),
        ess=3.0,
        smoothing=2.0,
        folds=5,
        seed=4,
        target=network.header.names[1],
    )
    # With an option of its own, of rows with holes, of a bound on tables, of proofs, of networks alone, only.
    names = [key.name for key in MEASURE_KEYS]
    others = {"target_curve", "test_holes", "certified_table", "proof_total", "proof_bound", "proof_gap"}
    others |= {f"{least}_{what}" for least in ("min", "mean", "max") for what in ("states", "parents", "children")}
    others.remove("max_parents")
    assert list(record) == [name for name in names if name not in others]
    for score in SCORES:
        expected = naive_scores.network_score(ROWS, N_STATES, PARENTS, score, 3.0)
        assert record[score] == pytest.approx(expected, rel=1e-12)
    held_out = held_out_log_likelihoods(PARENTS, DATA, TEST, 2.0)
    assert record["test_loglik"] == pytest.approx(held_out.mean(), rel=1e-12)
    folds = cross_validated_log_likelihoods(PARENTS, DATA, 5, 2.0, seed=4)
    assert record["cv_loglik"] == pytest.approx(folds.mean(), rel=1e-12)
    assert record["given_loglik"] == pytest.approx(-math.log(math.prod(N_STATES)), rel=1e-12)
    assert record["certificate"] == "valid"
    arcs = {key: record[key] for key in names[-8:]}
    # 0 - 1 and 0 - 2 are extra; 1 - 2 and 2 - 3 are undirected in both.
    assert arcs == {
        "shd": 2,
        "skeleton_distance": 2,
        "class_true_positives": 2,
        "class_false_positives": 2,
        "class_false_negatives": 0,
        "drawn_true_positives": 2,
        "drawn_false_positives": 2,
        "drawn_false_negatives": 0,
    }


def test_scores_are_computed_only_when_asked_for():
    record = evaluate_network(make_network(PARENTS), data=DATA, scores=("k2",), treewidth=False)
    assert list(record) == ["variables", "arcs", "max_parents", "parameters", "k2"]


@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_inputs_are_matched_by_name(seed):
    order = np.random.default_rng(seed).permutation(5).tolist()
    place = {v: i for i, v in enumerate(order)}
    target = random_parents(seed, 5, 2)
    moved_target = [[place[p] for p in target[v]] for v in order]
    moved_reference = NetworkRecord(
        Header(tuple(DATA.variables[v] for v in order)),
        tuple(tuple(sorted(p)) for p in moved_target),
        np.full(5, np.nan),
    )
    tables = tuple(np.random.default_rng(c).dirichlet(np.ones(N_STATES[c]), [N_STATES[v] for v in p])
                   for c, p in enumerate(PARENTS))  # fmt: skip
    parameters = Parameters(make_variables(N_STATES), tuple(PARENTS), tables)
    network = with_parameters(make_network(PARENTS, N_STATES), parameters)
    straight = evaluate_network(network, data=DATA, test=TEST, reference=make_network(target), folds=3)
    moved = evaluate_network(
        network, data=reorder(DATA, order), test=reorder(TEST, order[::-1]), reference=moved_reference, folds=3
    )
    assert moved == straight


def test_own_reference_is_at_distance_zero():
    network = make_network(PARENTS)
    record = evaluate_network(network, reference=network)
    assert (record["shd"], record["drawn_true_positives"], record["drawn_false_positives"]) == (0, 4, 0)


def test_stated_total_is_checked_against_the_data_it_was_computed_on():
    total = naive_scores.network_score(ROWS, N_STATES, PARENTS, "bic")
    network = make_network(PARENTS, total=total * (1 + 5e-7))
    network = dataclasses.replace(
        network, header=dataclasses.replace(network.header, score="bic", data=DATA.fingerprint)
    )
    reporter = Recorder()
    evaluate_network(network, data=DATA, reporter=reporter)
    assert reporter.warnings == []
    network.header.extra["total"] = total + 1
    evaluate_network(network, data=TEST, reporter=reporter)
    evaluate_network(network, data=DATA, scores=("aic",), reporter=reporter)
    assert reporter.warnings == []
    evaluate_network(network, data=DATA, reporter=reporter)
    assert len(reporter.warnings) == 1 and "total bic" in reporter.warnings[0]


def test_stated_bdeu_is_comparable_only_at_its_own_sample_size():
    header = Header(DATA.variables, "bdeu", data=DATA.fingerprint, ess=2.0, extra={"total": -1.0})
    network = NetworkRecord(header, tuple(PARENTS), np.full(5, np.nan))
    for ess, n_warnings in ((1.0, 0), (2.0, 1)):
        reporter = Recorder()
        evaluate_network(network, data=DATA, scores=("bdeu",), ess=ess, reporter=reporter)
        assert len(reporter.warnings) == n_warnings


def test_certificate_can_be_better_than_the_greedy_orders(monkeypatch):
    monkeypatch.setattr(measures, "bound_treewidth", lambda graph: treewidth.TreewidthBounds(1, 4, [2, 1, 0, 3, 4]))
    network = make_network(PARENTS, treewidth={"elimination": [4, 3, 2, 1, 0]})
    assert evaluate_network(network)["treewidth_upper"] == 2


def test_false_certificate_is_reported_not_fatal():
    network = make_network(PARENTS, treewidth={"bound": 1, "width": 1, "elimination": [4, 3, 2, 1, 0]})
    reporter = Recorder()
    record = evaluate_network(network, reporter=reporter)
    assert "width 2, the header says 1" in record["certificate"]
    assert reporter.warnings == [record["certificate"]]
    assert record["treewidth_upper"] == 2


def rename(dataset: Dataset, index: int, variable: Variable) -> Dataset:
    variables = (*dataset.variables[:index], variable, *dataset.variables[index + 1 :])
    return Dataset(variables, dataset.codes, dataset.fingerprint)


FOREIGN = rename(DATA, 2, Variable("other", ("0", "1")))
RECODED = rename(DATA, 2, Variable("X2", ("1", "0")))


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"data": FOREIGN}, "the data set lacks variables of the network: X2"),
        ({"data": DATA, "test": FOREIGN}, "the test set lacks"),
        ({"data": RECODED}, "column 'X2': the data set has other states"),
        ({"data": DATA, "test": RECODED}, "column 'X2': the test set has other states"),
        ({"reference": make_network([()] * 6)}, "variables that the network has not: X5"),
        ({"reference": make_network([()] * 11)}, "X10, X5, X6, X7, X8 and 1 more"),
        ({"reference": make_network([(1,), (0,), (), (), ()])}, "cycle"),
    ],
)
def test_inputs_that_do_not_fit(given, complaint):
    with pytest.raises(Inconsistent) as error:
        evaluate_network(make_network(PARENTS, N_STATES), **given)
    assert complaint in str(error.value)


def test_test_set_coded_unlike_the_data_is_refused_even_if_the_network_knows_no_states():
    with pytest.raises(Inconsistent, match="test set has other states"):
        evaluate_network(make_network(PARENTS), data=DATA, test=RECODED)


@pytest.mark.parametrize("given", [{"test": TEST}, {"folds": 3}])
def test_measures_that_need_more_input(given):
    with pytest.raises(StageError, match="needs --data"):
        evaluate_network(make_network(PARENTS), **given)


def test_cyclic_network_is_refused():
    with pytest.raises(Inconsistent, match="cycle"):
        evaluate_network(make_network([(1,), (2,), (0,)]))


def test_evaluation_loads_neither_numba_nor_scipy():
    program = (
        "import sys; import stages.evaluate; assert 'numpy' not in sys.modules;"
        "from stages.evaluate import measures;"
        "assert not {'numba', 'scipy', 'pyarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_impossible_rows_are_counted_and_no_infinity_is_reported():
    variables = (Variable("a", ("0", "1")),)
    model = Parameters(variables, ((),), (np.array([1.0, 0.0]),))
    data = Dataset(variables, np.array([[0, 1, 0, 1, 0]], dtype=np.uint8), "sha256:1")
    record = evaluate_network(network_of(model), data=data)
    assert record["given_loglik"] is None
    assert record["impossible_rows"] == 2


def test_a_number_of_parameters_that_no_double_holds_is_left_out():
    def parameters(n_parents: int) -> int | None:
        header = Header(tuple(Variable(f"V{v}", ("0", "1")) for v in range(n_parents + 1)))
        parents = (tuple(range(1, n_parents + 1)), *[()] * n_parents)
        network = NetworkRecord(header, parents, np.zeros(n_parents + 1))
        return evaluate_network(network, treewidth=False)["parameters"]

    assert parameters(1000) == 2**1000 + 1000
    assert parameters(1024) is None
