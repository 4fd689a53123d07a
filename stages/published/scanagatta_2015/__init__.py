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
        "greedy swaps over orders, each with new sets for its two variables, arcs may go against them; with --tw a "
        "method of this project: local search over the orders of k-trees, each variable with its best set that fits "
        "(kg), no arc against the order",
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
        "independence selection: best-first by the approximate score BIC*; bounds by the penalty and by entropies "
        "drop sets beside the paper's Theorem 2; with --time up to 32 extensions of a set are scored together, ahead "
        "of their turn",
        "Scanagatta et al. 2015",
        default_evaluations=DEFAULT_SCORES,
        traces=True,
    ),
    "greedy": SelectionMethod(
        f"{__name__}.greedy",
        "greedy selection: expand the best-scoring set found so far",
        "Scanagatta et al. 2015",
        default_evaluations=DEFAULT_SCORES,
        traces=True,
    ),
}
