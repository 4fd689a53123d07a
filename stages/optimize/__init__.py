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
        "Largest number of cells in the table of a clique, a bound beside the treewidth. The table has a cell for "
        "each combination of the states of the clique's variables, so its size is what exact inference pays for "
        "(Peruvemba Ramaswamy and Szeider 2021).",
        metavar="CELLS",
        least=1,
        needs="treewidth",
        section="Search among listed sets",
    )
    init: str = own(
        "random",
        "How to make the orders that the search starts from. random shuffles the variables. dfs follows the arcs "
        "from parents to children of best sets, depth first; fas removes a small feedback arc set from these arcs "
        "(both Perez Urcia and Mauá 2015). entropy shuffles the variables, but tends to place variables of large "
        "entropy first. ascent takes the order of a dual ascent on the upper bound.",
        choices=INITS,
    )
    iterations: int = own(100, "Number of greedy steps per restart.", metavar="N", least=0)
    # None: as many starting orders as the budget allows; for climbs, none after the first
    restarts: int | None = own(
        None,
        "Number of orders that the search starts from; 1000 if there is no other limit. For a search on data, number "
        "of climbs after the first; none if not given.",
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
        0,
        "Length of the tabu list, which holds the pairs of variables that the last moves changed. 0 keeps no list.",
        metavar="N",
        least=0,
    )
    perturb: int | None = own(
        None,
        "Number of random changes of an equivalent network before every restart; a tenth of the number of variables "
        "if not given.",
        metavar="N",
        least=1,
        needs="restarts",
    )
    knowledge: Knowledge | None = None  # about arcs; listed sets agree with it already
    alpha: float = own(
        0.05, "Significance level of the independence tests.", metavar="LEVEL", least=0.0, most=1.0, is_open=True
    )
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
    target: str | None = own(None, "Column of the class that the network predicts.", metavar="NAME", is_required=True)
    dependence: int = own(
        1,
        "Largest number of features among the parents of a feature, beside the class. 0 gives naive Bayes.",
        metavar="K",
        least=0,
    )
    sampled_only: bool = own(
        False,
        "Answer from the sampled orders or k-trees alone, as the paper does. Without this option the best forest is "
        "the answer where it scores higher.",
    )
    best_first: bool = own(
        False,
        "Search each order as the paper does: by best-first A*, bounded only by the best sets among predecessors.",
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
        "iterated local search over orders, or over k-trees with --tw; finds the best networks in a given time",
        {
            SETS: on_sets("stages.optimize.orders.ils", "init", *RESTARTED, "proof"),
            SETS_TW: on_sets("stages.optimize.treewidth.bounded_search", *RESTARTED, "max_table", "proof"),
        },
    ),
    "exact": SearchMethod(
        "exact",
        "proves that its network is the best, or says how far from the best it may be when time is up",
        {
            SETS: on_sets("stages.optimize.exact.any_width", "init", "start", "proof"),
            SETS_TW: on_sets("stages.optimize.exact.width.within_width", "start"),
        },
    ),
    "forest": SearchMethod(
        "treewidth",
        "finds the best network with at most one parent per variable, exactly, whatever the bound",
        {SETS_TW: on_sets("stages.optimize.treewidth.forest", "max_table")},
        "Chow & Liu 1968",
    ),
    "pricing": SearchMethod(
        "pricing",
        "alternates a search over orders, or over k-trees with --tw, with growth of the candidate sets, scored on "
        "the data; finds the best networks in a given time",
        {
            DATA: on_data("stages.optimize.pricing.order_pricing", "sets", "save_sets", "proof"),
            DATA_TW: on_data("stages.optimize.pricing.bounded", "sets", "save_sets", "proof", "max_table"),
        },
    ),
    "hc": SearchMethod(
        "climbing",
        "hill climbing on the data: adds, removes and reverses arcs",
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
