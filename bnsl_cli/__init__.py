"""Command line of bnsl: the words the user types. Importing this package imports nothing else."""
