"""Order search on one thread: orders (k-G, ASOBS) and moves (iterated local search) per second.

Lists are made by independence selection within a budget, as the methods' authors make theirs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from formats.records import Dataset, ParentSetTable
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.parentsets import ParentSetOptions
from stages.parentsets import run as identify
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

from .cases import real, sampled

SECONDS = 3.0
EVALUATIONS = 1_000
"""Local scores per variable beyond those of single parents."""

WAYS = {
    "k-G, treewidth 2": {"method": "kg", "treewidth": 2},
    "k-G, treewidth 5": {"method": "kg", "treewidth": 5},
    "k-G, treewidth 8": {"method": "kg", "treewidth": 8},
    "k-MAX, treewidth 5": {"method": "kmax", "treewidth": 5},
    "ils, treewidth 5": {"method": "ils", "treewidth": 5},
    "asobs": {"method": "asobs"},
    "ils": {"method": "ils"},
}


def measure() -> Iterator[dict[str, object]]:
    """One row per data set and search."""
    cases = {name: real(name) for name in ("accidents", "msweb", "cwebkb")}
    cases = {name: dataset for name, dataset in cases.items() if dataset} or {
        "sampled": sampled(5_000, 150, 2)
    }
    for name, dataset in cases.items():
        table = make_lists(dataset)
        for way, options in WAYS.items():
            started = time.process_time()
            network, _ = run(
                table, OptimizeOptions(seed=1, **options), Budget(seconds=SECONDS), NullReporter()
            )
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
    header, records = identify(dataset, options)
    return ParentSetTable.from_records(header, list(records))
