"""Hill climbing on graphs: which moves there are, what they bring, which is best.

moves            the graph (`ClimbState`), its moves, the choice among them
ancestors        who reaches whom, kept up to date while arcs come and go
addable_parents  the possible new parents of every child with their gains
forbidden_pairs  the pairs that constrained climbing (CHC, FastCHC) does not try again, or reopens

`stages.optimize.climbing.climber` computes the gains and applies the moves.
"""
