"""Structure optimisation: choose one listed parent set per variable so that the arcs form no cycle.

`METHODS` names the searches; a method's module is imported when it runs and offers
``search(table, options, budget, reporter) -> SearchResult``. Every result passes through `verify` before it
leaves as a `Network`.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formats.records import Network, ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .options import OptimizeOptions


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
        "stages.optimize.orders.ils",
        "iterated local search over orders, with --tw over k-trees; the best networks in a given time",
        bounded=True,
        bounded_module="stages.optimize.treewidth.ils",
    ),
    "obs": MethodSpec("stages.optimize.orders.obs", "greedy swaps in order space (Perez Urcia & Mauá 2015)"),
    "asobs": MethodSpec(
        "stages.optimize.orders.asobs",
        "acyclic selection over orders (Scanagatta et al. 2015); with --tw over k-tree orders",
        bounded=True,
        bounded_module="stages.optimize.treewidth.asobs",
    ),
    "winasobs": MethodSpec(
        "stages.optimize.orders.winasobs",
        "moves of blocks in the order, from acyclic selection (Scanagatta et al. 2017)",
    ),
    "exact": MethodSpec(
        "stages.optimize.exact.search",
        "the best network with the proof, or how far from it one may be when the time is up",
    ),
    "kg": MethodSpec(
        "stages.optimize.treewidth.kg",
        "k-G: best fitting set along sampled orders (Scanagatta et al. 2016)",
        bounded=True,
        unbounded=False,
    ),
    "kmax": MethodSpec(
        "stages.optimize.treewidth.kmax",
        "k-MAX: k-trees grown by least regret (Scanagatta et al. 2018)",
        bounded=True,
        unbounded=False,
    ),
    "kastar": MethodSpec(
        "stages.optimize.treewidth.kastar",
        "k-A*: the best cliques along sampled orders (Scanagatta et al. 2016)",
        bounded=True,
        unbounded=False,
    ),
    "s2": MethodSpec(
        "stages.optimize.treewidth.s2",
        "S2: uniform k-trees, accepted by informative score, and solved (Nie et al. 2015)",
        bounded=True,
        unbounded=False,
    ),
    "s2plus": MethodSpec(
        "stages.optimize.treewidth.s2plus",
        "S2+: k-trees grown by A* on the informative score, and solved (Nie et al. 2016)",
        bounded=True,
        unbounded=False,
    ),
    "forest": MethodSpec(
        "stages.optimize.treewidth.forest",
        "at most one parent each, exactly, whatever the bound (Chow & Liu 1968)",
        bounded=True,
        unbounded=False,
        takes_start=False,
    ),
    "pricing": MethodSpec(
        "stages.optimize.pricing.unbounded",
        "on data: order search and growth of candidate sets in turn, with --tw over k-trees; the best networks "
        "in a given time",
        bounded=True,
        bounded_module="stages.optimize.pricing.treewidth",
        needs_data=True,
        grows_sets=True,
    ),
    "hc": MethodSpec(
        "stages.optimize.climbing.hc", "hill climbing on data: add, remove, reverse arcs", needs_data=True
    ),
    "chc": MethodSpec(
        "stages.optimize.climbing.chc",
        "constrained hill climbing on data (Gámez et al. 2011): pairs tested independent are not tried again",
        needs_data=True,
    ),
    "chc-star": MethodSpec("stages.optimize.climbing.chc", "chc, then hc from its result", needs_data=True),
    "ichc": MethodSpec(
        "stages.optimize.climbing.chc", "chc from its own result until nothing changes", needs_data=True
    ),
    "2ichc": MethodSpec("stages.optimize.climbing.chc", "chc twice", needs_data=True),
    "fastchc": MethodSpec(
        "stages.optimize.climbing.chc",
        "chc in one climb that reopens pairs beside new arcs (Gámez et al. 2012): the fewest scores",
        needs_data=True,
    ),
    "mmhc": MethodSpec(
        "stages.optimize.climbing.mmhc",
        "hill climbing among neighbours found by tests (Tsamardinos et al. 2006)",
        needs_data=True,
    ),
}


def default_method(treewidth: int | None = None, on_data: bool = False, is_small: bool = False) -> str:
    """The method that finds the best networks for such a task.

    `is_small` says that dynamic programming is the way among listed sets, see `exact.subset_dp.subsets_fit`.
    """
    if on_data:
        return "pricing"
    if treewidth is not None:
        return "forest" if treewidth <= 1 else "ils"
    return "exact" if is_small else "ils"


def run(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> tuple[Network, dict[str, Any]]:
    """Search, verify from scratch, and return the network with the figures for ``--stats``."""
    from stages.runtime.reporting import NullReporter
    from stages.runtime.warm_up import compile_first, tiny_table

    from .assemble import assemble_network
    from .exact.subset_dp import subsets_fit

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
