"""Parent-set identification: for every variable, candidate parent sets with their local scores.

`METHODS` names the searches; a method's module is imported when it runs and offers
``search_child(scorer, child, limits, budget) -> FoundSets``. One that `traces` adds each set that it scores to the
exploration of the sets found, if that is asked for. Dominance pruning and ordering are common to all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.methods import own

if TYPE_CHECKING:
    from stages.runtime.remote_workers import RemoteWorkers


@dataclass(frozen=True)
class MethodSpec:
    """One identification method: where it lives, what it is, and when it stops if no budget is given.

    Attributes
    ----------
    module, help, source : str
        The source is where it was published, empty if it is a method of this project.
    options : tuple of str
        Options of its own: fields of `ParentSetOptions`, or the input ``near``.
    default_evaluations : int
        Exact scores per variable (plus two per variable of the data), 0 where the method ends by itself.
    ends_by_size : bool
        Whether it ends by itself where the size of sets is limited.
    traces : bool
        Whether it explores one set after the other, so that their order can be told.
    """

    module: str
    help: str
    source: str = ""
    options: tuple[str, ...] = ()
    default_evaluations: int = 0
    ends_by_size: bool = False
    traces: bool = False

    @property
    def about(self) -> str:
        """What it is, and where it was published."""
        return f"{self.help} ({self.source})" if self.source else self.help


METHODS: dict[str, MethodSpec] = {
    "grow": MethodSpec(
        "stages.parentsets.grow",
        "sets grown and shrunk within the predecessors of random orders; lists that expect acyclicity",
        options=("orders", "near"),
    ),
    "indep": MethodSpec(
        "stages.parentsets.independence",
        "independence selection: best-first by the approximate score BIC*",
        "Scanagatta et al. 2015",
        default_evaluations=5_000,
        traces=True,
    ),
    "greedy": MethodSpec(
        "stages.parentsets.greedy",
        "greedy selection: expand the best-scoring set found so far",
        "Scanagatta et al. 2015",
        default_evaluations=20_000,
        traces=True,
    ),
    "sequential": MethodSpec(
        "stages.parentsets.sequential",
        "all sets by size with exact pruning; complete where it finishes",
        "Scanagatta et al. 2015",
        default_evaluations=20_000,
        traces=True,
        ends_by_size=True,
    ),
}
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
"""Fields that tell about every run; `jobs` and `shard` change no result."""


@dataclass(frozen=True)
class ParentSetOptions:
    """What a user can ask of parent-set identification.

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
        A set is left out if a subset scores more by ``ln(1 / keep_mass)`` nats; 0 for all sets scored. None: if a
        subset scores as much.
    evaluations : int or None
        Exact local scores per variable at most (checked between expansions).
    time : float or None
        Seconds for the whole run.
    time_per_variable : float or None
        Seconds per variable.
    memory : int or None
        Bytes that the process may take: a search whose sets no longer fit ends early.
    orders : int
        Orders per variable.
    seed : int
    jobs : int
        Workers; results do not depend on it under an evaluation budget.
    remote : RemoteWorkers or None
        Who searches in place of the workers of this machine.
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
