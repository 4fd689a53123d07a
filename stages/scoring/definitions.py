"""What a local score is: its penalty, prior or regret, and its properties; in nats, higher is better.

A score is the maximum log-likelihood of a family, with or without a penalty or a regret, or the log marginal
likelihood under a Dirichlet prior. All decompose into a sum over families. The table is in `scores`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Prior = Callable[[float, float, float], float]
"""``prior(r, q, ess)``: the Dirichlet parameter of each of r states of a child, under one of q configurations of
its parents.
"""


Regret = Callable[["np.ndarray", int, float, int], "np.ndarray"]
"""``regret(counts, states, configurations, rows)``: what configurations of the parents with these counts lose beside
their likelihood; float64, in nats, 0 for no rows. ``states`` are those of the child, ``configurations`` those of the
parents, occurring or not, ``rows`` those of the table.
"""


@dataclass(frozen=True)
class Score:
    """One local score."""

    name: str  # name in messages and help
    definition: str  # one clause of help
    # Positive nats per free parameter, by the number of rows. Scores with a penalty c on every configuration of the
    # parents, LL - c |P|, have the bounds in `parentsets.pruning_rules` and `optimize.climbing.climber`.
    penalty: Callable[[int], float] | None = None
    # As `Prior`. Scores with a prior have the bounds of `parentsets.dirichlet_bounds`.
    prior: Prior | None = None
    regret: Regret | None = None
    # Whether the regret depends on the number of configurations. If it does not, the score has the bounds of
    # `parentsets.dirichlet_bounds`.
    regret_by_configurations: bool = False
    takes_ess: bool = False  # whether it has an equivalent sample size; a prior then depends on q as well
    # Whether q of the prior counts only the configurations that have rows (BDs, Scutari 2016). There are at most as
    # many as all, so what bounds the prior with all of them bounds it, too.
    by_occurrence: bool = False
    # Whether Markov equivalent graphs have the same score; then an arc between two variables without parents gains
    # the same in both directions.
    is_equivalent: bool = True
    # Why it does not even approximate the logarithm of a probability; empty if it does.
    no_posterior: str = ""

    @property
    def is_likelihood(self) -> bool:
        """Whether it is the log-likelihood, with or without a penalty."""
        return self.prior is None and self.regret is None

    @property
    def by_configurations(self) -> bool:
        """Whether the term of a cell or of a configuration depends on the number of configurations."""
        return self.takes_ess or self.regret_by_configurations

    @property
    def bounds_supersets(self) -> bool:
        """Whether the rule of `parentsets.dirichlet_bounds` holds."""
        return self.prior is not None or (self.regret is not None and not self.regret_by_configurations)

    def penalty_on(self, n_rows: int) -> float:
        """Penalty in nats per free parameter; 0 where there is none."""
        return 0.0 if self.penalty is None else self.penalty(n_rows)


def score_quantum(n_rows: int) -> float:
    """Scores on this number of rows are rounded to multiples of it, nats; a power of two.

    So a family has the same score however it was counted. Sums are at most about N ln N in size: 1e-13 of this is
    hundreds of its rounding units (1.1e-16).
    """
    return 2.0 ** math.ceil(math.log2(n_rows * math.log(n_rows + 1) * 1e-13))
