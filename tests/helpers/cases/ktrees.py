"""Searches for networks within k-trees, and tables that demand arcs, for the tests of S2 and S2+."""

from __future__ import annotations

import numpy as np
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of

from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def optimize(table, treewidth, method, evaluations=200, seed=0, **options):
    options = OptimizeOptions(method=method, treewidth=treewidth, seed=seed, **options)
    return run(table, options, Budget(evaluations=evaluations), NullReporter())[0]


def total(network):
    return network.header.extra["total"]


def draw_tree(problem, rng):
    """A uniform k-tree."""
    from stages.published.nie_2015_2016.kernels.dandelion import decode_ktree, draw_code

    tree = problem.new_tree()
    symbols = np.empty(problem.n_variables - problem.treewidth - 1, dtype=np.int64)
    draw_code(rng, tree.order, problem.treewidth, symbols)
    decode_ktree(tree, symbols)
    return tree


def demanding_table(seed, n, n_fixed=3):
    """Random lists with fixed arcs; one child without a fixed record lists no set without a certain parent."""
    table = random_table(seed, n, max_parents=4, n_sets=14, n_fixed=n_fixed)
    rng = np.random.default_rng(seed)
    free = rng.permutation(np.flatnonzero(~table.fixed))
    sets = {v: {tuple(sorted(p)): s for s, p in entry} for v, entry in enumerate(lists_of(table))}
    child, parent = (int(v) for v in free[:2])
    with_parent = {p: s for p, s in sets[child].items() if parent in p}
    sets[child] = {(parent,): min(with_parent.values(), default=-50.0) - 1.0, **with_parent}
    return make_table(sets, fixed=np.flatnonzero(table.fixed).tolist())


def pairs_of(information, n):
    """{pair: entry} of an `Information`, each of which is there twice."""
    pairs = {}
    for v in range(n):
        for i in range(information.offsets[v], information.offsets[v + 1]):
            pairs.setdefault(frozenset((v, int(information.neighbours[i]))), []).append(information.values[i])
    assert all(one == other for one, other in pairs.values())
    return {pair: values[0] for pair, values in pairs.items()}


def joined_sets(lists):
    """(relative score, members) of each variable's sets."""
    return [
        [
            (lists.scores[s], frozenset(lists.parents[slice(*lists.parent_offsets[s : s + 2])].tolist()))
            for s in range(*lists.set_offsets[v : v + 2])
        ]
        for v in range(len(lists.set_offsets) - 1)
    ]
