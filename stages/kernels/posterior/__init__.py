"""Posterior probabilities of networks on candidate lists: exact sums and Markov chains.

scaled_numbers  floating-point numbers with an extended exponent
subset_sums     sums over all networks of few variables (Koivisto and Sood; Tian and He)
block_moves     Gibbs sampling of the parent sets of a few variables (Goudie and Mukherjee)
covered_arcs    steps between equivalent networks (Chickering)
walks           choice of blocks, networks kept
relations       ancestors and Markov blankets in sampled networks
"""
