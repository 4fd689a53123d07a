"""Inference by listing all states of all variables."""

from __future__ import annotations

import itertools
import math

import numpy as np


def joint_table(network):
    """The probability of every combination of states, an axis for each variable."""
    shape = [len(variable.known_states) for variable in network.variables]
    table = np.empty(shape)
    for states in itertools.product(*map(range, shape)):
        table[states] = math.prod(
            network.tables[child][(*(states[p] for p in parents), states[child])]
            for child, parents in enumerate(network.parents)
        )
    return table


def restricted(table, evidence):
    """The same with zeros where the evidence does not hold."""
    kept = np.zeros_like(table)
    place = tuple(evidence.get(axis, slice(None)) for axis in range(table.ndim))
    kept[place] = table[place]
    return kept


def marginal(table, evidence, variables):
    """The distribution of some variables given evidence, axes in their order."""
    kept = restricted(table, evidence)
    others = tuple(axis for axis in range(table.ndim) if axis not in variables)
    sums = kept.sum(axis=others)
    rank = np.argsort(np.argsort(variables))
    return sums.transpose(rank) / kept.sum() if len(variables) > 1 else sums / kept.sum()


def probability(table, evidence):
    """That of the evidence."""
    return restricted(table, evidence).sum()


def most_probable(table, evidence):
    """The largest probability of all states with the evidence."""
    return restricted(table, evidence).max()
