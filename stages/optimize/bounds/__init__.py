"""Upper bounds on the score of every network from given lists (after Cussens 2011; Bartlett & Cussens 2017).

`lagrangian` holds a bound that gets better as long as one works on it: dual ascent first, then the volume
algorithm over violated cuts. `cuts` says what a cut is, `cut_pool` keeps cuts and finds violated clusters,
`zero_half_cuts` finds halved sums of cuts. `anytime_bound` works on a bound beside a search, for a share of the
search's work.

To add a kind of cut, say in `cuts` how it is made and counted, and call the search for it in `lagrangian` and in
`stages.optimize.exact.branch_and_cut`.
"""
