"""Posterior probabilities of arcs, given candidate parent sets whose scores are log marginal likelihoods.

A network's posterior weight is the product of ``exp(score)`` over its families, which must be listed sets; sets that
are not listed have weight 0. `exact` sums over all networks of few variables by dynamic programming over subsets;
`patterns` takes such sums over some of the networks. `sampling` runs several Markov chains, `diagnostics` checks
their convergence and `estimates` averages over them. `weights` turns lists into weights, `arc_posterior` makes tables
of arcs. `directions` counts what decides directions in drawn networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.methods import Described, own

if TYPE_CHECKING:
    from formats.graph_records import ArcPattern

PRIORS = {
    "dags": "all networks are equally probable before the data are seen",
    "orders": "all orders of the variables are, so a network counts once for every order that it agrees with",
}

FEATURES = ("ancestors", "blankets")
"""Relations of pairs of variables, besides arcs, whose probabilities can be computed."""


@dataclass(frozen=True)
class MethodSpec(Described):
    """A method, and the fields of `PosteriorOptions` that it reads."""

    help: str
    source: str
    options: tuple[str, ...] = ()


METHODS: dict[str, MethodSpec] = {
    "exact": MethodSpec(
        "sums over all networks by dynamic programming over subsets of variables",
        "Koivisto and Sood 2004, Tian and He 2009",
    ),
    "sampled": MethodSpec(
        "runs Markov chains, which resample the parents of a few variables at a time",
        "Goudie and Mukherjee 2016",
        options=("chains", "samples", "burn_in", "seed", "time"),
    ),
}

EXACT_UNASKED = 18
"""Largest number of variables for which `exact` is the default; such a run takes seconds."""

BLANKETS_UNASKED = 14
"""The same with Markov blankets, for which each pair takes a sum over all networks."""

MOST_EXACT = {"dags": 20, "orders": 22}
"""Largest number of variables for which `exact` is possible, by prior: a run takes a minute or two, and some 200 or
600 MB.
"""


@dataclass(frozen=True)
class PosteriorOptions:
    """Options of posterior probabilities."""

    method: str | None = None  # key of `METHODS`; None for the default of `choose_method`
    prior: str = "dags"  # key of `PRIORS`
    features: tuple[str, ...] = ()  # of `FEATURES`
    patterns: tuple[ArcPattern, ...] = ()  # patterns whose probabilities are computed as well
    chains: int = own(4, "Number of Markov chains. Each starts from a different network.", metavar="N", least=1)
    # None: as many as the time limit allows, or `DEFAULT_SAMPLES` without one.
    samples: int | None = own(
        None,
        "Number of sampled networks of all chains together; 10,000 unless --time is given.",
        metavar="N",
        least=1,
    )
    burn_in: float = own(
        0.25, "Share of each chain that is discarded at its beginning.", metavar="SHARE", least=0.0, most=0.99
    )
    seed: int = 0
    jobs: int = 1  # number of chains that run in parallel; the result does not depend on it


DEFAULT_SAMPLES = 10_000


def choose_method(options: PosteriorOptions, n_variables: int) -> str:
    """The method given in the options, or the default for the number of variables and the requested features."""
    if options.method is not None:
        return options.method
    return "exact" if options.prior == "orders" or why_sampled(options, n_variables) is None else "sampled"


def why_sampled(options: PosteriorOptions, n_variables: int) -> str | None:
    """Why `exact` is not the default under the prior of networks, in words; None if it is."""
    gap = exact_gap(options)
    if gap is not None:
        return f"{gap} need sampled networks"
    if n_variables > EXACT_UNASKED:
        return f"exact sums over more than {EXACT_UNASKED} variables take long (--exact)"
    if "blankets" in options.features and n_variables > BLANKETS_UNASKED:
        return f"exact Markov blankets of more than {BLANKETS_UNASKED} variables take long (--exact)"
    return None


def exact_gap(options: PosteriorOptions) -> str | None:
    """The first requested feature that `exact` does not compute, in words; None if there is none."""
    if "ancestors" in options.features and options.prior == "orders":
        return "ancestors under the prior of orders"
    if any(statement.relation == "~>" for pattern in options.patterns for statement in pattern.statements):
        return "patterns with paths"
    return None
