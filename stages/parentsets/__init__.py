"""Parent-set identification: for every variable, candidate parent sets with their local scores.

`METHODS` names the searches; a method's module is imported when it runs and offers ``search_child(scorer, child,
limits, budget) -> FoundSets``. A method that `traces` adds each set that it scores to the trace of the sets found, if
one is kept. Dominance pruning and ordering are common to all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.methods import DEFAULT_SCORES, SelectionMethod, own
from stages.published import SELECTIONS

if TYPE_CHECKING:
    from stages.runtime.workers import Workers


MAIN_METHODS = {
    "grow": SelectionMethod(
        "stages.parentsets.grow",
        "grows and shrinks sets among the predecessors in random orders, so that the sets combine without cycles",
        options=("orders", "near"),
    ),
    "sequential": SelectionMethod(
        "stages.parentsets.sequential",
        "lists all sets by size with exact pruning; the lists are complete if it finishes",
        "Scanagatta et al. 2015",
        default_evaluations=DEFAULT_SCORES,
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
"""Fields recorded for every run; `jobs` and `shard` change no result."""


@dataclass(frozen=True)
class ParentSetOptions:
    """Options of parent-set identification."""

    method: str = DEFAULT_METHOD  # key of `METHODS`
    score: str = "bic"  # key of `stages.scoring.scores.SCORES`
    ess: float = 1.0  # equivalent sample size of scores that have one
    max_parents: int | None = None  # largest parent set considered
    # A set is omitted if a subset scores more by ``ln(1 / keep_mass)`` nats; 0 keeps all sets scored. None: a set is
    # omitted if a subset scores at least as much.
    keep_mass: float | None = None
    evaluations: int | None = None  # largest number of exact local scores per variable (checked between expansions)
    time: float | None = None  # seconds for the whole run
    time_per_variable: float | None = None  # seconds per variable
    memory: int | None = None  # bytes that the process may take; a search whose sets no longer fit ends early
    orders: int = own(100, "Number of orders in which each variable's sets are grown.", metavar="N", least=1)
    seed: int = 0
    jobs: int = 1  # workers; results do not depend on it under an evaluation budget
    workers: Workers | None = None  # workers elsewhere, in place of those of `jobs`
    # ``(i, N)``: only the children of the i-th of N shards, from 1; records do not depend on it.
    shard: tuple[int, int] | None = None


METHODS = {**MAIN_METHODS, **SELECTIONS}
"""All methods by name: the main road's, then those of `stages.published`."""
