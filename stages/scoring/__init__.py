"""Local scores of families on one data set, computed on demand: shared by parent sets, pricing and hill climbing.

family_scorer        the one door: each question to the data has a method, which chooses how rows are counted
pair_scores          its ways beside expansions and reductions: all pairs, both directions from one count,
clique_scorer        all sets within a small clique from one table of counts for each child,
set_functions        and all sets up to some size, one value of a set for each of its members as the child
scored_data          what all of them stand on: packed data, look-up tables, the number of scores computed

scores               definitions: penalties, priors, properties
look_up_tables       contributions of cells and configurations by their counts
table_lines          the same for sets with many numbers of configurations
dataset_layout       data as the kernels read them: bitmaps, equal rows merged
candidate_prefilter  candidates ranked on a share of the rows, where there are thousands
set_grower           sets of one child grown and shrunk, with a cache of their scores
independent          scores from their definitions by plain counting, to check results
"""
