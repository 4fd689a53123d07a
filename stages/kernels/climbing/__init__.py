"""Moves of hill climbing on a graph and what is known about its neighbours."""
