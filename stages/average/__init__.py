"""One network out of many: how many of them have each arc, and the network that agrees with them best.

`strengths` counts arcs and finds the threshold above which they are significant; `consensus` chooses the network,
by the searches of `stages.optimize` on lists whose scores are sums of arc strengths.
"""
