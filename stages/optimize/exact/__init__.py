"""The best network among listed sets with the proof: dynamic programming over subsets, or branch and cut.

`search` is the method. Where memory allows it runs over all subsets of the variables (Silander and Myllymäki 2006).
Otherwise a local search (`incumbent`) and an upper bound (`stages.optimize.bounds`) approach each other, and
`branch_and_cut` closes the rest: it chooses branches from the `tree`, two at a time, and `node` works on one.
`linear_programme` solves a branch, `fractional` reads its solution, `branching` records the gains of pairs. The
linear solver HiGHS is an optional package, imported in `linear_programme` alone; without it `volume_programme` solves
branches roughly, whose bounds hold all the same.
"""
