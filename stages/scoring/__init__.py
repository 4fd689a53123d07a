"""Local scores of families on one data set, computed on demand: shared by parent sets, pricing and hill climbing.

All that scores stands on `family_scorer.FamilyScorer`: it has the packed data, the look-up tables of the score, and
the number of scores computed. Callers choose among four ways by what they ask for:

family_scorer        one child, a set plus each of many candidates or less each member; how the rows are counted is
                     chosen in `stages.kernels.counting.counting_plan`
pair_scores          all single parents of all children: one count of a pair serves both directions
clique_scorer        all sets within a small clique, for many children: one table of counts for each child
set_functions        all sets up to a size: one value of a set serves each of its members as the child

scores               definitions: penalties, priors, properties
look_up_tables       contributions of cells and configurations by their counts
table_lines          the same for sets with many numbers of configurations
dataset_layout       data as the kernels read them: bitmaps, equal rows merged
candidate_prefilter  candidates ranked on a share of the rows, where there are thousands
set_grower           sets of one child grown and shrunk, with a cache of their scores
independent          scores from their definitions by plain counting, to check results
"""
