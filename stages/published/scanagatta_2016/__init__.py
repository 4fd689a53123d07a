"""Scanagatta, Corani, de Campos and Zaffalon (2016): Learning treewidth-bounded Bayesian networks with thousands of
variables.

k-G and k-A*: k-trees grown along sampled orders, greedily or with the best cliques. The paper's k-A* is best-first A*
with the best sets among predecessors as estimate (``--best-first``); the Lagrangian bound, the search depth first and
the neighbourhoods that run by default are this project's.
"""

from __future__ import annotations

from stages.methods import RESTARTED, SETS_TW, SearchMethod, on_sets

SEARCHES = {
    "kg": SearchMethod(
        "treewidth",
        "k-G: gives each variable along a sampled order its best set that fits, after an exact start clique (up to "
        "22 variables)",
        {SETS_TW: on_sets(f"{__name__}.kg", "init", *RESTARTED, "max_table", "sampled_only")},
        "Scanagatta et al. 2016",
    ),
    "kastar": SearchMethod(
        "treewidth",
        "k-A*: finds the best cliques along the orders that kg draws with the same seed, by a depth-first search of "
        "this project; --best-first is the paper's search",
        {SETS_TW: on_sets(f"{__name__}.kastar", "init", *RESTARTED, "best_first", "sampled_only")},
        "Scanagatta et al. 2016",
    ),
}
