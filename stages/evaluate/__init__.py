"""Measures of learnt networks.

Measures are recomputed from the arcs and the data, without the compiled scorer of the searches; so they check the
reports of the searches (`stages.scoring.independent`).

measures          every measure of one network
likelihood        log-likelihoods: held-out, cross-validated, under given parameters, of incomplete rows
arc_strengths     ranking and calibration of arc strengths
proof_checking    proofs of bounds, checked in whole numbers
prediction        predictions of one variable, judged
alignment         inputs in the variable order of the network
"""
