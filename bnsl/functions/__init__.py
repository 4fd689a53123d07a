"""The functions of the library, one a module: parameters, and what is computed of them. No module imports click."""
