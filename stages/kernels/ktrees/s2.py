"""S2's draw of k-trees: uniform ones, accepted by informative score (Nie, de Campos, Ji 2015)."""

from __future__ import annotations

import numpy as np

from ..jit import njit
from .dandelion import decode_ktree, draw_code
from .informative_score import best_within_ktree, holds_last_sets, informative_score
from .ktree_families import bound_networks, collect_families
from .repair import mend_ktree

STANDING, ACCEPTED, BOUNDED = 0, 1, 2
"""Entries of the progress of `sample_ktrees`: IS*; k-trees accepted; those of them that got a bound."""


@njit
def sample_ktrees(lists, demands, information, base, tree, rng, progress, floor, n_trees, families, scratch):
    """Draw uniform k-trees until one is accepted that may hold a better network than is known.

    A k-tree is accepted with probability min(1, IS / IS*), where IS* is the largest informative score so far.
    Those drawn that do not hold what fixed records demand are mended (see `mend_ktree`); the others stay as they
    are, so each k-tree that meets the demands can be drawn.

    Parameters
    ----------
    lists : BoundedLists
        The last set of a child is empty, or prescribed by fixed records.
    demands : TreeDemands
    information : Information
    base : float
        Sum of the best listed scores of all variables, in nats.
    tree : KTree
        Holds the last k-tree drawn.
    rng : Generator
    progress : ndarray of float64, shape (3,)
        See `STANDING`, `ACCEPTED`, `BOUNDED`.
    floor : float
        Relative score of the best network known: k-trees that certainly hold no better one need no further look.
    n_trees : int
    families : Families
    scratch : AscentScratch
        Both as after `bound_networks` of the last k-tree.

    Returns
    -------
    tuple of (int, float, float)
        Number of k-trees drawn, and `best_within_ktree` of the last one if it is worth solving, else NaN; what
        its networks cost against that at least.
    """
    n, width = len(tree.order), tree.bags.shape[1] - 1
    symbols = np.empty(n - width - 1, dtype=np.int64)
    for done in range(n_trees):
        draw_code(rng, tree.order, width, symbols)
        decode_ktree(tree, symbols)
        if len(demands.precedences.before) and not holds_last_sets(lists, tree):
            mend_ktree(demands, tree, rng)
        relative_score = best_within_ktree(lists, tree)
        informative = informative_score(information, base, tree, relative_score)
        accepted = rng.random() * progress[STANDING] <= informative
        progress[STANDING] = max(progress[STANDING], informative)
        if not accepted:
            continue
        progress[ACCEPTED] += 1
        if relative_score <= floor:
            continue
        progress[BOUNDED] += 1
        collect_families(lists, tree, families)
        least = bound_networks(families, scratch, relative_score - floor, 0)
        if least < relative_score - floor:
            return done + 1, relative_score, least
    return n_trees, np.nan, np.inf
