"""Best-first selection of parent sets for one child: an open list, the sets seen, exact scores, in one compiled loop.

pruning          which sets cannot pay, and the estimate BIC*
set_store        sets told apart by a hash table
open_list        what waits, best first
independence     best-first by BIC*
greedy           best-first by exact score

A call works for a fraction of a second, or until an array is full or a look-up table is missing, which the caller
then enlarges or adds.
"""
