"""Seeds of parametrized tests, most of which a quick run leaves out."""

from __future__ import annotations

import pytest


def seeds(n: int, quick: int) -> list:
    """Seeds 0 to `n` - 1 for `parametrize`; those from `quick` on are marked slow."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, n))]
