"""The functions of the library, one per module: their parameters, and the computation. No module imports click."""
