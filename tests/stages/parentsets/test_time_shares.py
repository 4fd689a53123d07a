"""Shares of the time of a run, with searches that need given times on a clock of their own."""

from __future__ import annotations

import pytest

from stages.parentsets.child_searcher import TimeShares


def run(needs: list[float], seconds: float, ends: bool = True, step: float = 0.0) -> tuple[list[float], float]:
    """Time that each search gets, and the time left in the end; a search overruns its share by `step`."""
    shares, left, got = TimeShares(1, ends), seconds, []
    for k, need in enumerate(needs):
        share = shares.next_share(left, len(needs) - k)
        took = min(need, share + step)
        shares.note(took, share, took < need)
        left = max(0.0, left - took)
        got.append(took)
    return got, left


HARD_FIRST = [2.0, *[0.05] * 200]
HARD_BETWEEN = [0.05] * 50 + [1.5, 0.05, 1.5] + [0.05] * 150
HARD_LAST = [0.05] * 200 + [10.0]


@pytest.mark.parametrize("needs", [HARD_FIRST, HARD_BETWEEN, HARD_LAST], ids=["first", "between", "last"])
def test_no_search_is_cut_where_time_is_plenty(needs):
    got, left = run(needs, 2 * sum(needs) + 16)
    assert got == needs and left > 0


def test_one_long_search_costs_the_others_little():
    got, _ = run([1000.0] + [1.0] * 100, 50)
    assert got[0] < 5 and min(got[1:]) > 0.25 and sum(got) == pytest.approx(50)


def test_searches_that_never_end_share_equally():
    got, left = run([1000.0] * 100, 50, ends=False)
    assert got == pytest.approx([0.5] * 100) and left == pytest.approx(0)


def test_searches_that_all_need_more_share_the_time_but_for_the_first():
    got, _ = run([1000.0] * 100, 50)
    assert sum(got) == pytest.approx(50) and min(got) > 0.3


def test_overruns_are_subtracted():
    got, _ = run([1000.0] * 100, 50, ends=False, step=0.2)
    assert sum(got) < 51 and min(got) > 0.3


def test_workers_share():
    assert TimeShares(4, False).next_share(10.0, 8) == 5.0
    assert TimeShares(4, False).next_share(10.0, 2) == 10.0
    assert TimeShares(4, True).next_share(10.0, 8) == 5.0 + 0.125 * 20
