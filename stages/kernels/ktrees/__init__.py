"""Searches under a treewidth bound: k-trees built along orders, and networks within cliques.

ktree, start_clique, orders      a k-tree along an order (k-G), its exact start clique, random orders
moves, annealing                 local changes of an order, incremental updates of its k-tree; simulated annealing
kmax                             a k-tree grown by the variable of least regret (k-MAX)
clique_tree, slim, slim_dp, slim_search    exact improvement of small groups of cliques (as BN-SLIM)
arborescence                     the best network with at most one parent per variable (Edmonds)

All work on `ktree.BoundedLists`, a view of `SetLists` with scores relative to each variable's best set.
"""
