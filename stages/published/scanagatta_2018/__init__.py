"""Scanagatta, Corani, Zaffalon, Yoo and Kang (2018): Efficient learning of bounded-treewidth Bayesian networks from
complete and incomplete data sets (k-MAX).

Searches of the main road also start with its kernel that grows k-trees, `stages.kernels.ktrees.kmax`.
"""

from __future__ import annotations

from stages.methods import RESTARTED, SETS_TW, SearchMethod, on_sets

SEARCHES = {
    "kmax": SearchMethod(
        "treewidth",
        "k-MAX: grows k-trees by least regret",
        {SETS_TW: on_sets(f"{__name__}.kmax", *RESTARTED, "max_table", "sampled_only")},
        "Scanagatta et al. 2018",
    )
}
