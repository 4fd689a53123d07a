"""S2's sampling of k-trees: uniform draws, accepted by informative score (Nie, de Campos, Ji 2015)."""

from __future__ import annotations

import numpy as np

from stages.kernels.jit import njit

from .dandelion import decode_ktree, draw_code
from .informative_score import best_within_ktree, holds_last_sets, informative_score
from .repair import mend_ktree

STANDING, ACCEPTED = 0, 1
"""Entries of the progress of `sample_ktrees`: IS*, and the number of k-trees accepted."""


@njit
def sample_ktrees(lists, filters, demands, information, base, tree, rng, progress, floor, n_trees):
    """Draw uniform k-trees until one is accepted that may contain a better network than the incumbent.

    A k-tree is accepted with probability min(1, IS / IS*), where IS* is the largest informative score so far. A
    k-tree that lacks cliques demanded by fixed records is mended (`mend_ktree`). Other k-trees stay as they are, so
    each k-tree that meets the demands can be drawn. Returns the number of k-trees drawn, and whether the last one may
    contain a better network.

    Parameters
    ----------
    lists : SetLists
        The last set of a child is empty, or prescribed by fixed records.
    base : float
        Sum of the best listed scores of all variables, in nats.
    tree : KTree
        Holds the last k-tree drawn.
    progress : ndarray of float64, shape (2,)
        See `STANDING` and `ACCEPTED`.
    floor : float
        Relative score of the incumbent, in nats: a k-tree is skipped if even cyclic choices within it are no better.
    """
    n, width = len(tree.order), tree.bags.shape[1] - 1
    symbols = np.empty(n - width - 1, dtype=np.int64)
    for done in range(n_trees):
        draw_code(rng, tree.order, width, symbols)
        decode_ktree(tree, symbols)
        if len(demands.precedences.before) and not holds_last_sets(lists, filters, tree):
            mend_ktree(demands, tree, rng)
        # Each variable's best set without regard to cycles: S_l, and an upper bound on every network within the
        # k-tree.
        relative_score = best_within_ktree(lists, filters, tree)
        informative = informative_score(information, base, tree, relative_score)
        # Drawn against IS* before this k-tree raises IS*; so the first k-tree is always accepted.
        accepted = rng.random() * progress[STANDING] <= informative
        progress[STANDING] = max(progress[STANDING], informative)
        if not accepted:
            continue
        progress[ACCEPTED] += 1
        if relative_score > floor:
            return done + 1, True
    return n_trees, False
