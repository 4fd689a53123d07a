"""Hill climbing on data: one climber that HC, the CHC family and MMHC share.

Methods: `hc`, `chc` (CHC, CHC*, iCHC, 2iCHC, FastCHC; Gámez et al. 2011, 2012) and `mmhc`, whose neighbours
`mmpc` finds by tests (Tsamardinos et al. 2006). What they share: `constraints` says which arcs may be there,
`cache` remembers local scores, `climber` holds a graph with the gains of its neighbours and takes steps,
`perturbation` moves a graph out of a local optimum, `run` climbs, perturbs and climbs again.

To add a method, write a function from a `run.Run` to a climb (`run.Method`), ``search_data`` that gives it to
`run.run_method` (`stages.optimize.result.DataSearch`), and enter it in `METHODS`.
"""
