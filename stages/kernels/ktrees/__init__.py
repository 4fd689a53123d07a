"""Searches under a treewidth bound: k-trees built along orders, and networks within cliques.

ktree, start_clique, orders      a k-tree along an order (k-G), its exact first clique, random orders
moves, annealing                 an order changed a little, its k-tree brought up to date; the walk by such moves
kastar, kmax                     the best cliques along an order (k-A*); the variable of least regret next (k-MAX)
dandelion, repair                uniform k-trees (S2), and such as hold what fixed records demand
informative_score, s2, s2plus    by which k-trees are chosen; k-trees drawn (S2) or grown (S2+) by it
informative_clique, informative_growth    the most informative clique, and k-tree that contains one (S2+)
clique_paths                     the states of growth along an order
fills                            what choices from the last variable to the first demand of a k-tree, for k-A*
best_first                       open states as a heap, for k-A* and S2+
ktree_families                   the sets that fit a k-tree, and a bound on the networks of them
ktree_dp, ktree_dp_states        the best network within a k-tree
clique_tree, slim, slim_dp, slim_search    small groups of cliques solved exactly, again and again (BN-SLIM)
arborescence                     the best network with one parent each (Edmonds)

They work on `ktree.BoundedLists`, a view of `SetLists` with scores relative to each variable's best set.
"""
