"""Scanagatta, de Campos, Corani and Zaffalon (2015): Learning Bayesian networks with thousands of variables.

Independence selection and greedy selection of parent sets, and acyclic selection in order search (ASOBS). Their third
selection, sequential, is the complete enumeration of the main road (`stages.parentsets.sequential`). ASOBS under a
treewidth bound is this project's, and has no acyclic selection.
"""

from __future__ import annotations

from stages.methods import DEFAULT_SCORES, RESTARTED, SETS, SETS_TW, SearchMethod, SelectionMethod, on_sets

SEARCHES = {
    "asobs": SearchMethod(
        "orders",
        "ASOBS: swaps neighbours in an order greedily, and lets arcs go against the order; with --tw, a local search "
        "of this project over the orders of k-trees",
        {
            SETS: on_sets(f"{__name__}.asobs", "init", "iterations", *RESTARTED),
            SETS_TW: on_sets(f"{__name__}.asobs_treewidth", "init", *RESTARTED, "max_table"),
        },
        "Scanagatta et al. 2015",
    )
}

SELECTIONS = {
    "indep": SelectionMethod(
        f"{__name__}.independence",
        "independence selection: expands sets best-first by the approximate score BIC*; bounds by the penalty and by "
        "entropies drop sets, beside the paper's Theorem 2",
        "Scanagatta et al. 2015",
        default_evaluations=DEFAULT_SCORES,
        traces=True,
    ),
    "greedy": SelectionMethod(
        f"{__name__}.greedy",
        "greedy selection: expands the best-scoring set found so far",
        "Scanagatta et al. 2015",
        default_evaluations=DEFAULT_SCORES,
        traces=True,
    ),
}
