"""Compiled code shared by several published methods."""
