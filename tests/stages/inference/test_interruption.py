"""Long calls run in a thread and end when a signal raises an exception; short ones run as they are."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest
from helpers.cases.inference import small_network

from stages.inference.interruption import LONG_CELLS, interruptible
from stages.inference.junction_trees import Engine
from stages.kernels.inference.answers import LOGS, NO_STOP, answer_groups


class Stopped(Exception):
    pass


def prepared_query():
    engine = Engine(small_network(1, 5))
    hidden = np.ones((5, 1), dtype=np.bool_)
    groups = engine.group(hidden, np.ones(5, dtype=np.bool_))
    return engine, groups, engine.query(np.zeros((5, 1), dtype=np.uint8), groups)


def test_short_calls_stay_in_their_thread():
    _, _, query = prepared_query()
    found = interruptible(query, LONG_CELLS - 1, lambda asked: (asked, threading.current_thread()))
    assert found == (query, threading.main_thread())


def test_an_exception_in_the_main_thread_sets_the_flag():
    def stop(*_):
        raise Stopped

    def work(query):
        seen.append(query.stop)
        while not query.stop[0]:
            time.sleep(0.001)

    seen: list[np.ndarray] = []
    query = prepared_query()[2]
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Stopped):
            interruptible(query, LONG_CELLS, work)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen[0][0] == 1 and NO_STOP[0] == 0


def test_kernels_return_at_once_under_the_flag():
    engine, groups, query = prepared_query()
    query = query._replace(stop=np.ones(1, dtype=np.uint8), logs=np.full(len(query.logs), 7.0))
    answer_groups(engine.arrays, groups, query, LOGS, np.inf)
    assert (query.logs == 0.0).all(), "nothing was collected"
