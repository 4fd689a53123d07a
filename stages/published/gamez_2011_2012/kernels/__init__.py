"""Compiled code: the forbidden-parent sets of constrained hill climbing."""
