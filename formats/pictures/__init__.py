"""Pictures of networks that are laid out already: SVG, and a page to look around in. Written only."""
