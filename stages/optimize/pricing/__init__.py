"""Searches on data that grow their candidate lists where the present solution lies."""
