"""Counts and local scores from coded data.

row_groups    the configurations of a parent set, as bitmaps or lists of rows: the first half of counting
add_one       scores of a parent set and each further parent, in one call: the hot loop of identification
free_states   counts of small sets that follow from those in which no variable is in its first state
labelled_rows  all rows counted as they come: for many states
split_scores  the parts of such a score, for each way of counting
overlaps      numbers of rows that bitmaps share: the innermost loop
pairs         counts and scores of all pairs of variables, tile by tile, both directions from one count
drop_one      scores of a parent set less each of its members, from one table of counts
levelwise     all sets of one size made from those of the size before, and scored
score_tables  look-up tables that turn counts into scores

Data are laid out by `stages.scoring.dataset_layout`; `stages.scoring.family_scorer` is who calls.
"""
