"""Subgradient ascent: against a plain twin on relaxed problems of choice whose optimum is known, and its ends."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from helpers.seeds import seeds

from stages.kernels.arrays import copy_into
from stages.kernels.bounds.subgradient_ascent import BOUND, IDLE, PATIENCE, SHORTER, new_pace, raise_bound
from stages.kernels.jit import borrowing, njit


class Choice(NamedTuple):
    """Choose a row of least cost among those whose lacks are all at most zero; the lacks are priced."""

    costs: np.ndarray
    lacks: np.ndarray  # shape (n_rows, n_lacks)
    prices: np.ndarray
    best: np.ndarray
    chosen: np.ndarray  # shape (1,)


@borrowing
def move(choice, rise):
    lacks = choice.lacks[choice.chosen[0]]
    norm = 0.0
    for lack in lacks:
        norm += lack * lack
    for c in range(len(lacks)):
        choice.prices[c] = max(0.0, choice.prices[c] + rise / max(norm, 1e-300) * lacks[c])
    return norm > 0.0


@borrowing
def evaluate(choice):
    least = np.inf
    for s in range(len(choice.costs)):
        cost = choice.costs[s]
        for c in range(len(choice.prices)):
            cost += choice.prices[c] * choice.lacks[s, c]
        if cost < least:
            least, choice.chosen[0] = cost, s
    return least


@borrowing
def keep(choice):
    copy_into(choice.best, choice.prices)


@njit
def climb(choice, pace, target, n_steps):
    raise_bound(choice, pace, target, n_steps, move, evaluate, keep)


def started(costs: np.ndarray, lacks: np.ndarray) -> tuple[Choice, np.ndarray]:
    """The problem at prices of zero, and the pace there."""
    zeros, pace = np.zeros(lacks.shape[1]), new_pace()
    pace[BOUND] = costs.min()
    return Choice(costs, lacks, prices=zeros, best=zeros.copy(), chosen=np.array([costs.argmin()])), pace


def climbed(costs: np.ndarray, lacks: np.ndarray, target: float, n_steps: int) -> tuple[float, float, int]:
    """The plain twin: best bound, share, and steps since the bound improved or the share fell."""
    prices, best, share, idle, slope = np.zeros(lacks.shape[1]), costs.min(), 1.0, 0, lacks[costs.argmin()]
    for _ in range(n_steps):
        if best >= target or not slope.any():
            break
        prices = np.maximum(0.0, prices + share * (target - best) / (slope @ slope) * slope)
        reduced = costs + lacks @ prices
        slope = lacks[reduced.argmin()]
        idle = 0 if reduced.min() > best else idle + 1
        best = max(best, reduced.min())
        if idle == 20:
            share, idle = 0.66 * share, 0
    return best, share, idle


@pytest.mark.parametrize("seed", seeds(20, quick=3))
def test_the_bound_rises_to_the_optimum_as_the_plain_twin_does(seed):
    rng = np.random.default_rng(seed)
    # One demand and two rows, one of which lacks it: the relaxed problem has no gap.
    costs, lacks = np.array([0.0, rng.exponential(5.0)]), np.array([[rng.exponential()], [0.0]])
    choice, pace = started(costs, lacks)
    climb(choice, pace, costs[1], 50)
    assert pace[BOUND] == pytest.approx(costs[1])
    # With more of them it has: the target is not met, and bounds fall and rise.
    costs, lacks = rng.exponential(5.0, 30), rng.normal(size=(30, 4))
    lacks[-1] = -rng.random(4)
    optimum = costs[(lacks <= 0.0).all(axis=1)].min()
    for n_steps in (0, 1, 30, 400):
        choice, pace = started(costs, lacks)
        # The pace goes on from call to call.
        for part in (n_steps // 3, n_steps - n_steps // 3):
            climb(choice, pace, optimum, part)
        assert pace == pytest.approx(climbed(costs, lacks, optimum, n_steps), abs=1e-9)
        assert pace[BOUND] == pytest.approx((costs + lacks @ choice.best).min(), abs=1e-9)
        assert costs.min() <= pace[BOUND] <= optimum + 1e-9


def pace_after(bounds: list[float]) -> np.ndarray:
    """The pace, from a bound of zero, after steps that give these bounds."""
    pace, read = new_pace(), iter(bounds)
    pace[BOUND] = 0.0
    plain = getattr(raise_bound, "py_func", raise_bound)
    plain(None, pace, 9.0, len(bounds), lambda _, rise: rise > 0.0, lambda _: next(read), lambda _: None)
    return pace


def test_the_share_falls_after_patience_steps_in_a_row_without_a_better_bound():
    for runs in itertools.product([0, 1, PATIENCE - 1, PATIENCE, 2 * PATIENCE + 1], repeat=3):
        bounds = [x for level, n_worse in enumerate(runs) for x in (*[-1.0] * n_worse, level + 1.0)]
        share = SHORTER ** sum(n_worse // PATIENCE for n_worse in runs)
        assert pace_after(bounds).tolist() == [3.0, pytest.approx(share), 0.0]
    assert pace_after([1.0, *[1.0] * (PATIENCE - 1)])[IDLE] == PATIENCE - 1


def test_an_ascent_ends_at_the_target_or_with_nothing_to_change():
    choice, pace = started(np.array([0.0, 4.0]), np.array([[0.5], [0.0]]))
    for target, n_steps, reached in ((-1.0, 9, 0.0), (0.0, 9, 0.0), (3.0, 0, 0.0), (3.0, 1, 3.0), (3.0, 9, 3.0)):
        climb(choice, pace, target, n_steps)
        assert pace.tolist() == [reached, 1.0, 0.0] and choice.best.tolist() == [2.0 * reached]
    choice, pace = started(np.array([0.0, 4.0]), np.array([[0.0], [0.0]]))
    climb(choice, pace, 3.0, 9)
    assert pace.tolist() == [0.0, 1.0, 0.0] and choice.best.tolist() == [0.0]
