"""Networks: opening and writing any format, with and without parameters, and what users write about arcs."""
