"""Likelihood weighting: variables are drawn along the order of the network, those observed weigh the sample.

Fung and Chang 1990; Shachter and Peot 1990.
"""

from __future__ import annotations

import numpy as np

from ..jit import njit


@njit
def draw_weighted(network, is_needed, is_hidden, uniforms, drawn, logs):
    """Draw the hidden variables of each sample given its variables before them, and weigh it by those observed.

    Parameters
    ----------
    network : NetworkArrays
    is_needed, is_hidden : ndarray of bool, shape (n,)
        Variables that are drawn or weigh at all: with each its parents; those of them that are not observed.
    uniforms : ndarray of float64, shape (samples, n)
        Numbers from [0, 1).
    drawn : ndarray of uint8, shape (samples, n)
        States of what is observed; those of hidden variables are filled in.
    logs : ndarray of float64, shape (samples,)
        Filled: logarithm of each weight, nats; minus infinity where the sample and the evidence exclude each other.
    """
    for sample in range(len(logs)):
        logs[sample] = 0.0
        for variable in network.order:
            if not is_needed[variable]:
                continue
            at = network.table_start[variable]
            for m in range(network.family_start[variable], network.family_start[variable + 1]):
                member = network.family[m]
                if member != variable:
                    at += network.strides[m] * np.int64(drawn[sample, member])
            if not is_hidden[variable]:
                logs[sample] += np.log(network.probabilities[at + np.int64(drawn[sample, variable])])
                continue
            total, choice = 0.0, np.int64(0)
            for state in range(network.n_states[variable]):
                share = network.probabilities[at + state]
                if share > 0.0:
                    choice = np.int64(
                        state
                    )  # the last that is possible, should the sum be a little less than 1
                    total += share
                    if total > uniforms[sample, variable]:
                        break
            drawn[sample, variable] = np.uint8(choice)


@njit
def add_weights(drawn, weights, cells, target, sums, squares):
    """Add the weights of samples, and their squares, to the states that these show of some variables together.

    Parameters
    ----------
    drawn : ndarray of uint8, shape (samples, n)
    weights : ndarray of float64, shape (samples,)
    cells : ndarray of int64, shape (k,)
        What a step in each variable's state means among the states of all.
    target : ndarray of int64, shape (k,)
    sums, squares : ndarray of float64
        Changed.
    """
    for sample in range(len(weights)):
        at = np.int64(0)
        for i in range(len(target)):
            at += cells[i] * np.int64(drawn[sample, target[i]])
        sums[at] += weights[sample]
        squares[at] += weights[sample] * weights[sample]
