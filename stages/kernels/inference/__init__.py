"""Exact inference by junction trees over the hidden variables of each row.

Observed variables are removed from the network first, and the hidden ones fall into components that the observed ones
separate. Rows with the same component share one junction tree and are processed together.

network_arrays   a network with parameters as flat arrays
components       relevant hidden variables of each row, divided into components
elimination      elimination orders and the cliques they induce
clique_plans     a component's junction tree: axes, strides and factors of its cliques
kept_plans       plans of many components in one array, for repeated passes over the same rows
clique_tables    tables of cliques: spread, multiplied and summed along their axes
propagation      sum-product and max-product messages to the roots, and back
log_tables       the same in logarithms, for rows that underflow
expected_counts  expected counts of families, for expectation maximisation
trace_states     most probable states, and draws, from the roots on
answers          queries to groups of rows
likelihood_weighting  weighted samples, where the tables would be too large
"""
