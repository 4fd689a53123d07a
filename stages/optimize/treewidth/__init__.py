"""Searches over k-trees: networks whose treewidth a bound keeps small, each with its certificate."""
