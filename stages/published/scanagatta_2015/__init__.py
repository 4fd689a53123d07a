"""Scanagatta, de Campos, Corani and Zaffalon (2015): Learning Bayesian networks with thousands of variables.

Independence selection and greedy selection of parent sets, and acyclic selection in order search (ASOBS). Their third
selection, sequential, is the complete enumeration of the main road (`stages.parentsets.sequential`).
"""

from __future__ import annotations

from stages.methods import RESTARTED, SETS, SETS_TW, SearchMethod, SelectionMethod, on_sets

SEARCHES = {
    "asobs": SearchMethod(
        "orders",
        "greedy swaps over orders, arcs may go against them; with --tw local search over orders of k-trees",
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
        "independence selection: best-first by the approximate score BIC*",
        "Scanagatta et al. 2015",
        default_evaluations=5_000,
        traces=True,
    ),
    "greedy": SelectionMethod(
        f"{__name__}.greedy",
        "greedy selection: expand the best-scoring set found so far",
        "Scanagatta et al. 2015",
        default_evaluations=20_000,
        traces=True,
    ),
}
