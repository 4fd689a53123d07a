"""Hill climbing on graphs: the moves, their gains, the choice of the best one.

moves            the graph (`ClimbState`), its moves, the choice among them
ancestors        the ancestor relation, updated as arcs are added and removed
addable_parents  the possible new parents of every child with their gains

`stages.optimize.climbing.climber` computes the gains and applies the moves.
"""
