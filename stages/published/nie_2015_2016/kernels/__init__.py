"""Compiled code: k-trees by informative score, and the best network within one."""
