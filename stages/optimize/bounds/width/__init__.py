"""Upper bounds on the score of networks within a treewidth bound.

`edge_prices` and then `triangle_prices` narrow the bound of networks of any width; `width_search` divides the work
between both. `cliques` and `clique_rows` serve the exact search under a treewidth bound, too.
"""
