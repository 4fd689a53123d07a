"""Compiled code: the chi-square tail."""
