"""k-trees, cliques and networks within them."""
