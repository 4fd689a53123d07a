"""Networks in all formats, with and without parameters, and files of arcs, tiers and patterns of arcs."""
