"""Formats of networks with parameters."""
