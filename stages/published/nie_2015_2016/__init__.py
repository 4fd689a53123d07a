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
        "S2: draws k-trees uniformly, accepts them by their informative score, and finds the best network in each",
        {SETS_TW: on_sets(f"{__name__}.s2", "restarts", "start", "information", "sampled_only")},
        "Nie et al. 2015",
    ),
    "s2plus": SearchMethod(
        "treewidth",
        "S2+: grows k-trees by A* on the informative score, and finds the best network in each; --time may end it "
        "before the first is solved, which the paper does not allow",
        {SETS_TW: on_sets(f"{__name__}.s2plus", "restarts", "start", "information", "sampled_only")},
        "Nie et al. 2016",
    ),
}
