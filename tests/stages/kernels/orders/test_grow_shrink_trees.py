"""Scores of all slots by kept trees, against sets grown and shrunk from their definition."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.optimize.pricing import grow_then_shrink

from stages.kernels.orders.grow_shrink_trees import GrowShrinkTrees, grow_along, score_slots
from stages.optimize.pricing.boss import KeptTrees
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.set_grower import SetGrower


def hand_trees():
    """Child 0 grows by 1, then 2, or by 2 alone; the others by nobody."""
    return GrowShrinkTrees(
        first=np.array([0, 4, 4, 2, 3, 3]),
        last=np.array([2, 4, 4, 3, 3, 3]),
        score=np.array([-9.0, -5.0, -5.0, -6.0, -7.0, -4.0]),
        variable=np.array([1, 2, 2], dtype=np.int32),
        target=np.array([3, 4, 5]),
    )


def test_hand_growth():
    """Child 0 at slot 2 of the order 1, 2, 0, and with 1 or 2 left out."""
    trees, position = hand_trees(), np.array([2, 0, 1])
    assert grow_along(trees, 0, position, 2, -1) == (5, -1, -1, 3)
    assert grow_along(trees, 0, position, 1, -1) == (3, -1, -1, 1)
    assert grow_along(trees, 0, position, 0, -1) == (0, -1, -1, 0)
    assert grow_along(trees, 0, position, 2, 1) == (4, -1, 0, 3)
    assert grow_along(trees, 0, position, 2, 2) == (3, -1, 2, 3)


def test_hand_slots():
    trees, scores, missing = hand_trees(), np.empty(3), np.empty(9, dtype=np.int64)
    position = np.array([0, 0, 1])
    order = np.array([1, 2], dtype=np.int32)
    assert score_slots(trees, order, position, 0, scores, missing) == 0
    assert scores.tolist() == [-19.0, -16.0, -14.0]
    order, position = np.array([0, 2], dtype=np.int32), np.array([0, 0, 1])
    assert score_slots(trees, order, position, 1, scores, missing) == 0
    assert scores.tolist() == [-16.0, -19.0, -19.0]


def test_hand_missing():
    """What is not known is asked for, and nothing else."""
    trees, scores, missing = hand_trees(), np.empty(3), np.empty(9, dtype=np.int64)
    order, position = np.array([0, 2], dtype=np.int32), np.array([0, 0, 1])
    trees.target[0] = -1
    n = score_slots(trees, order, position, 1, scores, missing)
    assert missing[:n].tolist() == [-1]
    trees.target[0], trees.score[3] = 3, np.nan
    n = score_slots(trees, order, position, 1, scores, missing)
    assert missing[:n].tolist() == [3]


@pytest.mark.parametrize("seed", seeds(12, quick=3))
def test_slots_are_scored_as_defined(seed):
    n = 7
    dataset, _ = dependent_dataset(seed, n, 150, most_states=3)
    scorer, rng = FamilyScorer(dataset), np.random.default_rng(seed)
    required = [(1,) if child == 4 and seed % 2 else () for child in range(n)]
    growers = [SetGrower(scorer, child, 3 + seed % 3, required=required[child]) for child in range(n)]
    trees = KeptTrees(growers)
    for _ in range(4):
        moved, *others = rng.permutation(n).tolist()
        slots = trees.score_slots(moved, np.array(others, dtype=np.int32), lambda: False)
        for slot in range(n):
            order = [*others[:slot], moved, *others[slot:]]
            total = 0.0
            for place, child in enumerate(order):
                total += grow_then_shrink(
                    growers[child].score, set(order[:place]), required[child], growers[child].max_parents
                )
            assert slots[slot] == pytest.approx(total, abs=1e-9)
