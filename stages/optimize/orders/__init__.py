"""Searches over orders of the variables, without a treewidth bound."""
