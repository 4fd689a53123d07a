"""WINASOBS (Scanagatta, Corani and Zaffalon 2017: Improved local search in Bayesian networks structure learning)."""

from __future__ import annotations

from stages.methods import RESTARTED, SETS, SearchMethod, on_sets

SEARCHES = {
    "winasobs": SearchMethod(
        "orders",
        "moves blocks of variables in an order, starting from acyclic selection",
        {SETS: on_sets(f"{__name__}.winasobs", "init", *RESTARTED)},
        "Scanagatta et al. 2017",
    )
}
