"""Compiled arithmetic over arrays: no input or output, no classes of the other packages."""
