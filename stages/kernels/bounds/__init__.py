"""Upper bounds on the score of every network that candidate lists allow, from cuts.

dual_ascent     cluster cuts raised one after the other: a bound in polynomial time
lagrangian      cuts priced into the choice of sets; prices improved by the volume algorithm
subgradient_ascent  the loop of subgradient ascent, which improves a Lagrangian bound
edges           edges of k-trees, whose number limits the arcs under a treewidth bound
cluster_cuts    search for clusters whose cuts a fractional choice violates
zero_half_cuts  search for sums of cuts that are violated once halved and rounded

They work on `orders.set_lists.SetLists` and the costs of the sets: the best score of the same child less the set's.
"""
