"""Parent-set identification: for every variable, candidate parent sets with their local scores.

`METHODS` names the searches; a method's module is imported when it runs and offers
``search_child(scorer, child, limits, budget) -> FoundSets``. One that `traces` adds each set that it scores to the
trace of the sets found, if one is kept. Dominance pruning and ordering are common to all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.methods import SelectionMethod, installed, own

if TYPE_CHECKING:
    from stages.runtime.remote_workers import RemoteWorkers


MAIN_METHODS = {
    "grow": SelectionMethod(
        "stages.parentsets.grow",
        "sets grown and shrunk within the predecessors of random orders; lists that expect acyclicity",
        options=("orders", "near"),
    ),
    "sequential": SelectionMethod(
        "stages.parentsets.sequential",
        "all sets by size with exact pruning; complete where it finishes",
        "Scanagatta et al. 2015",
        default_evaluations=20_000,
        traces=True,
        ends_by_size=True,
    ),
}
METHODS = installed("bnsl.selections", MAIN_METHODS)
"""All methods by name: the main road's, then those of `stages.published` and of other packages."""

DEFAULT_METHOD = "grow"
COMMON = (
    "method",
    "score",
    "ess",
    "max_parents",
    "keep_mass",
    "evaluations",
    "time",
    "time_per_variable",
    "memory",
    "seed",
)
"""Fields recorded of every run; `jobs` and `shard` change no result."""


@dataclass(frozen=True)
class ParentSetOptions:
    """Options of parent-set identification.

    Attributes
    ----------
    method : str
        Key of `METHODS`.
    score : str
        Key of `stages.scoring.scores.SCORES`.
    ess : float
        Equivalent sample size of scores that have one.
    max_parents : int or None
        Largest parent set considered.
    keep_mass : float or None
        A set is omitted if a subset scores more by ``ln(1 / keep_mass)`` nats; 0 keeps all sets scored. None: it is
        omitted if a subset scores as much.
    evaluations : int or None
        Largest number of exact local scores per variable (checked between expansions).
    time : float or None
        Seconds for the whole run.
    time_per_variable : float or None
        Seconds per variable.
    memory : int or None
        Bytes that the process may take; a search whose sets no longer fit ends early.
    orders : int
        Orders per variable.
    seed : int
    jobs : int
        Workers; results do not depend on it under an evaluation budget.
    remote : RemoteWorkers or None
        Workers on other machines, in place of those of this one.
    shard : (int, int) or None
        ``(i, N)``: only the children of the i-th of N shards, from 1; records do not depend on it.
    """

    method: str = DEFAULT_METHOD
    score: str = "bic"
    ess: float = 1.0
    max_parents: int | None = None
    keep_mass: float | None = None
    evaluations: int | None = None
    time: float | None = None
    time_per_variable: float | None = None
    memory: int | None = None
    orders: int = own(100, "Orders within which each variable's sets are grown.", metavar="N", least=1)
    seed: int = 0
    jobs: int = 1
    remote: RemoteWorkers | None = None
    shard: tuple[int, int] | None = None
