"""Candidate parent sets with scores: opening and writing any format, exchange formats, blocks of sets as arrays."""
