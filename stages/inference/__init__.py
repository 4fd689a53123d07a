"""Exact inference in networks with parameters.

engine     a network made ready; what is hidden in rows falls apart into components; costs, and what is refused
questions  one piece of evidence: marginals, joint distributions, most probable states, samples, probability
tables     many rows of evidence: a column predicted, holes filled

The arithmetic is in `stages.kernels.inference`. A further question is a function on an `Engine` in `questions`.
"""
