"""What functions of the library answer by: queries, rows, graphs, structures averaged over."""
