"""Searches over orders of the variables, on candidate lists.

set_lists          the listed sets of all searches and bounds (`SetLists`), best consistent sets
acyclic_selection  from order to network by sets that close no cycle (ASOBS)
insertion          the score of every position of one variable in an order, and the move
insertion_ils      iterated local search by such moves
grow_shrink_trees  the score of every position where sets grow on demand, growth kept (BOSS)
initial_orders     initial orders from the graph of all best sets
subset_dp          the best network of few variables (Silander and Myllymäki)
"""
