"""Structure optimisation: choose one parent set per variable so that the arcs form no cycle.

The main road is `MAIN_METHODS`: ``orders`` and ``treewidth`` search among listed sets, ``exact`` proves, ``pricing``
and ``climbing`` search on data, ``bounds`` computes upper bounds for all. `METHODS` adds published methods
(`stages.published`). The table is data; a method's module is imported when it runs (`stages.optimize.driver`). A
module for listed sets offers ``search``, a module for data offers ``search_data`` (`stages.optimize.result`).
`stages.optimize.verify` checks every result before it becomes a `NetworkRecord`.

To add a method, write its module and its entry in `MAIN_METHODS`, or in a folder of `stages.published`. Its options
are fields of `OptimizeOptions`; those that only some methods take are made by ``own(10, "...")``.
"""

# Imported where needed, since loading takes time: subset_dp
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.methods import DATA, DATA_TW, RESTARTED, SETS, SETS_TW, SearchMethod, Task, Variant, on_data, on_sets, own
from stages.published import SEARCHES

if TYPE_CHECKING:
    import numpy as np

    from stages.knowledge import Knowledge
    from stages.runtime.workers import Workers

    from ..lists.start_network import StartNetwork


# ------------------------------------------------------------------------------------------ options


INITS = ("random", "dfs", "fas", "entropy", "ascent")
"""Distributions of the initial orders of searches."""


@dataclass(frozen=True)
class OptimizeOptions:
    """Options of searches; a method's entry in `METHODS` names the options that it reads."""

    method: str | None = None  # key of `METHODS`; None for the choice of `choose_method`
    treewidth: int | None = None  # upper bound on the treewidth of the moral graph
    max_table: int | None = own(
        None,
        "Bound the table of each clique, the product of its variables' states, beside the treewidth: what exact "
        "inference pays for (Peruvemba Ramaswamy and Szeider 2021).",
        metavar="CELLS",
        least=1,
        needs="treewidth",
        section="Search among listed sets",
    )
    init: str = own(
        "random",
        "Where orders start: at random, as a depth-first walk from parents to children of best sets meets the "
        "variables, by a small feedback arc set (both Perez Urcia and Mauá 2015), by entropy, or as dual ascent on "
        "the upper bound places the variables.",
        choices=INITS,
    )
    iterations: int = own(100, "Greedy steps per restart.", metavar="N", least=0)
    # None: as many starting orders as the budget allows; for climbs, none after the first
    restarts: int | None = own(
        None,
        "Number of starting orders, 1000 if no budget is given at all; on data, of climbs after the first, none "
        "if not given.",
        metavar="N",
        least=1,
        section="Budget",
    )
    seed: int = 0
    jobs: int = 1  # threads
    workers: Workers | None = None  # workers elsewhere for replicates, in place of those of `jobs`
    # `score`, `ess`: local score of a search on data and its equivalent sample size.
    score: str = "bic"
    ess: float = 1.0
    max_parents: int | None = None  # largest parent set of a search on data
    tabu: int = own(
        0, "Length of the tabu list of pairs of variables that moves changed last; 0 for none.", metavar="N", least=0
    )
    perturb: int | None = own(
        None,
        "Random changes of an equivalent network before every restart; a tenth of the variables if not given.",
        metavar="N",
        least=1,
        needs="restarts",
    )
    knowledge: Knowledge | None = None  # about arcs; listed sets agree with it already
    alpha: float = own(0.05, "Level of the independence tests.", metavar="LEVEL", least=0.0, most=1.0, is_open=True)
    start: StartNetwork | None = None  # network to start from: among listed sets its order is the first
    # Mutual information of all pairs in nats, float64, shape (n_variables, n_variables), from
    # `stages.screening.entropies`; None to estimate it from the sets.
    information: np.ndarray | None = None
    # Whether equal moves are decided at random, from the stream of `seed`; replicates need this.
    draws_ties: bool = False
    # Whether sets are listed for a proof alone; a network of many, which are averaged, needs none.
    lists_for_proof: bool = True
    counts_literally: bool = False  # whether a climb counts what its definition asks for, beside what it computes
    keeps_proof: bool = False  # whether the result has what a proof of its bound needs
    target: str | None = own(None, "The class to predict, a column.", metavar="NAME", is_required=True)
    dependence: int = own(
        1, "Most features among the parents of a feature, beside the class; 0 for naive Bayes.", metavar="K", least=0
    )
    sampled_only: bool = own(
        False,
        "Answer from the sampled orders or k-trees alone, as the paper does, even where the best forest is better.",
    )
    best_first: bool = own(
        False,
        "Search each order as the paper does: best-first A*, bounded by the best sets among predecessors alone.",
    )

    @property
    def given_treewidth(self) -> int:
        """The bound on the treewidth, for methods that search under one."""
        if self.treewidth is None:
            raise ValueError("no treewidth bound is given")
        return self.treewidth


