"""Why a network has its arcs, and what drives a variable: losses of score, mutual information, findings.

rivals    parent sets that a variable could take while all other families stay
arcs      what the score loses by each arc, and its conditional mutual information
drivers   information of all variables about a target, and what each finding does to its distribution
"""
