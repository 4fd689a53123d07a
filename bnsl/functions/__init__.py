"""The functions of the library, one per module: their options, and the computation. No module imports click.

What is slow to load (numpy, pyarrow, stages and readers) is imported inside functions, here and in the packages
beside this one, so that a command or a call loads only what it uses; `tests/test_import_rules.py` checks it.
"""
