"""Candidate lists before a search: as arrays, filtered by knowledge, filled up, with a network to start from."""
