"""Learning from rows with holes: parameters and structures, by exact inference and learning in turn.

maximisation  parameters by expectation maximisation
structural    structures: a table is completed, searched, parameters are fitted, and again
"""
