"""Parent-set identification: for every variable, candidate parent sets with their local scores.

`METHODS` names the searches; a method's module is imported when it runs and offers
``search_child(scorer, child, limits, budget) -> FoundSets``. Dominance pruning and ordering are common to all.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MethodSpec:
    """One identification method: where it lives, what it is, and when it stops if no budget is given.

    `default_evaluations` exact scores per variable (plus two per variable of the data), 0 where the method ends
    by itself.
    """

    module: str
    help: str
    default_evaluations: int = 0


METHODS: dict[str, MethodSpec] = {
    "grow": MethodSpec(
        "stages.parentsets.grow",
        "sets grown and shrunk within the predecessors of random orders; lists that expect acyclicity",
    ),
    "indep": MethodSpec(
        "stages.parentsets.independence",
        "independence selection: best-first by the approximate score BIC* (Scanagatta et al. 2015)",
        default_evaluations=5_000,
    ),
    "greedy": MethodSpec(
        "stages.parentsets.greedy",
        "greedy selection: expand the best-scoring set found so far (Scanagatta et al. 2015)",
        default_evaluations=20_000,
    ),
    "sequential": MethodSpec(
        "stages.parentsets.sequential",
        "all sets by size with exact pruning; complete where it finishes (Scanagatta et al. 2015)",
        default_evaluations=20_000,
    ),
}
DEFAULT_METHOD = "grow"


@dataclass(frozen=True)
class ParentSetOptions:
    """What a user can ask of parent-set identification.

    Attributes
    ----------
    method : str
        Key of `METHODS`.
    score : str
        ``bic``, ``aic``, ``bdeu``, ``k2`` or ``ll``.
    ess : float
        Equivalent sample size of ``bdeu``.
    max_parents : int or None
        Largest parent set considered.
    evaluations : int or None
        Exact local scores per variable at most (checked between expansions).
    time : float or None
        Seconds for the whole run.
    time_per_variable : float or None
        Seconds per variable.
    memory : int or None
        Bytes that the process may take: a search whose sets no longer fit ends early.
    orders : int
        Orders per variable (method ``grow``).
    seed : int
    jobs : int
        Workers; results do not depend on it under an evaluation budget.
    shard : (int, int) or None
        ``(i, N)``: only the children of the i-th of N shards, from 1; records do not depend on it.
    """

    method: str = DEFAULT_METHOD
    score: str = "bic"
    ess: float = 1.0
    max_parents: int | None = None
    evaluations: int | None = None
    time: float | None = None
    time_per_variable: float | None = None
    memory: int | None = None
    orders: int = 100
    seed: int = 0
    jobs: int = 1
    shard: tuple[int, int] | None = None


def run(dataset, options, budget=None, reporter=None, **inputs):
    """Identify candidate parent sets; see `stages.parentsets.driver.identify`."""
    from .driver import identify

    return identify(dataset, options, budget, reporter, **inputs)