COMMON = ("method", "treewidth", "seed")
"""Fields recorded for every run; `jobs` changes no result."""

MAIN_METHODS = {
    "ils": SearchMethod(
        "orders",
        "iterated local search over orders, with --tw over k-trees; the best networks in a given time",
        {
            SETS: on_sets("stages.optimize.orders.ils", "init", *RESTARTED, "proof"),
            SETS_TW: on_sets("stages.optimize.treewidth.bounded_search", *RESTARTED, "max_table", "proof"),
        },
    ),
    "exact": SearchMethod(
        "exact",
        "the best network with the proof, or how far from it one may be when the time is up",
        {
            SETS: on_sets("stages.optimize.exact.any_width", "init", "start", "proof"),
            SETS_TW: on_sets("stages.optimize.exact.width.within_width", "start"),
        },
    ),
    "forest": SearchMethod(
        "treewidth",
        "at most one parent each, exactly, whatever the bound",
        {SETS_TW: on_sets("stages.optimize.treewidth.forest", "max_table")},
        "Chow & Liu 1968",
    ),
    "pricing": SearchMethod(
        "pricing",
        "order search alternating with growth of candidate sets, scored on the data, with --tw over k-trees; "
        "the best networks in a given time",
        {
            DATA: on_data("stages.optimize.pricing.order_pricing", "sets", "save_sets", "proof"),
            DATA_TW: on_data("stages.optimize.pricing.bounded", "sets", "save_sets", "proof", "max_table"),
        },
    ),
    "hc": SearchMethod(
        "climbing",
        "hill climbing, scored on the data: add, remove, reverse arcs",
        {DATA: on_data("stages.optimize.climbing.hc", "restarts", "perturb", "tabu")},
    ),
}

METHODS = {**MAIN_METHODS, **SEARCHES}
"""All searches by name: the main road's, then those of `stages.published`."""


def default_method(treewidth: int | None = None, on_data: bool = False, is_small: bool = False) -> str:
    """The method that finds the best networks for a task.

    With `is_small`, dynamic programming over subsets is possible (`bounds.subset_dp.subsets_fit`).
    """
    if on_data:
        return "pricing"
    if treewidth is not None:
        return "forest" if treewidth <= 1 else "ils"
    return "exact" if is_small else "ils"


def choose_method(options: OptimizeOptions, n_variables: int, on_data: bool = False) -> tuple[str, Variant]:
    """Name and variant of the method to run: the named one, or the best one for the task.

    The best one is ``exact`` only if no number of restarts is given. Raises `ValueError` if the named method does not
    do this kind of task.
    """
    name = options.method
    if name is None:
        from .bounds.subset_dp import subsets_fit

        is_small = options.restarts is None and subsets_fit(n_variables)
        name = default_method(options.treewidth, on_data, is_small)
    variant = METHODS[name].variants.get(Task(on_data, options.treewidth is not None))
    if variant is None:
        kind = f"{'on data' if on_data else 'among listed sets'}, treewidth bound {options.treewidth}"
        raise ValueError(f"method {name} does not search so: {kind}")
    return name, variant
