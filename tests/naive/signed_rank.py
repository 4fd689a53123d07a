"""The Bayesian signed-rank test by plain loops."""

from __future__ import annotations

import random
from collections.abc import Sequence


def probabilities(
    differences: Sequence[float], region: float, strength: float, n_draws: int, seed: int
) -> tuple[float, float, float]:
    """Shares of draws in which most weight is on sums of two differences above, within, below the doubled region.

    A Dirichlet draw is a normalised vector of gamma draws. Ties share.
    """
    rng = random.Random(seed)
    values = [0.0, *differences]
    counts = [0.0, 0.0, 0.0]
    for _ in range(n_draws):
        gammas = [rng.gammavariate(strength, 1.0), *(rng.expovariate(1.0) for _ in differences)]
        weights = [g / sum(gammas) for g in gammas]
        shares = [0.0, 0.0, 0.0]
        for one, z in zip(weights, values):
            for other, y in zip(weights, values):
                place = 0 if z + y > 2 * region else 2 if z + y < -2 * region else 1
                shares[place] += one * other
        most = [share > max(shares) - 1e-12 for share in shares]
        for place in range(3):
            counts[place] += most[place] / sum(most)
    better, equal, worse = (count / n_draws for count in counts)
    return better, equal, worse
