"""Scanagatta, Corani, de Campos and Zaffalon (2016): Learning treewidth-bounded Bayesian networks with thousands of
variables.

k-G and k-A*: k-trees grown along sampled orders, greedily or with the best cliques.
"""

from __future__ import annotations

from stages.methods import RESTARTED, SETS_TW, SearchMethod, on_sets

SEARCHES = {
    "kg": SearchMethod(
        "treewidth",
        "k-G: best fitting set along sampled orders",
        {SETS_TW: on_sets(f"{__name__}.kg", "init", *RESTARTED, "max_table")},
        "Scanagatta et al. 2016",
    ),
    "kastar": SearchMethod(
        "treewidth",
        "k-A*: the best cliques along the orders that kg draws with the same seed",
        {SETS_TW: on_sets(f"{__name__}.kastar", "init", *RESTARTED)},
        "Scanagatta et al. 2016",
    ),
}
