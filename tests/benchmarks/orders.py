"""Order search on one thread: orders (k-G, ASOBS) and moves (iterated local search) per second.

Lists are made by independence selection within a budget, as the methods' authors make theirs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from formats.data_records import Dataset
from formats.records import ParentSetTable
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run as search
from stages.parentsets import ParentSetOptions
from stages.parentsets.identification_run import ParentSetRun
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

from .cases import real, sampled

SECONDS = 3.0
EVALUATIONS = 1_000
"""Local scores per variable beyond those of single parents."""

WAYS = {
    "k-G, treewidth 2": OptimizeOptions(seed=1, method="kg", treewidth=2),
    "k-G, treewidth 5": OptimizeOptions(seed=1, method="kg", treewidth=5),
    "k-G, treewidth 8": OptimizeOptions(seed=1, method="kg", treewidth=8),
    "k-MAX, treewidth 5": OptimizeOptions(seed=1, method="kmax", treewidth=5),
    "ils, treewidth 5": OptimizeOptions(seed=1, method="ils", treewidth=5),
    "asobs": OptimizeOptions(seed=1, method="asobs"),
    "ils": OptimizeOptions(seed=1, method="ils"),
}


def measure() -> Iterator[dict[str, object]]:
    """One row per data set and search."""
    at_hand = {name: real(name) for name in ("accidents", "msweb", "cwebkb")}
    cases = {name: dataset for name, dataset in at_hand.items() if dataset is not None}
    cases = cases or {"sampled": sampled(5_000, 150, 2)}
    for name, dataset in cases.items():
        table = make_lists(dataset)
        for way, options in WAYS.items():
            started = time.process_time()
            network, _ = search(table, options, Budget(seconds=SECONDS), NullReporter())
            seconds = time.process_time() - started
            yield {
                "case": name,
                "variables": dataset.n_variables,
                "sets": table.n_sets,
                "way": way,
                "orders/s": network.header.extra["orders"] / seconds,
                "score": network.header.extra["total"],
            }


def make_lists(dataset: Dataset) -> ParentSetTable:
    """Candidate sets with a fixed number of local scores per variable."""
    options = ParentSetOptions(method="indep", evaluations=EVALUATIONS + dataset.n_variables)
    run = ParentSetRun(dataset, options)
    return ParentSetTable.from_records(run.header, list(run.records()))
