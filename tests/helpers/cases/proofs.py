"""Lists whose proofs have branches, and proofs of searches."""

from __future__ import annotations

import numpy as np
from naive.optimize.networks_search import make_table

from formats.proof_records import Proof
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.proof_assembly import make_proof
from stages.optimize.driver import run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def proof_of(table, method="exact", **options) -> tuple[Proof, object]:
    """The proof of a search, and its network."""
    kept: list = []
    options = OptimizeOptions(method=method, keeps_proof=True, **options)
    network, _ = run(table, options, Budget(), NullReporter(), lambda *found: kept.append(found))
    extra = network.header.extra
    return make_proof(kept[0][1], table, extra["bound"], options.treewidth), network


def local_table(seed: int, n_variables: int = 24, reach: int = 4, n_sets: int = 8):
    """Lists with parents among neighbours only, so that cycles are short and proofs are too."""
    rng = np.random.default_rng(seed)
    tables = {}
    for child in range(n_variables):
        near = [v for v in range(max(0, child - reach), min(n_variables, child + reach + 1)) if v != child]
        tables[child] = {(): -40.0}
        for _ in range(n_sets):
            size = int(rng.integers(1, 4))
            parents = tuple(sorted(rng.permutation(near)[:size].tolist()))
            tables[child][parents] = -40.0 + 6 * size + float(rng.normal(0, 3))
    return make_table(tables)
