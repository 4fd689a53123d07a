"""Held-out likelihoods against their definition: how much one more row adds to the BDeu score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.evaluation import make_dataset, make_network, make_variables, random_parents, random_rows
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive import networks as naive_networks
from naive import scores as naive_scores

from formats.records import Parameters
from stages.evaluate.likelihood import (
    cross_validated_log_likelihoods,
    held_out_log_likelihoods,
    parameter_log_likelihoods,
)
from stages.fit import fit_parameters
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator
from stages.scoring.independent import score_families

N_STATES = [2, 3, 2, 4]


def test_by_hand():
    # X0 was 1 in three of four rows: (3 + 1) / (4 + 2); X1 given X0 = 1 was 0 in two of three.
    training = make_dataset([(0, 1), (1, 0), (1, 0), (1, 1)], [2, 2])
    test = make_dataset([(1, 0), (0, 0)], [2, 2])
    got = held_out_log_likelihoods([(), (0,)], training, test, smoothing=2.0)
    expected = [math.log(4 / 6) + math.log(2.5 / 4), math.log(2 / 6) + math.log(0.5 / 2)]
    assert got == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_a_row_adds_as_much_to_bdeu(seed):
    rows, more = random_rows(seed, N_STATES, 30), random_rows(seed + 100, N_STATES, 20)
    parents = random_parents(seed, 4, 3)
    got = held_out_log_likelihoods(parents, make_dataset(rows, N_STATES), make_dataset(more, N_STATES), 2.5)
    before = naive_scores.network_score(rows, N_STATES, parents, "bdeu", 2.5)
    after = [naive_scores.network_score([*rows, row], N_STATES, parents, "bdeu", 2.5) for row in more]
    assert got == pytest.approx(np.array(after) - before, rel=1e-9)


def test_leave_one_out_is_the_loss_of_bdeu():
    rows = random_rows(7, N_STATES, 25)
    parents = random_parents(7, 4, 3)
    got = cross_validated_log_likelihoods(parents, make_dataset(rows, N_STATES), folds=25, smoothing=1.5)
    whole = naive_scores.network_score(rows, N_STATES, parents, "bdeu", 1.5)
    rest = [naive_scores.network_score(rows[:i] + rows[i + 1 :], N_STATES, parents, "bdeu", 1.5) for i in range(25)]
    assert got == pytest.approx(whole - np.array(rest), rel=1e-9)


@pytest.mark.parametrize("folds", [2, 3, 10])
def test_every_fold_is_a_held_out_set(folds):
    rows = random_rows(3, N_STATES, 50)
    parents = random_parents(3, 4, 2)
    got = cross_validated_log_likelihoods(parents, make_dataset(rows, N_STATES), folds, seed=11)
    fold_of_row = task_generator(11).permutation(50) % folds
    assert np.ptp(np.bincount(fold_of_row)) <= 1
    for fold in range(folds):
        inside = [row for row, f in zip(rows, fold_of_row) if f == fold]
        outside = [row for row, f in zip(rows, fold_of_row) if f != fold]
        expected = held_out_log_likelihoods(parents, make_dataset(outside, N_STATES), make_dataset(inside, N_STATES))
        assert got[fold_of_row == fold] == pytest.approx(expected, rel=1e-12)


def test_tables_far_larger_than_the_data():
    n_states = [3] + [4] * 40
    rows = random_rows(1, n_states, 60)
    parents = [tuple(range(1, 41)), *[()] * 40]
    training, test = make_dataset(rows[:40], n_states), make_dataset(rows[20:], n_states)
    got = held_out_log_likelihoods(parents, training, test)
    empty = held_out_log_likelihoods([()] * 41, training, test)
    only_child = held_out_log_likelihoods([()], make_dataset([r[:1] for r in rows[:40]], [3]),
                                          make_dataset([r[:1] for r in rows[20:]], [3]))  # fmt: skip
    # Configurations of all 40 parents: seen once in training (first 20 test rows) or never (the other 20).
    expected = np.where(np.arange(40) < 20, 0.0, math.log(1 / 3))
    assert got - (empty - only_child) == pytest.approx(expected, abs=1e-9)


def test_smoothing_and_folds_must_make_sense():
    dataset = make_dataset(random_rows(1, N_STATES, 5), N_STATES)
    with pytest.raises(ValueError, match="smoothing"):
        held_out_log_likelihoods([()] * 4, dataset, dataset, smoothing=0.0)
    for folds in (1, 6):
        with pytest.raises(StageError, match="folds"):
            cross_validated_log_likelihoods([()] * 4, dataset, folds)


@given(st.integers(0, 10**6))
def test_equivalent_networks_predict_alike(seed):
    training, test = (make_dataset(random_rows(seed + i, N_STATES, 20), N_STATES) for i in range(2))
    classes = naive_networks.equivalence_classes(4)
    members = classes[seed % len(classes)]
    first, last = (held_out_log_likelihoods(m, training, test, 2.0) for m in (members[0], members[-1]))
    assert first == pytest.approx(last, rel=1e-9)


@given(st.integers(0, 10**6))
def test_probabilities_of_all_rows_sum_to_one(seed):
    n_states = [2, 3, 2]
    everything = [(a, b, c) for a in range(2) for b in range(3) for c in range(2)]
    training = make_dataset(random_rows(seed, n_states, 15), n_states)
    parents = random_parents(seed, 3, 2)
    logs = held_out_log_likelihoods(parents, training, make_dataset(everything, n_states))
    assert math.fsum(np.exp(logs)) == pytest.approx(1.0, rel=1e-12)


def relative_frequencies(rows, n_states, parents):
    """Tables of plain relative frequencies; parents in the order given."""
    tables = []
    for child, parent_set in enumerate(parents):
        counts = np.zeros([n_states[v] for v in (*parent_set, child)])
        for row in rows:
            counts[tuple(row[v] for v in (*parent_set, child))] += 1
        tables.append(counts / counts.sum(axis=-1, keepdims=True))
    return tuple(tables)


def test_given_parameters_reproduce_the_maximum_likelihood():
    n_states = [2, 3, 2]
    rows = random_rows(5, n_states, 400)
    parents = [(2, 1), (), (1,)]
    dataset = make_dataset(rows, n_states)
    network = Parameters(make_variables(n_states), tuple(parents), relative_frequencies(rows, n_states, parents))
    total = math.fsum(parameter_log_likelihoods(network, dataset))
    assert total == pytest.approx(math.fsum(score_families(parents, dataset, ("ll",))["ll"]), rel=1e-12)


def test_fitted_parameters_give_the_held_out_likelihood():
    parents = [(), (0,), (0, 1), (2,)]
    training, test = (make_dataset(random_rows(seed, N_STATES, 40), N_STATES) for seed in range(2))
    fitted = fit_parameters(make_network(parents, N_STATES), training, smoothing=2.5)
    expected = held_out_log_likelihoods(parents, training, test, smoothing=2.5)
    assert parameter_log_likelihoods(fitted, test) == pytest.approx(expected, rel=1e-12)


def test_impossible_rows_have_probability_zero():
    network = Parameters(make_variables([2]), ((),), (np.array([1.0, 0.0]),))
    assert parameter_log_likelihoods(network, make_dataset([(0,), (1,)], [2])).tolist() == [0.0, -math.inf]
