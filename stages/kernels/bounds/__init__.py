"""Dual bounds over cuts on candidate lists."""
