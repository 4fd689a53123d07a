"""Exact inference: variables are eliminated, component by component of what is hidden.

Observed variables are cut out of the network before anything is planned, so cliques are of hidden variables only, and
rows of a table whose hidden variables form the same component share a plan and are worked on together.

network_arrays  a network with parameters as arrays
components      which variables matter in a row, and how those hidden fall apart
elimination     orders of elimination and their costs
clique_plans    a component's junction tree: axes, strides and factors of its cliques
kept_plans      plans of many components, for rows that are worked on again and again
propagation     products, sums and maxima towards the roots, and back
log_tables      the same in logarithms, for rows whose numbers are too small
expected_counts  expected counts of families, for expectation maximisation
trace_states      most probable states, and draws, from the roots on
weighting       samples weighted by their likelihood, where tables would be too large
answers         all of it for groups of rows
"""
