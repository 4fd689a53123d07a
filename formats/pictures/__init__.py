"""Pictures of networks with a given layout: SVG, and an interactive web page. Written only."""
