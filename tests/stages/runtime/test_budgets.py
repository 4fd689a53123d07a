"""Limits on time and work, by a clock that the test sets."""

from __future__ import annotations

import math
import pickle
import threading

from helpers.clocks import StoppedClock

from stages.runtime.budgets import Budget, Stop


def test_time_is_counted_from_construction_or_restart():
    clock = StoppedClock()
    clock.now = 7.0
    budget = Budget(seconds=10.0, clock=clock)
    clock.now = 13.0
    assert (budget.elapsed(), budget.time_left()) == (6.0, 4.0)
    assert not budget.is_spent()
    budget.restart()
    assert (budget.elapsed(), budget.time_left()) == (0.0, 10.0)
    clock.now = 24.0
    assert budget.time_left() == 0.0
    assert budget.is_spent()


def test_a_part_is_a_share_of_the_time_left_with_the_same_other_limits():
    clock, stop = StoppedClock(), threading.Event()
    budget = Budget(seconds=10.0, evaluations=7, stop=stop, clock=clock)
    assert budget.part(0.25).seconds == 2.5
    clock.now = 6.0
    part = budget.part(0.25)
    assert (part.seconds, part.evaluations, part.stop) == (1.0, 7, stop)
    clock.now = 7.0
    assert part.is_spent() and not budget.is_spent()
    assert Budget().part(0.5).seconds is None


def test_evaluations_end_a_budget_without_a_clock():
    budget = Budget(evaluations=7)
    assert not budget.is_spent(6)
    assert budget.is_spent(7)
    assert budget.time_left() == math.inf


def test_an_interrupt_leaves_no_time():
    budget = Budget()
    assert not budget.interrupted and not budget.is_spent(10**9)
    budget.stop.set()
    assert budget.interrupted and budget.is_spent()
    assert budget.time_left() == 0.0


def test_budgets_arrive_elsewhere_with_the_time_that_is_left_and_a_new_stop():
    clock, stop = StoppedClock(), Stop()
    budget = Budget(100.0, 7, stop, clock)
    clock.now += 40.0
    stop.set()
    arrived, endless = pickle.loads(pickle.dumps((budget, Budget())))
    assert not arrived.stop.is_set() and not endless.stop.is_set() and endless.seconds is None
    assert 59.0 < arrived.time_left() <= 60.0 and arrived.evaluations == 7
