"""What a run does: a search or a bound, for some seconds of the processor, and what it is judged by."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..run import RESULTS
from .copies import in_copy
from .patches import Patch, Value

Outcome = dict[str, Any]
"""Of a run: ``result``, higher is better, and other figures."""

Task = Callable[[Path, int, float], Outcome]
"""A run on the table in a file, with a seed and a limit in seconds of the processor."""


def processor_clock() -> tuple[Patch, ...]:
    """Budgets count processor time of this process."""
    from stages.runtime.budgets import Budget

    *others, clock = Budget.__init__.__defaults__ or ()
    if clock is not time.monotonic:
        raise ValueError("the clock is no longer the last default of a budget")
    return (Value("stages.runtime.budgets:Budget.__init__.__defaults__", (*others, time.process_time)),)


def search(**options: Any) -> Task:
    """A search on data, judged by the score (BIC, nats), which is computed anew by plain code."""

    def run(path: Path, seed: int, limit: float) -> Outcome:
        import bnsl
        from formats import open_dataset
        from stages.scoring.independent import IndependentScorer

        network = bnsl.optimize(data=str(path), time=f"{limit}s", seed=seed, quiet=True, **options)
        plain = IndependentScorer(open_dataset(str(path)), "bic", 1.0)
        families = enumerate(network.record.parents)
        score = math.fsum(plain.local_score(child, parents) for child, parents in families)
        return {"result": score, "gap": network.gap, "evaluations": (network.figures or {}).get("scores_computed")}

    return run


def sets_file(path: Path, treewidth: int | None) -> Path:
    """Where `lists_of` keeps them."""
    return RESULTS / "tables" / f"{path.name.partition('.')[0]}-{treewidth}.sets.jsonl"


def lists_of(path: Path, treewidth: int | None) -> tuple[Any, float]:
    """Lists of the table that a search of ten seconds grows, kept in a file, and the score of its network."""
    import bnsl
    from formats import open_parent_sets

    kept = sets_file(path, treewidth)
    score = kept.with_suffix(".score")
    if not score.exists():
        network = bnsl.optimize(
            data=str(path), treewidth=treewidth, time="10s", seed=1, quiet=True, save_sets=str(kept)
        )
        score.write_text(repr(network.score))
    return open_parent_sets(str(kept)), float(score.read_text())


def bound(treewidth: int | None) -> Task:
    """A bound on the lists of a search, judged by the gap to its network (nats, negative)."""

    def run(path: Path, seed: int, limit: float) -> Outcome:
        from stages.lists.set_lists import lists_in
        from stages.optimize.bounds.width.width_search import WidthSearch
        from stages.runtime.budgets import Budget

        table, score = lists_of(path, treewidth)
        found = WidthSearch(lists_in(table), np.random.default_rng(seed), treewidth)
        found.improve(Budget(limit), math.inf, score)
        return {"result": -found.best.gap, "sets": len(table.scores), "work": found.work}

    return run


def exact(treewidth: int | None) -> Task:
    """An exact search among these lists, judged by the gap that is left (nats, negative)."""

    def run(path: Path, seed: int, limit: float) -> Outcome:
        import bnsl

        lists_of(path, treewidth)
        network = bnsl.optimize(
            str(sets_file(path, treewidth)),
            method="exact",
            treewidth=treewidth,
            time=f"{limit}s",
            seed=seed,
            quiet=True,
        )
        return {"result": -math.inf if network.gap is None else -network.gap, "score": network.score}

    return run


def posterior(path: Path, seed: int, limit: float) -> Outcome:
    """Sampled probabilities of arcs, judged by their largest error (negative)."""
    import bnsl

    lists_of(path, None)
    sets = str(sets_file(path, None))

    def found(**options: Any) -> dict[tuple[int, int], float]:
        arcs = bnsl.posterior(sets, quiet=True, **options).record
        return dict(zip(zip(arcs.parents.tolist(), arcs.children.tolist()), arcs.probability.tolist()))

    exactly, drawn = found(method="exact"), found(method="sampled", time=f"{limit}s", seed=seed)
    errors = [abs(exactly.get(arc, 0.0) - drawn.get(arc, 0.0)) for arc in {*exactly, *drawn}]
    return {"result": -max(errors)}


def seconds(task: Task) -> Task:
    """A run judged by the seconds of the processor that it takes (negative); its limit is to be out of reach."""

    def run(path: Path, seed: int, limit: float) -> Outcome:
        begun = time.process_time()
        outcome = task(path, seed, limit)
        return {**outcome, "judged": outcome["result"], "result": begun - time.process_time()}

    return run


def complete_lists(max_parents: int) -> Task:
    """Lists all sets that have at most `max_parents` parents."""

    def run(path: Path, seed: int, limit: float) -> Outcome:
        import bnsl

        lists = bnsl.parentsets(
            str(path), method="sequential", max_parents=max_parents, time=f"{limit}s", seed=seed, quiet=True
        )
        return {"result": float(lists.record.n_sets)}

    return run


def grown_lists(path: Path, seed: int, limit: float) -> Outcome:
    """Sets by the default method, until it ends by itself."""
    import bnsl

    lists = bnsl.parentsets(str(path), time=f"{limit}s", seed=seed, quiet=True)
    return {"result": float(lists.record.n_sets)}


TASKS: dict[str, Task] = {
    "any": search(),
    "tw2": search(treewidth=2),
    "tw5": search(treewidth=5),
    "tw8": search(treewidth=8),
    "tw20": search(treewidth=20),
    "bound": bound(None),
    "bound2": bound(2),
    "bound3": bound(3),
    "bound4": bound(4),
    "bound8": bound(8),
    "exact": exact(None),
    "exact2": exact(2),
    "proof": seconds(exact(None)),
    "proof2": seconds(exact(2)),
    "posterior": posterior,
    "hc": search(method="hc"),
    "hc seconds": seconds(search(method="hc")),
    "tabu seconds": seconds(search(method="hc", tabu=10)),
    "restarts seconds": seconds(search(method="hc", restarts=10)),
    "lists": seconds(complete_lists(2)),
    "lists of three": seconds(complete_lists(3)),
    "grown lists": seconds(grown_lists),
    "compiled lists": in_copy("lists of three"),
    "compiled grown lists": in_copy("grown lists"),
    "compiled hc": in_copy("hc seconds"),
    "compiled any": in_copy("any"),
    "compiled posterior": in_copy("posterior"),
    "coded lists": in_copy("lists of three", machine_code=True),
    "coded grown lists": in_copy("grown lists", machine_code=True),
    "coded hc": in_copy("hc seconds", machine_code=True),
}
