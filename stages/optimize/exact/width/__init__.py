"""The best network of bounded treewidth among listed sets with the proof: branch and bound on edges of k-trees.

A network has a treewidth of at most K exactly if its moral graph is part of a k-tree. The relaxation has columns for
listed sets, for the edges of the k-tree (pairs of variables), its triangles and cliques of four (`cliques`), and rows
that couple them (`separation`). HiGHS solves small programmes over some of them (`programme`); each bound is computed
anew from multipliers in whole numbers over all sets (`rows`). `branching` splits, `tree` is the search, `incumbent`
the best network so far, and `search` the method.
"""
