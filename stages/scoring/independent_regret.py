"""The regret of multinomial distributions, computed apart from the scores of the search."""

from __future__ import annotations

import functools
import math

import numpy as np

FEW_STATES = 1 << 12
"""Numbers of states up to which regrets follow from one another."""


@functools.lru_cache(maxsize=1 << 14)
def log_regret(n_rows: int, n_states: float) -> float:
    """Logarithm of the multinomial regret C(n, r), in nats.

    Up to `FEW_STATES` by C(n, r + 2) = C(n, r + 1) + (n / r) C(n, r) (Kontkanen and Myllymäki 2007), beyond it by
    its sum over numbers of states taken (Mononen and Myllymäki 2008), of which a term is the product of the ratios
    before it.
    """
    if n_states > FEW_STATES:
        k = np.arange(n_rows)
        ratios = np.log1p(-k / n_rows) + np.log(n_states - 1.0 + k) - np.log1p(k)
        return float(np.logaddexp.reduce(np.concatenate(([0.0], np.cumsum(ratios)))))
    # C(n, 2) in whole: all its terms but the first are falling powers of n over powers of n.
    steps = np.arange(1, min(n_rows, math.isqrt(100 * n_rows) + 1))
    two = 1.0 + (1.0 + float(np.exp(np.cumsum(np.log1p(-steps / n_rows))).sum()))
    logarithm, ratio = 0.0, two
    for r in range(1, int(n_states)):
        logarithm += math.log(ratio)
        ratio = 1.0 + n_rows / r / ratio
    return logarithm
