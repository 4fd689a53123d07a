"""How probable each arc is, given candidate parent sets whose scores are logarithms of probabilities.

A network's posterior weight is the product of ``exp(score)`` over its families, all of them listed sets: a
list's sets that are not there count nothing. `METHODS` names the ways: `exact` sums over all networks of few
variables by dynamic programming over subsets, `sampling` walks through networks in several chains, which
`diagnostics` judges, and counts. `weights` reads lists as weights, `arcs` makes tables of arcs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.methods import own

if TYPE_CHECKING:
    from formats.graph_records import ArcPattern
    from stages.runtime.remote_workers import RemoteWorkers

PRIORS = {
    "dags": "all networks are equally probable before the data are seen",
    "orders": "all orders of the variables are, so a network counts once for every order that it agrees with",
}

FEATURES = ("ancestors", "blankets")
"""What else can be told of pairs of variables, besides arcs."""


@dataclass(frozen=True)
class MethodSpec:
    """One way: what it is, where it was published, and the fields of `PosteriorOptions` that it reads."""

    help: str
    source: str
    options: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """What it is, and where it was published."""
        return f"{self.help} ({self.source})"


METHODS: dict[str, MethodSpec] = {
    "exact": MethodSpec(
        "sums over all networks by dynamic programming over subsets of variables",
        "Koivisto and Sood 2004, Tian and He 2009",
    ),
    "sampled": MethodSpec(
        "tempered Markov chains that draw the parents of a few variables at a time anew",
        "Goudie and Mukherjee 2016, Geyer 1991",
        options=("chains", "rungs", "samples", "burn_in", "seed", "time"),
    ),
}

EXACT_UNASKED = 18
"""Variables up to which sums over networks are exact unless sampling is asked for: seconds."""

MOST_EXACT = {"dags": 20, "orders": 22}
"""Variables up to which they can be: a minute or two, some 200 and 600 MB."""


@dataclass(frozen=True)
class PosteriorOptions:
    """What a user can ask of posterior probabilities.

    Attributes
    ----------
    method : str or None
        Key of `METHODS`; by the number of variables if not given.
    prior : str
        Key of `PRIORS`.
    features : tuple of str
        Of `FEATURES`.
    patterns : tuple of ArcPattern
        What is asked besides.
    chains : int
    samples : int or None
        Networks kept of all chains together; None for a number by the clock, or `DEFAULT_SAMPLES`.
    rungs : int
        Networks of every chain, at powers of the posterior.
    burn_in : float
        Share of every chain that is left out at its beginning.
    seed : int
    jobs : int
        Chains at work at once; the result does not depend on it.
    remote : RemoteWorkers or None
        Who lets chains go on in place of this process.
    """

    method: str | None = None
    prior: str = "dags"
    features: tuple[str, ...] = ()
    patterns: tuple[ArcPattern, ...] = ()
    chains: int = own(4, "Markov chains, each from a network of its own.", metavar="N", least=1)
    samples: int | None = own(
        None, "Networks kept, all chains together; 10,000 unless --time is given.", metavar="N", least=1
    )
    rungs: int = own(
        4,
        "Networks of every chain, all but one at flatter powers of the posterior, which change places with one "
        "another (parallel tempering); 1 for none.",
        metavar="N",
        least=1,
    )
    burn_in: float = own(
        0.25, "Share of every chain that is left out at its beginning.", metavar="SHARE", least=0.0, most=0.99
    )
    seed: int = 0
    jobs: int = 1
    remote: RemoteWorkers | None = None


DEFAULT_SAMPLES = 10_000


def choose_method(options: PosteriorOptions, n_variables: int) -> str:
    """The method asked for, or the one that suits the number of variables and what is wanted of them."""
    if options.method is not None:
        return options.method
    if options.prior == "orders":
        return "exact"
    return "exact" if n_variables <= EXACT_UNASKED and exact_gap(options) is None else "sampled"


def exact_gap(options: PosteriorOptions) -> str | None:
    """What is wanted that only samples tell; None if nothing is."""
    if "blankets" in options.features:
        return "Markov blankets"
    if "ancestors" in options.features and options.prior == "orders":
        return "ancestors under the prior of orders"
    if any(statement.relation == "~>" for pattern in options.patterns for statement in pattern.statements):
        return "patterns with paths"
    return None
