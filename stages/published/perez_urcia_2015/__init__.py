"""Perez Urcia and Mauá (2015): Initialization heuristics for greedy Bayesian network structure learning.

Order-based search by swaps of neighbours (Teyssier and Koller 2005). The paper's initial orders serve other searches
too: `stages.optimize.orders.initial_orders`.
"""

from __future__ import annotations

from stages.methods import RESTARTED, SETS, SearchMethod, on_sets

SEARCHES = {
    "obs": SearchMethod(
        "orders",
        "swaps neighbours in an order greedily",
        {SETS: on_sets(f"{__name__}.obs", "init", "iterations", *RESTARTED)},
        "Perez Urcia & Mauá 2015",
    )
}
