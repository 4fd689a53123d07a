"""Nie, de Campos and Ji (2015, 2016): k-trees chosen by mutual information, the best network found in each.

S2 samples k-trees uniformly and accepts them by informative score (2015: Learning bounded tree-width Bayesian
networks via sampling); S2+ grows them by A* on that score (2016: Learning Bayesian networks with bounded tree-width
via guided search).
"""

from __future__ import annotations

from stages.methods import SETS_TW, SearchMethod, on_sets

SEARCHES = {
    "s2": SearchMethod(
        "treewidth",
        "S2: uniform k-trees, accepted by informative score, and solved",
        {SETS_TW: on_sets(f"{__name__}.s2", "restarts", "start", "information", "sampled_only")},
        "Nie et al. 2015",
    ),
    "s2plus": SearchMethod(
        "treewidth",
        "S2+: k-trees grown by A* on the informative score, and solved; --time ends it even before the first is "
        "solved, where Scanagatta et al. 2016 let it go on",
        {SETS_TW: on_sets(f"{__name__}.s2plus", "restarts", "start", "information", "sampled_only")},
        "Nie et al. 2016",
    ),
}
