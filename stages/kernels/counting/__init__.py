"""Counts and local scores from coded data."""
