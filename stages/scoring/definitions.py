"""Definition of a local score: its penalty or prior, and its properties; in nats, higher is better. `scores` is the
table.

A score is the maximum log-likelihood of a family, with or without a penalty, or the log marginal likelihood under a
Dirichlet prior. All decompose into a sum over families.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

Prior = Callable[[float, float, float], float]
"""``prior(r, q, ess)``: the Dirichlet parameter of each of r states of a child, under one of q configurations of
its parents.
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
    takes_ess: bool = False  # whether the prior is given by an equivalent sample size; then it depends on q as well
    # Whether Markov equivalent graphs have the same score; then an arc between two variables without parents gains
    # the same in both directions.
    is_equivalent: bool = True
    # Why it does not even approximate the logarithm of a probability; empty if it does.
    no_posterior: str = ""
    package: str = ""  # the distribution that declares it; empty for this project

    def penalty_on(self, n_rows: int) -> float:
        """Penalty in nats per free parameter; 0 where there is none.

        Raises `StageError` if the function of another package gives no positive number.
        """
        if self.penalty is None:
            return 0.0
        if not self.package:
            return self.penalty(n_rows)
        try:
            penalty = float(self.penalty(n_rows))
            said = f"{penalty:g}"
        except Exception as error:
            penalty, said = math.nan, f"{type(error).__name__}: {error}"
        if not 0.0 < penalty < math.inf:
            from stages.runtime.errors import StageError

            raise StageError(
                f"the score {self.name} of the package {self.package} has no positive penalty on {n_rows} rows "
                f"({said})\n  take another --score, or more rows"
            )
        return penalty


def penalised(name: str, penalty: Callable[[int], float], source: str = "", no_posterior: str = "") -> Score:
    """The log-likelihood less a penalty on every free parameter, for a table of scores of a package.

    The family of a child with r states and q configurations of the parents, occurring or not, has (r - 1) q free
    parameters. Equivalent networks have equal scores, and the pruning rules hold: their proofs only need a positive
    penalty.

    - `name`: in messages and help.
    - `penalty`: positive nats per free parameter, by the number of rows.
    - `source`: publication.
    - `no_posterior`: why ``bnsl posterior`` refuses it.
    """
    definition = f"{name}: log-likelihood less a penalty per free parameter{f' ({source})' if source else ''}"
    reason = no_posterior or "nothing says that its penalty approximates a marginal likelihood"
    return Score(name, definition, penalty=penalty, no_posterior=reason)
