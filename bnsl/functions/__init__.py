"""The functions of the library, one per module: their options, and the computation. No module imports click."""
