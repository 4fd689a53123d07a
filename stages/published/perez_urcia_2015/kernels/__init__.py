"""Compiled code: swaps of neighbours in an order."""
