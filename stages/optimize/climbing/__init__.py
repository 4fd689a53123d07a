"""Hill climbing on data: `hc`, and one climber that published methods share with it.

`constraints` holds the permitted arcs, `cache` the local scores computed so far, `climber` a graph with the gains of
its moves; `climb` climbs, perturbs the best graph and climbs again.

To add a method, write a function from a `climb.ClimbingRun` to a climb (`climb.Method`), and a ``search_data`` that
passes it to `climb.run_method` (`stages.optimize.result.DataSearch`).
"""
