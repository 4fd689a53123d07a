"""Counts and local scores from coded data.

add_one              scores of a parent set and each further parent, in one call: the hot loop of identification
counting_plan        the strategies of counting for that, their cost model, and the choice between them
inclusion_exclusion  small sets: cells without first states are counted, the counts of all other cells follow
labelled_rows        many states: rows labelled by their cell and counted in the order of the table
row_groups           all others: the configurations of a parent set, as bitmaps or lists of rows,
bitmaps_and_lists    and scores from these
overlaps             numbers of rows that bitmaps share: the innermost loop
pairs                counts and scores of all pairs of variables, tile by tile, both directions from one count
set_values           what families share: sums over the cells of a set, made once; those of binary variables
set_functions        scores as differences of these values
clique_families      the best family of a child with parents in a small clique, from one table of counts
sets_by_size         all sets of one size made from those of the size before, and scored
score_tables         look-up tables that turn counts into scores
packed_data          the data as the kernels read them, and scratch arrays

Data are laid out by `stages.scoring.dataset_layout`; `stages.scoring.family_scorer` calls the kernels.
"""
