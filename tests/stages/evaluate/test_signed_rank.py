"""The Bayesian signed-rank test against plain loops and an exact case."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.signed_rank import probabilities

from stages.evaluate.signed_rank import signed_rank_test

DIFFERENCES = (0.4, -0.1, 1.2, 0.3, -0.7, 0.05, 2.0, 0.6)


@pytest.mark.parametrize("seed", seeds(6, quick=2))
@pytest.mark.parametrize("region", [0.0, 0.3])
def test_plain_loops_agree(seed: int, region: float):
    rng = np.random.default_rng(seed)
    values = rng.normal(0.3, 1.0, (2, 6)).round(1)
    found = signed_rank_test(*values.tolist(), region, seed)
    expected = probabilities((values[0] - values[1]).tolist(), region, 1.0, 4000, seed)
    assert found[:3] == pytest.approx(expected, abs=5 * math.sqrt(0.25 / 4000))
    assert sum(found[:3]) == pytest.approx(1.0) and found.cases == 6 and found.error <= 0.0023


def test_one_data_set_has_an_exact_answer():
    """With uniform weight w of the case, better has w (2 - w) of the pairs: most of them if w > 1 - sqrt(1/2)."""
    found = signed_rank_test([1.0], [0.0])
    assert found.better == pytest.approx(math.sqrt(0.5), abs=4 * found.error)
    assert found.equal == pytest.approx(1 - math.sqrt(0.5), abs=4 * found.error) and found.worse == 0.0


def test_signs_and_holes():
    zeros = [0.0] * 8
    one, other = signed_rank_test(DIFFERENCES, zeros, 0.2), signed_rank_test(zeros, DIFFERENCES, 0.2)
    assert one[:3] == pytest.approx(other[2::-1], abs=0.012)
    holed = signed_rank_test([*DIFFERENCES, math.nan], [*zeros, 1.0], 0.2)
    assert holed == one and signed_rank_test([math.nan], [1.0]).cases == 0
    assert signed_rank_test(DIFFERENCES, zeros, 0.2) == one
