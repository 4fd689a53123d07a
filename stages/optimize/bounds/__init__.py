"""Upper bounds on the score of every network from given lists (after Cussens 2011; Bartlett and Cussens 2017).

`lagrangian` holds a bound that improves with the work spent on it: dual ascent first, then the volume algorithm over
violated cuts. `cuts` defines a cut, `cut_pool` keeps the cuts found, `separators` is the interface of searches for
violated ones; `cluster_cuts` and `zero_half_cuts` are two such searches. `width` narrows the bound under a
treewidth bound. `residual` solves the problem over the sets that a bound has not excluded, by dynamic programming
over subsets (`subset_dp`). `proof_steps` are kept for a proof, `proof_assembly` makes it.
`anytime_bound` works on a bound beside a search, for a share of the search's work; `claims` says among which networks
a bound holds, `rounding` how far rounding can move it, `relaxation` has the bound of given multipliers.
"""
