"""Checks of answers: commands run on random tables, and their output compared with plain definitions.

program       runs a command line in this process and returns what it wrote
networks      random networks and lists of parent sets, as files
parentsets, optimize, posterior, fit, query, evaluate
              one function each, named `check`, for the command of that name
completions, predictions, samples
              likewise for missing cells, predictions and sampled answers, which several commands give

A check takes a `Case` and raises `Difference` where an answer is wrong. It uses nothing of the program's own
packages but the command line.
"""
