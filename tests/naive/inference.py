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


def truncated_table(network, fixed):
    """The same where some variables are set: the product of the tables of all others, zero for other states of these
    (truncated factorisation)."""
    shape = [len(variable.known_states) for variable in network.variables]
    table = np.zeros(shape)
    for states in itertools.product(*map(range, shape)):
        if all(states[v] == state for v, state in fixed.items()):
            table[states] = math.prod(
                network.tables[child][(*(states[p] for p in parents), states[child])]
                for child, parents in enumerate(network.parents)
                if child not in fixed
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


def expected_counts(network, codes, is_hidden):
    """Log-likelihood of what is observed, and the expected counts of every family's table, row by row."""
    joint = joint_table(network)
    total, counts = 0.0, [np.zeros(table.shape) for table in network.tables]
    for row in range(codes.shape[1]):
        evidence = {v: int(codes[v, row]) for v in range(len(codes)) if not is_hidden[v, row]}
        total += math.log(probability(joint, evidence))
        for child, parents in enumerate(network.parents):
            counts[child] += marginal(joint, evidence, [*parents, child])
    return total, counts


def maximised(network, codes, is_hidden, smoothing, iterations):
    """Tables after some iterations of expectation maximisation, and the log-likelihood before each."""
    trace = []
    for _ in range(iterations):
        total, counts = expected_counts(network, codes, is_hidden)
        trace.append(total)
        tables = []
        for table in counts:
            weights = table + smoothing / table.size
            sums = weights.sum(axis=-1, keepdims=True)
            tables.append(np.where(sums > 0, weights / np.where(sums > 0, sums, 1), 1 / table.shape[-1]))
        network = type(network)(network.variables, network.parents, tuple(tables), network.name)
    return network.tables, trace


def largest_by_elimination(network, evidence):
    """Logarithm of the largest probability of all states with the evidence: one variable after another is maximised
    out of the product of the tables it is in, in logarithms; for networks too large for a table of all."""
    sizes = [len(variable.known_states) for variable in network.variables]
    factors = []
    with np.errstate(divide="ignore"):
        for child, parents in enumerate(network.parents):
            family = [*parents, child]
            place = tuple(evidence.get(v, slice(None)) for v in family)
            factors.append(([v for v in family if v not in evidence], np.log(network.tables[child])[place]))
    left = set(range(len(sizes))) - set(evidence)
    while left:
        around = {v: {u for axes, _ in factors if v in axes for u in axes} for v in left}
        variable = min(left, key=lambda v: (math.prod(sizes[u] for u in around[v]), v))
        left.remove(variable)
        axes = sorted(around[variable])
        product = np.zeros([sizes[u] for u in axes])
        for own, table in factors:
            if variable in own:
                rank = sorted(range(len(own)), key=own.__getitem__)
                product += table.transpose(rank).reshape([sizes[u] if u in own else 1 for u in axes])
        factors = [factor for factor in factors if variable not in factor[0]]
        factors.append(([u for u in axes if u != variable], product.max(axis=axes.index(variable))))
    return sum(float(table) for _, table in factors)
