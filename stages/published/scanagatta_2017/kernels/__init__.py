"""Compiled code: moves of blocks in an order."""
