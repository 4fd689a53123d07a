"""What a local score is: its penalty, prior or terms, and its properties; in nats, higher is better.

A score is the maximum log-likelihood of a family, with or without a penalty, or the log marginal likelihood under a
Dirichlet prior, or a sum of terms of counts. All decompose into a sum over families. The table
is in `scores`.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from formats.discovery import UnusableError

if TYPE_CHECKING:
    import numpy as np

Prior = Callable[[float, float, float], float]
"""``prior(r, q, ess)``: the Dirichlet parameter of each of r states of a child, under one of q configurations of
its parents.
"""


COUNTED = ("counts", "states", "configurations", "rows", "ess")
"""Parameters that a function of counts may have, see `counted`."""


@dataclass(frozen=True)
class Terms:
    """A score as a sum of ``cell`` over the cells less a sum of ``row`` over the configurations, see `counted`."""

    cell: Callable[..., Any]
    row: Callable[..., Any]
    bounds_supersets: bool  # whether `parentsets.dirichlet_bounds` holds; of a package's terms it says so

    def takes(self, part: str, name: str) -> bool:
        """Whether the function of a part, ``cell`` or ``row``, depends on one of `COUNTED`."""
        return name in _parameters(getattr(self, part))

    def key(self, part: str, states: int, configurations: float) -> tuple[str, int, float]:
        """What the terms of a part depend on for one table of data: 0 in the place of what they do not depend on."""
        q = configurations if self.takes(part, "configurations") else 0.0
        return part, states if self.takes(part, "states") else 0, q

    @property
    def by_configurations(self) -> bool:
        """Whether a term depends on the number of configurations."""
        return self.takes("cell", "configurations") or self.takes("row", "configurations")

    @property
    def shares_cells(self) -> bool:
        """Whether a cell adds the same to every family that has it, whichever of its variables is the child."""
        return not self.by_configurations and not self.takes("cell", "states")


@functools.cache
def _parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name in COUNTED]


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
    terms: Terms | None = None
    takes_ess: bool = False  # whether it has an equivalent sample size; a prior then depends on q as well
    # Whether q of the prior counts only the configurations that have rows (BDs, Scutari 2016). There are at most as
    # many as all, so what bounds the prior with all of them bounds it, too.
    by_occurrence: bool = False
    # Whether Markov equivalent graphs have the same score; then an arc between two variables without parents gains
    # the same in both directions.
    is_equivalent: bool = True
    # Why it does not even approximate the logarithm of a probability; empty if it does.
    no_posterior: str = ""
    package: str = ""  # the distribution that declares it; empty for this project

    @property
    def is_likelihood(self) -> bool:
        """Whether it is the log-likelihood, with or without a penalty."""
        return self.prior is None and self.terms is None

    @property
    def by_configurations(self) -> bool:
        """Whether the term of a cell or of a configuration depends on the number of configurations."""
        return self.takes_ess if self.terms is None else self.terms.by_configurations

    @property
    def bounds_supersets(self) -> bool:
        """Whether the rule of `parentsets.dirichlet_bounds` holds."""
        return self.prior is not None or (self.terms is not None and self.terms.bounds_supersets)

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

    def contributions(
        self, part: str, counts: np.ndarray, states: int, configurations: float, rows: int, ess: float
    ) -> np.ndarray:
        """What cells or configurations with these counts add, by the functions of `terms`; float64, in nats.

        - `part`: ``cell`` or ``row``.
        - `counts`: of any shape.
        - `states`: of the child.
        - `configurations`: of the parents, occurring or not.
        Raises `StageError` if the package's function gives no finite number for each, or not 0 for no rows.
        """
        import numpy as np

        function = getattr(self.terms, part)
        known = {"counts": np.array(counts, dtype=np.float64), "states": states, "configurations": configurations}
        known |= {"rows": rows, "ess": ess}
        given = {name: known[name] for name in _parameters(function)}
        try:
            with np.errstate(all="ignore"):
                # A copy, for the function may keep its array.
                found = np.array(function(**given), dtype=np.float64)
            said = _wrong(counts, found)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        if said:
            from stages.runtime.errors import StageError

            at = "".join(f", {name} {given[name]:g}" for name in COUNTED[1:] if name in given)
            raise StageError(
                f"the score {self.name} of the package {self.package} cannot be computed ({part}{at}): {said}\n"
                "  take another --score"
            )
        return found


def score_quantum(n_rows: int) -> float:
    """Scores on this number of rows are rounded to multiples of it, nats; a power of two.

    So a family has the same score however it was counted. Sums are at most about N ln N in size: 1e-13 of this is
    hundreds of its rounding units (1.1e-16).
    """
    return 2.0 ** math.ceil(math.log2(n_rows * math.log(n_rows + 1) * 1e-13))


def _wrong(counts: np.ndarray, found: np.ndarray) -> str:
    """What is wrong with the terms of some counts; empty if nothing is."""
    import numpy as np

    if found.shape != counts.shape:
        return f"an array of shape {found.shape} for counts of shape {counts.shape}"
    wrong = ~np.isfinite(found) | ((counts == 0) & (found != 0.0))
    if not wrong.any():
        return ""
    place = np.unravel_index(np.argmax(wrong), wrong.shape)
    wanted = "0: an empty cell or configuration adds nothing" if counts[place] == 0 else "a finite number"
    return f"{found[place]:g} for a count of {counts[place]}, which must be {wanted}"


def counted(
    name: str,
    cell: Callable[..., Any],
    row: Callable[..., Any],
    source: str = "",
    *,
    is_equivalent: bool = False,
    bounds_supersets: bool = False,
    no_posterior: str = "nothing says that it approximates a marginal likelihood",
) -> Score:
    """A sum of terms of counts, for a table of scores of a package: ``sum cell[N_xp] - sum row[N_p]``.

    The sums are over the cells of a family, and over the configurations of its parents. Both functions take arrays of
    counts and return nats of the same shape, 0 for a count of 0. Their parameters are taken by name: ``counts``
    (float64), and what the term depends on of ``states`` (of the child), ``configurations`` (of the parents,
    occurring or not), ``rows`` (of the table) and ``ess`` (of ``--ess``). Searches are fastest where ``cell`` depends
    on neither states nor configurations, and ``row`` not on configurations.

    - `name`: in messages and help.
    - `cell`, `row`: these functions.
    - `source`: publication.
    - `is_equivalent`: whether Markov equivalent networks score alike.
    - `bounds_supersets`: whether ``row(m) / m`` and ``(cell(m) - row(m)) / m`` never fall as m grows from 1, for any
      number of states, and no term depends on the number of configurations. Then larger sets are pruned by a bound;
      each table is checked for it. Without it nothing is pruned.
    - `no_posterior`: why ``bnsl posterior`` refuses it; empty for the logarithm of a marginal likelihood.
    Raises `UnusableError` for functions with other parameters, and for a bound with a term by configurations.
    """
    for part, function in (("cell", cell), ("row", row)):
        _check_parameters(name, part, function)
    terms = Terms(cell, row, bounds_supersets)
    if bounds_supersets and terms.by_configurations:
        raise UnusableError(f"{name}: bounds_supersets does not go with a term that depends on configurations")
    takes_ess = terms.takes("cell", "ess") or terms.takes("row", "ess")
    definition = f"{name}: terms of the counts of each configuration{f' ({source})' if source else ''}"
    return Score(
        name, definition, terms=terms, takes_ess=takes_ess, is_equivalent=is_equivalent, no_posterior=no_posterior
    )


def _check_parameters(name: str, part: str, function: Callable[..., Any]) -> None:
    """Raise `UnusableError` unless a function of counts can be called by the names of `COUNTED`."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise UnusableError(f"{name}: {part!r} is no function with named parameters ({error})") from error
    wrong = [p.name for p in parameters if p.name not in COUNTED and p.default is p.empty]
    wrong += [p.name for p in parameters if p.name in COUNTED and p.kind is p.POSITIONAL_ONLY]
    if wrong or "counts" not in _parameters(function):
        stated = f"this one has {', '.join(wrong)}" if wrong else "this one has no counts"
        raise UnusableError(f"{name}: the parameters of {part!r} are counts and some of {COUNTED[1:]}; {stated}")


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
