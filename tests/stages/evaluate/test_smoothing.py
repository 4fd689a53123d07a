"""Smoothing by cross-validated log-loss: against networks fitted fold by fold and judged by inference."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.graphs import network_of
from helpers.tables import dependent_dataset

import bnsl
from stages.evaluate.prediction import judge_predictions
from stages.evaluate.smoothing import FOLDS, GRID, losses_by_smoothing
from stages.fit import TOWARDS, fit_parameters
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator


@pytest.mark.parametrize("target", [0, 2, 4])
def test_equals_networks_fitted_fold_by_fold(target):
    dataset, _ = dependent_dataset(3, 5, 83)
    network = network_of([(), (0,), (0, 1), (2,), (2, 3)], list(dataset.names))
    found = losses_by_smoothing(network, dataset, target, seed=4)
    fold_of_row = task_generator(4).permutation(83) % FOLDS
    for towards, smoothing in itertools.product(TOWARDS, (GRID[0], GRID[4])):
        loss = 0.0
        for fold in range(FOLDS):
            inside, outside = (
                dataset.rows(np.flatnonzero((fold_of_row == fold) == kept), "") for kept in (True, False)
            )
            fitted = fit_parameters(network, outside, smoothing=smoothing, towards=towards)
            loss += judge_predictions(fitted, inside, target)["log_loss"] * inside.n_rows
        assert found[towards, smoothing] == pytest.approx(loss / 83)


def test_rows_with_holes_are_judged_by_the_families_that_they_show_whole():
    dataset, _ = dependent_dataset(3, 4, 90)
    parents = [(), (0,), (0, 1), (2,)]
    network, target = network_of(parents, list(dataset.names)), 0
    is_hidden = np.random.default_rng(1).random(dataset.codes.shape) < 0.15
    found = losses_by_smoothing(network, replace(dataset, is_hidden=is_hidden), target, seed=4)
    fold_of_row = task_generator(4).permutation(90) % FOLDS
    codes, sizes = dataset.codes.astype(int).T, dataset.n_states.tolist()
    losses = []
    for row in range(90):
        if is_hidden[target, row]:
            continue
        logs = np.zeros(sizes[target])
        for child in (0, 1, 2):
            family = [*parents[child], child]
            if is_hidden[family, row].any():
                continue
            counts = np.full([sizes[v] for v in family], GRID[2] / np.prod([sizes[v] for v in family]))
            for other in range(90):
                if fold_of_row[other] != fold_of_row[row] and not is_hidden[family, other].any():
                    counts[tuple(codes[other, family])] += 1
            table = counts / counts.sum(axis=-1, keepdims=True)
            for state in range(sizes[target]):
                cells = np.where(np.array(family) == target, state, codes[row, family])
                logs[state] += np.log(table[tuple(cells)])
        losses.append(np.log(np.exp(logs).sum()) - logs[codes[row, target]])
    assert len(losses) < 90 and found["uniform", GRID[2]] == pytest.approx(np.mean(losses))


def test_holes_go_with_each_smoothing():
    dataset, _ = dependent_dataset(3, 4, 83)
    table = {name: [str(c) for c in codes] for name, codes in zip(dataset.names, dataset.codes.tolist())}
    target = dataset.names[0]
    table[dataset.names[1]][::7] = [None] * 12
    network = bnsl.learn(table, method="tan", target=target, missing="em", smoothing_for=target, quiet=True)
    options = network.record.header.by[-1]["options"]
    by_hand = bnsl.fit(
        bnsl.optimize(data=table, method="tan", target=target, missing="em", quiet=True),
        table,
        missing="em",
        smoothing=options["smoothing"],
        smooth_towards=options.get("smooth_towards"),
        quiet=True,
    )
    assert network.cpt(dataset.names[2]) == by_hand.cpt(dataset.names[2])


def test_few_rows_are_refused():
    dataset, _ = dependent_dataset(3, 3, 4)
    with pytest.raises(StageError, match="5 folds of 4 rows"):
        losses_by_smoothing(network_of([(), (), ()], list(dataset.names)), dataset, 0)


def test_fit_takes_the_best():
    dataset, _ = dependent_dataset(3, 5, 83)
    table = {name: [str(c) for c in codes] for name, codes in zip(dataset.names, dataset.codes.tolist())}
    target = dataset.names[2]
    network = bnsl.learn(table, method="tan", target=target, quiet=True)
    chosen = bnsl.fit(network, table, smoothing_for=target, quiet=True)
    options = chosen.record.header.by[-1]["options"]
    assert options["smoothing_for"] == target and options["smoothing"] in GRID
    towards = options.get("smooth_towards")
    by_hand = bnsl.fit(network, table, smoothing=options["smoothing"], smooth_towards=towards, quiet=True)
    assert chosen.cpt(target)["probability"] == by_hand.cpt(target)["probability"]
    learnt = bnsl.learn(table, method="tan", target=target, smoothing_for=target, quiet=True)
    assert learnt.cpt(target)["probability"] == chosen.cpt(target)["probability"]
    for wrong, said in (
        ({"smoothing": 1}, "smoothing_for chooses smoothing: give one of them"),
        ({"smoothing_for": None, "smooth_towards": "marginal"}, "needs smoothing=ROWS or smoothing_for=NAME"),
    ):
        with pytest.raises(bnsl.UsageError, match=said):
            bnsl.fit(network, table, **{"smoothing_for": target, "quiet": True, **wrong})
    intervened = {**table, "set": [dataset.names[0], *[""] * 82]}
    with pytest.raises(bnsl.UsageError, match="cannot be combined with interventions: give smoothing"):
        bnsl.fit(network, intervened, interventions="set", smoothing_for=target, quiet=True)
    with pytest.raises(bnsl.DataError, match="no variable 'nobody'"):
        bnsl.fit(network, table, smoothing_for="nobody", quiet=True)
