"""Upper bounds on the score of every network from given lists (after Cussens 2011; Bartlett and Cussens 2017).

`lagrangian` holds a bound that improves with the work spent on it: dual ascent first, then the volume algorithm over
violated cuts. `cuts` defines a cut, `cut_pool` keeps the cuts found, `separators` is the interface of searches for
violated ones; `cluster_cuts` and `zero_half_cuts` are two such searches. `edge_prices` and then `triangle_prices`
narrow the bound under a treewidth bound; `width_search` divides the work between this bound and that of networks of
any width. `cliques` and `clique_rows` serve the exact search under a treewidth bound, too. `residual`
solves the problem over the sets that a bound has not excluded, by dynamic programming over subsets (`subset_dp`).
`anytime_bound` works on a bound beside a search, for a share of the search's work; `claims` says among which networks
a bound holds, `rounding` how far rounding can move it, `relaxation` has the bound of given multipliers.
"""
