"""The best network among listed sets with the proof: dynamic programming, or branch and cut.

`search` is the method. `subset_dp` runs over all subsets of the variables (Silander & Myllymäki 2006) where
memory allows. Otherwise a local search (`incumbent`) and an upper bound (`stages.optimize.bounds`) approach each
other, and what they leave open is closed by `branch_and_cut` over the solutions of a `linear_programme`, which
`fractional` reads. The linear solver is the one extra package; it is imported in `linear_programme` alone.
"""
