"""Structure optimisation: choose one listed parent set per variable so that the arcs form no cycle.

`METHODS` names the searches; a method's module is imported when it runs and offers
``search(table, options, budget, reporter) -> SearchResult``. Every result passes through `verify` before it
leaves as a `Network`.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from formats.records import Network, ParentSetTable
    from stages.budgets import Budget
    from stages.reporting import Reporter

    from .starts import StartNetwork


@dataclass(frozen=True)
class MethodSpec:
    """One search method: where it lives, what it is, whether it searches under a treewidth bound, and whether
    it searches on data instead of listed sets (`climb.run_on_data`). `bounded_module` is the module for a
    bound where that is another one; `takes_start` says whether a network to start from means anything to it.
    """

    module: str
    help: str
    bounded: bool = False
    unbounded: bool = True
    needs_data: bool = False
    grows_sets: bool = False
    bounded_module: str | None = None
    takes_start: bool = True


METHODS: dict[str, MethodSpec] = {
    "ils": MethodSpec(
        "stages.optimize.ils",
        "iterated local search over orders, with --tw over k-trees; the best networks in a given time",
        bounded=True,
        bounded_module="stages.optimize.bounded_ils",
    ),
    "obs": MethodSpec("stages.optimize.obs", "greedy swaps in order space (Perez Urcia & Mauá 2015)"),
    "asobs": MethodSpec(
        "stages.optimize.asobs",
        "acyclic selection over orders (Scanagatta et al. 2015); with --tw over k-tree orders",
        bounded=True,
        bounded_module="stages.optimize.bounded_asobs",
    ),
    "winasobs": MethodSpec(
        "stages.optimize.winasobs",
        "moves of blocks in the order, from acyclic selection (Scanagatta et al. 2017)",
    ),
    "exact": MethodSpec(
        "stages.optimize.exact",
        "the best network with the proof, or how far from it one may be when the time is up",
    ),
    "kg": MethodSpec(
        "stages.optimize.kgreedy",
        "k-G: best fitting set along sampled orders (Scanagatta et al. 2016)",
        bounded=True,
        unbounded=False,
    ),
    "kmax": MethodSpec(
        "stages.optimize.kmax",
        "k-MAX: k-trees grown by least regret (Scanagatta et al. 2018)",
        bounded=True,
        unbounded=False,
    ),
    "kastar": MethodSpec(
        "stages.optimize.kastar",
        "k-A*: the best cliques along sampled orders (Scanagatta et al. 2016)",
        bounded=True,
        unbounded=False,
    ),
    "s2": MethodSpec(
        "stages.optimize.s2",
        "S2: uniform k-trees, accepted by informative score, and solved (Nie et al. 2015)",
        bounded=True,
        unbounded=False,
    ),
    "s2plus": MethodSpec(
        "stages.optimize.s2plus",
        "S2+: k-trees grown by A* on the informative score, and solved (Nie et al. 2016)",
        bounded=True,
        unbounded=False,
    ),
    "forest": MethodSpec(
        "stages.optimize.forest",
        "at most one parent each, exactly, whatever the bound (Chow & Liu 1968)",
        bounded=True,
        unbounded=False,
        takes_start=False,
    ),
    "pricing": MethodSpec(
        "stages.optimize.pricing",
        "on data: order search and growth of candidate sets in turn, with --tw over k-trees; the best networks "
        "in a given time",
        bounded=True,
        bounded_module="stages.optimize.bounded_pricing",
        needs_data=True,
        grows_sets=True,
    ),
    "hc": MethodSpec(
        "stages.optimize.hillclimbing", "hill climbing on data: add, remove, reverse arcs", needs_data=True
    ),
    "chc": MethodSpec(
        "stages.optimize.constrained",
        "constrained hill climbing on data (Gámez et al. 2011): pairs tested independent are not tried again",
        needs_data=True,
    ),
    "chc-star": MethodSpec("stages.optimize.constrained", "chc, then hc from its result", needs_data=True),
    "ichc": MethodSpec(
        "stages.optimize.constrained", "chc from its own result until nothing changes", needs_data=True
    ),
    "2ichc": MethodSpec("stages.optimize.constrained", "chc twice", needs_data=True),
    "fastchc": MethodSpec(
        "stages.optimize.constrained",
        "chc in one climb that reopens pairs beside new arcs (Gámez et al. 2012): the fewest scores",
        needs_data=True,
    ),
    "mmhc": MethodSpec(
        "stages.optimize.mmhc",
        "hill climbing among neighbours found by tests (Tsamardinos et al. 2006)",
        needs_data=True,
    ),
}


def default_method(treewidth: int | None = None, on_data: bool = False, is_small: bool = False) -> str:
    """The method that finds the best networks for such a task.

    `is_small` says that dynamic programming is the way among listed sets, see `subsets.subsets_fit`.
    """
    if on_data:
        return "pricing"
    if treewidth is not None:
        return "forest" if treewidth <= 1 else "ils"
    return "exact" if is_small else "ils"


@dataclass(frozen=True)
class OptimizeOptions:
    """What a user can ask of a search.

    Attributes
    ----------
    method : str or None
        Key of `METHODS`; None means `default_method`, and ``ils`` where restarts are asked for.
    treewidth : int or None
        Upper bound on the treewidth of the moral graph.
    init : str
        Initial orders: ``random``, ``dfs``, ``fas``, ``entropy`` or ``ascent``.
    iterations : int
        Greedy steps per restart (method ``obs``).
    restarts : int or None
        Number of starting orders; None means as many as the budget allows.
    seed : int
    jobs : int
        Threads.
    score, ess
        Local score and its equivalent sample size, where a method searches on data.
    max_parents : int or None
        Largest parent set of a method on data.
    tabu : int
        Length of the tabu list of ``hc`` and ``mmhc``; 0 for none.
    perturb : int or None
        Random moves before each restart of a method on data; a tenth of the variables by default.
    required, forbidden : tuple of (int, int)
        Arcs (parent, child) that a network on data must or must not have.
    tiers : tuple of int or None
        Tier of every variable, -1 for none: no arc of a network on data leads back to an earlier tier.
    alpha : float
        Level of the tests of ``mmhc``.
    start : StartNetwork or None
        Network to start from: among listed sets its order is the first.
    """

    method: str | None = None
    treewidth: int | None = None
    init: str = "random"
    iterations: int = 100
    restarts: int | None = None
    seed: int = 0
    jobs: int = 1
    score: str = "bic"
    ess: float = 1.0
    max_parents: int | None = None
    tabu: int = 0
    perturb: int | None = None
    required: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()
    tiers: tuple[int, ...] | None = None
    alpha: float = 0.05
    start: StartNetwork | None = None


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search returns.

    Attributes
    ----------
    chosen : ndarray of int64, shape (n_variables,)
        Index into the table's sets chosen for every variable.
    facts : dict
        Header entries: ``restarts``, ``orders`` (evaluated), ``bound``, ``gap``, and under a treewidth bound
        ``elimination`` (an elimination order that certifies the width).
    stats : dict
        Figures for ``--stats`` (durations, rates, per-restart columns); never written to the network.
    """

    chosen: np.ndarray
    facts: dict[str, Any] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)


def run(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> tuple[Network, dict[str, Any]]:
    """Search, verify from scratch, and return the network with the figures for ``--stats``."""
    from stages.reporting import NullReporter
    from stages.warming import compile_first, tiny_table

    from .assemble import assemble_network
    from .subsets import subsets_fit

    is_small = subsets_fit(table.n_variables) and options.restarts is None
    name = options.method or default_method(options.treewidth, is_small=is_small)
    reporter.detail(f"searching with method {name}")
    spec = METHODS[name]
    is_bounded = options.treewidth is not None and spec.bounded_module is not None
    module = importlib.import_module(spec.bounded_module if is_bounded else spec.module)
    if budget.seconds is not None:
        warm_up = getattr(module, "warm_up", module.search)
        compile_first(
            lambda small: warm_up(tiny_table(), replace(options, start=None), small, NullReporter()), budget
        )
    result = module.search(table, options, budget, reporter)
    return assemble_network(table, name, options, budget, result), result.stats
