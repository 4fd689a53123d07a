"""Searches among listed sets for networks whose moral graph has bounded treewidth.

The moral graph of every network found is a subgraph of a k-tree, so the reverse of the order along which the k-tree
was built certifies the width. `ils`, the default, searches over k-trees: `annealing` moves variables between cliques,
`slim` solves small groups of cliques exactly. `triangulation`, used by pricing, searches orders within triangulations
of a network's moral graph, whose elimination order need not agree with the arcs; `narrowing` takes members from the
sets of a network that is too wide; `family_forest` joins families that close no cycle. `forest` is exact for
treewidth 1. `problem` prepares the lists for these searches and for published methods, under the constraints of
`prescribed_families` and the table bound of `table_bound`.

To add a method that samples k-trees, derive from `stages.published.ktree_restarts.OrderStream`.
"""
