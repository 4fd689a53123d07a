"""Command line of bnsl: the words the user types. Importing this package imports nothing else.

Commands import what is slow to load inside their callbacks, so that help and completion answer at once.
"""
