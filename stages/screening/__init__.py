"""Screening of variables that one other variable nearly determines.

entropies  entropies of all variables and conditional entropies of all pairs
forests    the quasi-deterministic forest at a threshold, and its number of roots as the threshold rises
"""
