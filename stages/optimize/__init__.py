"""Structure optimisation: choose one parent set per variable so that the arcs form no cycle.

`METHODS` names the searches, family by family as the folders here; it is data, and a method's module is imported
when it runs (`stages.optimize.driver`). A module for listed sets offers ``search``, one for data ``search_data``
(`stages.optimize.result`). Every result passes through `stages.optimize.verify` before it leaves as a `Network`.
``lists`` prepares listed sets and ``bounds`` works on upper bounds for all families.

To add a method: write its module in the folder of its family, and its entry in `METHODS`. An option of its own is
a field of `OptimizeOptions` made by `own`, and named in the entry; the command line does the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from stages.methods import own

if TYPE_CHECKING:
    import numpy as np

    from stages.runtime.remote_workers import RemoteWorkers

    from .lists.start_network import StartNetwork


# ------------------------------------------------------------------------------------------ options


INITS = ("random", "dfs", "fas", "entropy", "ascent")
"""Ways to draw the orders that searches start from."""


@dataclass(frozen=True)
class OptimizeOptions:
    """What a user can ask of a search; which options a method reads is told by its entry in `METHODS`.

    Attributes
    ----------
    method : str or None
        Key of `METHODS`; None means what `choose_method` says.
    treewidth : int or None
        Upper bound on the treewidth of the moral graph.
    max_table : int or None
        Upper bound on the product of the states of a clique, under a treewidth bound.
    init : str
        Initial orders.
    iterations : int
        Greedy steps per restart.
    restarts : int or None
        Number of starting orders, or of climbs after the first; None means as many as the budget allows, or none.
    seed : int
    jobs : int
        Threads.
    remote : RemoteWorkers or None
        Who does restarts, or replicates, in place of threads.
    score, ess
        Local score and its equivalent sample size, where a method searches on data.
    max_parents : int or None
        Largest parent set of a method on data.
    tabu : int
        Length of the tabu list; 0 for none.
    perturb : int or None
        Random moves before each restart; a tenth of the variables by default.
    required, forbidden : tuple of (int, int)
        Arcs (parent, child) that a network must or must not have; listed sets agree with them already.
    tiers : tuple of int or None
        Tier of every variable, -1 for none: no arc leads back to an earlier tier.
    alpha : float
        Level of the tests.
    start : StartNetwork or None
        Network to start from: among listed sets its order is the first.
    information : ndarray of float64, shape (n_variables, n_variables), or None
        Mutual information of all pairs, see `stages.entropy.mutual_information`; None where listed sets tell it.
    """

    method: str | None = None
    treewidth: int | None = None
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
    restarts: int | None = own(
        None,
        "Number of starting orders, 1000 if no budget is given at all; on data, of climbs after the first, none "
        "if not given.",
        metavar="N",
        least=1,
        section="Budget",
    )
    seed: int = 0
    jobs: int = 1
    remote: RemoteWorkers | None = None
    score: str = "bic"
    ess: float = 1.0
    max_parents: int | None = None
    tabu: int = own(0, "Length of the tabu list.", metavar="N", least=0)
    perturb: int | None = own(
        None,
        "Random changes before every restart; a tenth of the variables if not given.",
        metavar="N",
        least=1,
        needs="restarts",
    )
    required: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()
    tiers: tuple[int, ...] | None = None
    alpha: float = own(0.05, "Level of the independence tests.", metavar="LEVEL", least=0.0, most=1.0)
    start: StartNetwork | None = None
    information: np.ndarray | None = None

    @property
    def width(self) -> int:
        """The bound on the treewidth, for methods that search under one."""
        if self.treewidth is None:
            raise ValueError("no treewidth bound is given")
        return self.treewidth


COMMON = ("method", "treewidth", "seed")
"""Fields that tell about every run; `jobs` changes no result."""

ON_SETS = ("sets", "partial")
"""Options of all searches among listed sets."""

RESTARTED = ("restarts", "start", "workers")
"""Options of searches whose restarts are independent of one another."""

ON_DATA = ("score", "ess", "max_parents", "start", "screen", "workers")
"""Options of all searches on data; workers are for replicates of it."""

# ------------------------------------------------------------------------------------------ methods


class Task(NamedTuple):
    """What is searched: on data or among listed sets; under a treewidth bound or not."""

    on_data: bool = False
    bounded: bool = False


SETS, SETS_TW = Task(), Task(bounded=True)
DATA, DATA_TW = Task(on_data=True), Task(on_data=True, bounded=True)


@dataclass(frozen=True)
class Way:
    """How a method does one kind of task: its module, and the options that it reads besides the common ones.

    Options are fields of `OptimizeOptions`, or inputs and outputs that the command line opens: ``sets``,
    ``partial``, ``start``, ``screen``, ``information``, ``save_sets``, ``workers``.
    """

    module: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class MethodSpec:
    """One search method: the folder of its family, what it is, where it was published, what it can be run on."""

    family: str
    help: str
    ways: Mapping[Task, Way]
    source: str = ""

    @property
    def about(self) -> str:
        """What it is, and where it was published."""
        return f"{self.help} ({self.source})" if self.source else self.help


def _on_sets(module: str, *options: str) -> Way:
    return Way(f"stages.optimize.{module}", (*ON_SETS, *options))


def _on_data(module: str, *options: str) -> Way:
    return Way(f"stages.optimize.{module}", (*ON_DATA, *options))


METHODS: dict[str, MethodSpec] = {
    "ils": MethodSpec(
        "orders",
        "iterated local search over orders, with --tw over k-trees; the best networks in a given time",
        {
            SETS: _on_sets("orders.ils", "init", *RESTARTED),
            SETS_TW: _on_sets("treewidth.ils", *RESTARTED, "max_table"),
        },
    ),
    "obs": MethodSpec(
        "orders",
        "greedy swaps in order space",
        {SETS: _on_sets("orders.obs", "init", "iterations", *RESTARTED)},
        "Perez Urcia & Mauá 2015",
    ),
    "asobs": MethodSpec(
        "orders",
        "greedy swaps over orders, arcs may go against them; with --tw local search over orders of k-trees",
        {
            SETS: _on_sets("orders.asobs", "init", "iterations", *RESTARTED),
            SETS_TW: _on_sets("treewidth.asobs", "init", *RESTARTED, "max_table"),
        },
        "Scanagatta et al. 2015",
    ),
    "winasobs": MethodSpec(
        "orders",
        "moves of blocks in the order, from acyclic selection",
        {SETS: _on_sets("orders.winasobs", "init", *RESTARTED)},
        "Scanagatta et al. 2017",
    ),
    "exact": MethodSpec(
        "exact",
        "the best network with the proof, or how far from it one may be when the time is up",
        {SETS: _on_sets("exact.search", "init", "start")},
    ),
    "kg": MethodSpec(
        "treewidth",
        "k-G: best fitting set along sampled orders",
        {SETS_TW: _on_sets("treewidth.kg", "init", *RESTARTED, "max_table")},
        "Scanagatta et al. 2016",
    ),
    "kastar": MethodSpec(
        "treewidth",
        "k-A*: the best cliques along the orders that kg draws with the same seed",
        {SETS_TW: _on_sets("treewidth.kastar", "init", *RESTARTED)},
        "Scanagatta et al. 2016",
    ),
    "kmax": MethodSpec(
        "treewidth",
        "k-MAX: k-trees grown by least regret",
        {SETS_TW: _on_sets("treewidth.kmax", *RESTARTED, "max_table")},
        "Scanagatta et al. 2018",
    ),
    "s2": MethodSpec(
        "treewidth",
        "S2: uniform k-trees, accepted by informative score, and solved",
        {SETS_TW: _on_sets("treewidth.s2", "restarts", "start", "information")},
        "Nie et al. 2015",
    ),
    "s2plus": MethodSpec(
        "treewidth",
        "S2+: k-trees grown by A* on the informative score, and solved",
        {SETS_TW: _on_sets("treewidth.s2plus", "restarts", "start", "information")},
        "Nie et al. 2016",
    ),
    "forest": MethodSpec(
        "treewidth",
        "at most one parent each, exactly, whatever the bound",
        {SETS_TW: _on_sets("treewidth.forest", "max_table")},
        "Chow & Liu 1968",
    ),
    "pricing": MethodSpec(
        "pricing",
        "on data: order search and growth of candidate sets in turn, with --tw over k-trees; the best networks "
        "in a given time",
        {
            DATA: _on_data("pricing.unbounded", "sets", "save_sets"),
            DATA_TW: _on_data("pricing.treewidth", "sets", "save_sets", "max_table"),
        },
    ),
    "hc": MethodSpec(
        "climbing",
        "hill climbing on data: add, remove, reverse arcs",
        {DATA: _on_data("climbing.hc", "restarts", "perturb", "tabu")},
    ),
    "chc": MethodSpec(
        "climbing",
        "constrained hill climbing on data: pairs tested independent are not tried again",
        {DATA: _on_data("climbing.chc", "restarts", "perturb")},
        "Gámez et al. 2011",
    ),
    "chc-star": MethodSpec(
        "climbing",
        "chc, then hc from its result",
        {DATA: _on_data("climbing.chc", "restarts", "perturb")},
        "Gámez et al. 2011",
    ),
    "ichc": MethodSpec(
        "climbing",
        "chc from its own result until nothing changes",
        {DATA: _on_data("climbing.chc", "restarts", "perturb")},
        "Gámez et al. 2011",
    ),
    "2ichc": MethodSpec(
        "climbing",
        "chc twice",
        {DATA: _on_data("climbing.chc", "restarts", "perturb")},
        "Gámez et al. 2011",
    ),
    "fastchc": MethodSpec(
        "climbing",
        "chc in one climb that reopens pairs beside new arcs: the fewest scores",
        {DATA: _on_data("climbing.chc", "restarts", "perturb")},
        "Gámez et al. 2012",
    ),
    "mmhc": MethodSpec(
        "climbing",
        "hill climbing among neighbours found by tests",
        {DATA: _on_data("climbing.mmhc", "restarts", "perturb", "tabu", "alpha")},
        "Tsamardinos et al. 2006",
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


def choose_method(options: OptimizeOptions, n_variables: int, on_data: bool = False) -> tuple[str, Way]:
    """The method that runs, by name, and the way it does so.

    Without a name it is the best one for the task; ``exact`` only where no number of restarts is asked for.

    Raises
    ------
    ValueError
        The named method does not do such a task.
    """
    from .exact.subset_dp import subsets_fit

    is_small = options.restarts is None and subsets_fit(n_variables)
    name = options.method or default_method(options.treewidth, on_data, is_small)
    way = METHODS[name].ways.get(Task(on_data, options.treewidth is not None))
    if way is None:
        kind = f"{'on data' if on_data else 'among listed sets'}, treewidth bound {options.treewidth}"
        raise ValueError(f"method {name} does not search so: {kind}")
    return name, way
