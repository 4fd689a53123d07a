"""Scores of many parent sets, of one or many children, and each further parent: no Python between two sets."""

from __future__ import annotations

import numpy as np

from ..jit import njit
from .add_one import score_expansions


@njit
def score_batch(data, tables, families, offsets, which, position, first, most_work, out, work):
    """Scores of sets with every further variable, until about `most_work` was done.

    Parameters
    ----------
    data : PackedData
    tables : ScoreTables
        For the children and the products of the parents' numbers of states of all sets in `which`.
    families : ndarray of int32
        Set k of child ``families[offsets[k]]`` has the parents ``families[offsets[k] + 1 : offsets[k + 1]]``.
    offsets : ndarray of int64, shape (n_sets + 1,)
    which : ndarray of int64
        The sets to score.
    position, first : int
        Where to begin in `which`, and at which of that set's candidates; 0 and 0, or what the call before returned.
    most_work : float
        As for `score_expansions`.
    out : ndarray of float64, shape (n_sets, n_variables)
        Receives the scores in nats, -inf for the child and the parents.
    work : Workspace

    Returns
    -------
    (position, first) : int
        Where to go on; ``(len(which), 0)`` when all are done.
    """
    n_variables = out.shape[1]
    candidates = np.empty(n_variables, dtype=np.int32)
    done = 0.0
    while position < len(which) and done <= most_work:
        k = which[position]
        family, scores = families[offsets[k] : offsets[k + 1]], out[k]
        if first == 0:
            scores[:] = 0.0
            for member in family:
                scores[member] = -np.inf
        # Candidates that are scored already are told by their place only.
        n = 0
        for y in range(n_variables):
            is_member = False
            for member in family:
                is_member |= member == y
            if not is_member:
                candidates[n] = y
                n += 1
        if n > 0:
            first, more = score_expansions(
                data, tables, family[0], family[1:], candidates[:n], first, most_work - done, scores, work
            )
            done += more
            if first < n:
                return position, first
        position += 1
        first = 0
    return position, first
