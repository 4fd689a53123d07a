"""Model averaging: arc strengths over many networks, and a consensus network.

`strengths` counts arcs and determines the significance threshold; `consensus` finds the network, by the searches of
`stages.optimize` on lists whose scores are sums of arc strengths.
"""
