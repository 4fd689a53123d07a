"""Effects of setting a variable, with the uncertainty about the structure and about the parameters.

In every source, structures differ for one cause x in two facts: the parents of x, and the variables that x is an
ancestor of. `cause_structures` and `posterior_structures` give the probability of each combination, for networks, an
essential graph, or the posterior over networks of listed sets. Given the combination, the distribution of y under
do(x) follows from counts of the data: if x is an ancestor of y, it adjusts for the parents of x (Pearl 2009), else it
is that of y. `parent_adjustment` has the moments and draws of its posterior, `averages` mixes them over the
combinations (BIDA: Pensar, Talvitie, Hyttinen and Koivisto 2020; for categorical variables Kvisgaard and Pensar
2025).
"""

from __future__ import annotations

from dataclasses import dataclass

MEASURES = {
    "probability": "P(effect state | do(cause state))",
    "contrast": "this probability minus its mean under the other states of the cause",
    "strength": "how far the effect's distributions under the states of the cause are apart (Jensen-Shannon "
    "divergence with equal weights, in nats)",
}
"""What can be computed for a pair of variables."""


@dataclass(frozen=True)
class EffectOptions:
    """How effects are estimated."""

    measure: str = "probability"  # key of `MEASURES`
    smoothing: float = 1.0  # equivalent sample size of the uniform prior of the parameters, positive
    level: float = 0.9  # posterior probability of the credible intervals
    draws: int = 1000  # draws of each effect; rounded up to an even number
    seed: int = 0
    jobs: int = 1  # threads; the result does not depend on them
