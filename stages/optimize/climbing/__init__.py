"""Hill climbing on data: one climber that HC, the CHC family and MMHC share.

`constraints` says which arcs may be there, `cache` remembers local scores, `climber` holds a graph with the
gains of its neighbours and takes steps, `perturbation` moves a graph out of a local optimum, `run` climbs, perturbs
and climbs again.
"""
