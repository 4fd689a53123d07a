"""Areas and calibration of arc strengths against plain counts over pairs."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from helpers.cases.evaluation import make_network

from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.graph_records import ArcProbabilityTable
from formats.records import Header
from stages.evaluate.arc_strengths import calibration, evaluate_strengths, precision_recall_area, roc_area
from stages.evaluate.record_keys import STRENGTH_KEYS


def plain_roc(strength, is_true):
    """The chance that a true one is stronger than a false one."""
    won = [
        1.0 if a > b else 0.5 if a == b else 0.0 for a, b in itertools.product(strength[is_true], strength[~is_true])
    ]
    return sum(won) / len(won)


def plain_average_precision(strength, is_true):
    """The mean, over true ones, of the precision among all that are at least as strong."""
    return np.mean([is_true[strength >= s].mean() for s in strength[is_true]])


@pytest.mark.parametrize("seed", range(10))
def test_areas(seed):
    rng = np.random.default_rng(seed)
    strength = rng.integers(0, 6, 30) / 5
    is_true = rng.random(30) < 0.2 + 0.5 * strength
    number = rng.integers(1, 4, 30)
    assert roc_area(strength, is_true, number) == pytest.approx(
        plain_roc(np.repeat(strength, number), np.repeat(is_true, number))
    )
    assert precision_recall_area(strength, is_true, number) == pytest.approx(
        plain_average_precision(np.repeat(strength, number), np.repeat(is_true, number))
    )


def test_areas_of_one_kind_are_unknown():
    strength, once = np.array([0.1, 0.7]), np.ones(2)
    assert roc_area(strength, np.array([True, True]), once) is None
    assert roc_area(strength, np.array([False, False]), once) is None
    assert precision_recall_area(strength, np.array([False, False]), once) is None


def test_calibration():
    strength = np.array([0.0, 0.1, 0.3, 0.30000000000000004, 0.25, 1.0])
    is_true = np.array([False, True, True, False, False, True])
    found = calibration(strength, is_true, np.ones(6))
    assert [(row["above"], row["to"], row["arcs"]) for row in found] == [(0, 0.1, 2), (0.2, 0.3, 3), (0.9, 1.0, 1)]
    assert [row["share"] for row in found] == pytest.approx([1 / 2, 1 / 3, 1])
    assert [row["strength"] for row in found] == pytest.approx([0.05, 0.85 / 3, 1])


def strengths(shares, n_variables) -> ArcProbabilityTable:
    ends = np.array(list(shares), dtype=np.int32).reshape(-1, 2)
    share = np.array(list(shares.values()))
    either = np.array([shares[a, b] + shares.get((b, a), 0) for a, b in shares])
    header = Header(tuple(Variable(f"X{i}") for i in range(n_variables)))
    return ArcProbabilityTable(header, ends[:, 0], ends[:, 1], share, np.zeros(len(share)), either)


def test_pairs_that_are_not_listed_count():
    rng = random.Random(4)
    parents = ((), (0,), (0, 1), (1,), ())
    shares = {(a, b): rng.random() / 2 for a in range(5) for b in range(5) if a != b and rng.random() < 0.5}
    found = evaluate_strengths(strengths(shares, 5), make_network(parents))
    arcs = [(a, b) for a in range(5) for b in range(5) if a != b]
    strength = np.array([shares.get(arc, 0.0) for arc in arcs])
    is_true = np.array([a in parents[b] for a, b in arcs])
    assert found["roc_area"] == pytest.approx(plain_roc(strength, is_true))
    assert found["pr_area"] == pytest.approx(plain_average_precision(strength, is_true))
    pairs = [(a, b) for a, b in arcs if a < b]
    either = np.array([shares.get((a, b), 0.0) + shares.get((b, a), 0.0) for a, b in pairs])
    joined = np.array([a in parents[b] or b in parents[a] for a, b in pairs])
    assert found["pair_roc_area"] == pytest.approx(plain_roc(either, joined))
    assert found["pair_pr_area"] == pytest.approx(plain_average_precision(either, joined))
    assert sum(row["arcs"] for row in found["calibration"]) == 20
    assert list(found) == ["variables", *(key.name for key in STRENGTH_KEYS), "calibration"]


def test_sure_arcs_are_ranked_and_calibrated_perfectly():
    found = evaluate_strengths(strengths({(0, 1): 1.0, (1, 2): 1.0}, 3), make_network([(), (0,), (1,)]))
    assert [found[key.name] for key in STRENGTH_KEYS] == [1, 1, 1, 1, 0]


def test_other_variables_are_refused():
    with pytest.raises(Inconsistent, match="the reference network lacks"):
        evaluate_strengths(strengths({(0, 1): 1.0}, 3), make_network([(), (0,)]))


def test_many_variables_need_no_matrix_of_all_pairs():
    n = 30_000
    parents = ((), *((v - 1,) for v in range(1, n)))
    found = evaluate_strengths(strengths({(0, 1): 0.9, (2, 1): 0.5}, n), make_network(parents))
    assert found["calibration"][0]["arcs"] == n * (n - 1) - 2
    assert found["pair_roc_area"] == pytest.approx(0.5 + 0.5 * 2 / (n - 1), abs=1e-8)
