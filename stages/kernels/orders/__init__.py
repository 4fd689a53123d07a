"""Searches over orders of the variables, on candidate lists.

set_lists          the form of candidate lists (`SetLists`), best consistent sets, adjacent swaps (OBS)
acyclic_selection  from order to network by sets that close no cycle (ASOBS)
insertion          the score of every place of one variable in an order, and the move
insertion_ils      iterated local search by such moves
grow_shrink_trees  the score of every place where sets grow on demand, growth kept (BOSS)
windows            moves of blocks of variables (WINASOBS)
feedback_arcs      initial orders from the graph of everybody's best set
subset_dp          the best network of few variables (Silander and Myllymäki)
"""
