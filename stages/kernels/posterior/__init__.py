"""Sums over networks, and walks through them, on candidate lists.

scaled          numbers of any size
subset_sums     sums over all networks of few variables (Koivisto and Sood; Tian and He)
block_moves     moves that draw the parent sets of a few variables anew (Goudie and Mukherjee)
tempered_walks  which block moves next, networks on rungs (Geyer)
relations       how often variables are related in sampled networks
"""
