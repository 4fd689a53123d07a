"""Benchmarks: `make bench`. Speed is measured here and never asserted."""
