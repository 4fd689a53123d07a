"""A random equivalent of a graph: arcs whose direction the data leave open are directed at random."""

from __future__ import annotations

import numpy as np

from stages.graphs.essential_graphs import list_arcs
from stages.kernels.bits import has_bit

from ..result import Parents
from .constraints import Constraints


def random_equivalent(parents: Parents, constraints: Constraints, rng: np.random.Generator) -> Parents:
    """A Markov equivalent graph within the constraints; `parents` is acyclic and meets them.

    Every arc is visited once, in random order, and reversed with probability one half if it is covered: its child has
    the same other parents as its parent. Reversals of covered arcs keep the class (Chickering 1995) and the size of
    the largest parent set.
    """
    families = [set(family) for family in parents]
    arcs = sorted(list_arcs(parents))
    for place, is_turned in zip(rng.permutation(len(arcs)).tolist(), rng.random(len(arcs)) < 0.5):
        parent, child = arcs[place]
        may_turn = has_bit(constraints.permitted[parent], child) and not has_bit(constraints.fixed[child], parent)
        if is_turned and may_turn and families[child] - {parent} == families[parent]:
            families[child].remove(parent)
            families[parent].add(child)
    return tuple(tuple(sorted(family)) for family in families)
