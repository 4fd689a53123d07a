"""The best network of bounded treewidth among listed sets with the proof: branch and bound on edges of k-trees.

A network has a treewidth of at most K exactly if its moral graph is part of a k-tree. The relaxation has columns for
listed sets, for the edges of the k-tree (pairs of variables) and its triangles (`family_cliques`), and rows that
couple them (`violated_rows`; those about cliques are the ones of `bounds.width`). HiGHS solves small programmes over
some of them (`linear_programme`); each bound is computed anew from multipliers in whole numbers over all sets
(`row_pool`). `edge_tree` is the branch and bound, `best_within_width` has the best network so far, and `within_width`
is the method.
"""
