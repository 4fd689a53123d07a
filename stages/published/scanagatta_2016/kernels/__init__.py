"""Compiled code: the best cliques along an order."""
