"""Likelihood weighting (Fung and Chang 1990; Shachter and Peot 1990).

Hidden variables are drawn in topological order; a sample's weight is the probability of the observed ones given their
parents.
"""

import numpy as np

from ..jit import njit


@njit
def draw_weighted(network, is_needed, is_hidden, uniforms, drawn, logs):
    """Draw the hidden variables of each sample given their parents, and compute the sample's log-weight.

    Parameters
    ----------
    is_needed, is_hidden : ndarray of bool, shape (n,)
        Relevant variables, closed under parents; variables that are not observed.
    uniforms : ndarray of float64, shape (samples, n)
        In [0, 1).
    drawn : ndarray of uint8, shape (samples, n)
        States: observed variables are read, hidden ones are filled in.
    logs : ndarray of float64, shape (samples,)
        Output: log-weights in nats; minus infinity if the sample contradicts the evidence.
    """
    for sample in range(len(logs)):
        logs[sample] = 0.0
        for variable in network.order:
            if not is_needed[variable]:
                continue
            # Parents come before in the order: drawn or observed, their states address the row of the table.
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
                    choice = np.int64(state)  # the last possible state if rounding leaves the sum below 1
                    total += share
                    if total > uniforms[sample, variable]:
                        break
            drawn[sample, variable] = np.uint8(choice)


@njit
def add_weights(drawn, weights, strides, targets, sums, squares):
    """Add the samples' weights and squared weights to the cells of the joint table of some variables.

    Parameters
    ----------
    drawn : ndarray of uint8, shape (samples, n)
        States of all variables in each sample.
    weights : ndarray of float64, shape (samples,)
        Of the samples.
    strides : ndarray of int64, shape (k,)
        Stride of each target's axis in the joint table.
    targets : ndarray of int64, shape (k,)
        The variables of the joint table.
    sums, squares : ndarray of float64
        Updated in place.
    """
    for sample in range(len(weights)):
        at = np.int64(0)
        for i in range(len(targets)):
            at += strides[i] * np.int64(drawn[sample, targets[i]])
        sums[at] += weights[sample]
        squares[at] += weights[sample] * weights[sample]
