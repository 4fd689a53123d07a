"""Exact inference in networks with parameters.

engine     a network made ready; what is hidden in rows falls apart into components; costs, and what is refused
questions  one piece of evidence: marginals, joint distributions, most probable states, samples, probability
weighting  the same from weighted samples, with standard errors, where tables would be too large
tables     many rows of evidence: a column predicted, holes filled
expected   expected counts of families over rows with holes, under changing parameters

The arithmetic is in `stages.kernels.inference`. A further question is a function on an `Engine` in `questions`.
"""
