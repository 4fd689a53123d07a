"""Candidate parent sets with scores: all formats, blocks of sets as arrays, traces of searches."""
