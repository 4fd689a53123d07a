"""Upper bounds on the score of networks within a treewidth bound.

`edge_prices` and then `triangle_prices` narrow the bound of networks of any width; `width_search` divides the work
between both. `cliques` and `clique_rows` have the rows of the relaxation and find violated ones, also for the linear
programme of the exact search under a treewidth bound. Multipliers and programme are two since neither does for both:
nltcs at K = 2: the programme proves the optimum in 5 s, branching on multipliers leaves a gap of 82 nats after 60 s;
at K = 3, after 30 s: multipliers 17 nats, the programme 119; plants at K = 2: 3,798 and 23,323.
"""
