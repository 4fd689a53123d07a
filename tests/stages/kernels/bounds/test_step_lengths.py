"""Step lengths of subgradient methods: on a line, where the best step is known, and over all patterns of success."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from stages.kernels.bounds.step_lengths import PATIENCE, SHORTER, next_share, step_length


def test_a_whole_step_meets_the_target_of_a_linear_bound():
    rng = np.random.default_rng(1)
    for _ in range(20):
        slope, start, target = rng.normal(size=3), rng.normal(size=3), rng.normal()
        gap = target - slope @ start
        reached = start + step_length(1.0, gap, slope @ slope) * slope
        assert slope @ reached == pytest.approx(target)
        half = start + step_length(0.5, gap, slope @ slope) * slope
        assert slope @ half == pytest.approx(target - 0.5 * gap)


def test_the_share_falls_after_patience_steps_in_a_row_without_a_better_bound():
    for runs in itertools.product([0, 1, PATIENCE - 1, PATIENCE, 2 * PATIENCE + 1], repeat=3):
        share, n_idle = 1.0, 0
        for n_worse in runs:
            for _ in range(n_worse):
                share, n_idle = next_share(share, n_idle, False)
            share, n_idle = next_share(share, n_idle, True)
            assert n_idle == 0
        assert share == pytest.approx(SHORTER ** sum(n_worse // PATIENCE for n_worse in runs))
