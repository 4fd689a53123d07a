"""The best network among listed sets with the proof: dynamic programming over subsets, or branch and cut.

`any_width` is the method. Where memory allows it runs over all subsets of the variables (Silander and Myllymäki
2006). Otherwise a local search (`incumbent`) and an upper bound (`stages.optimize.bounds`) approach each other, and
`branch_and_cut` closes the rest: it chooses branches from the `branch_tree`, two at a time, and `node` works on one.
`linear_programme` solves a branch with HiGHS (imported there alone, when the first programme is solved), `fractional`
reads its solution, `branching` records the gains of pairs.
"""
