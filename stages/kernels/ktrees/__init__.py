"""Searches under a treewidth bound: k-trees built along orders, and networks within cliques.

set_filters                      what excludes most sets of the lists at a glance
ktree, start_clique, orders      a k-tree along an order (k-G), its exact start clique, random orders
order_moves, move_log, annealing  local changes of an order, incremental updates of its k-tree; simulated annealing
member_pairs                     the sets that contain two variables, which a change of a bag may make cliques
kmax                             a k-tree grown by the variable of least regret (k-MAX)
clique_tree, slim, slim_dp, slim_search    exact improvement of small groups of cliques (as BN-SLIM)
triangulation                    chordal graphs within the bounds around a network
sparse_elimination, narrowing    greedy elimination of sparse graphs; families lose members until it keeps bounds
arborescence                     the best network with at most one parent per variable (Edmonds)

All work on `orders.set_lists.SetLists` whose scores are relative to each variable's best set.
"""
