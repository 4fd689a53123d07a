"""The ladder of powers: as many rungs as asked for, or as the number of variables needs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists

from stages.posterior.walks import FLATTEST, LEAST_RUNGS, default_rungs, rung_ratio, weighted_lists


@pytest.mark.parametrize("n_variables", [1, 8, 37, 223, 1000])
def test_the_last_rung_is_flat_enough(n_variables):
    n_rungs, ratio = default_rungs(n_variables), rung_ratio(n_variables)
    assert ratio ** (n_rungs - 1) <= FLATTEST
    assert n_rungs == LEAST_RUNGS or ratio ** (n_rungs - 2) > FLATTEST


def test_rungs_are_closer_together_for_more_variables():
    ratios = [rung_ratio(n) for n in (5, 50, 200, 800)]
    assert ratios == sorted(ratios)
    # The spread of scores times the difference of the powers stays the same.
    assert (1 - ratios[2]) * math.sqrt(200) == pytest.approx((1 - ratios[3]) * math.sqrt(800))


def test_powers_of_the_posterior():
    lists = weighted_lists(as_table(random_lists(7, 4, 1.0)), 3)
    np.testing.assert_allclose(lists.rungs, rung_ratio(4) ** np.arange(3))
