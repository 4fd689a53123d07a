"""What a user can ask of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .lists.start_network import StartNetwork


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
