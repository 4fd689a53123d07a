"""Every key of the records of ``bnsl evaluate``, with its type, unit and meaning."""

from __future__ import annotations

from formats.schemas import Key, keys_of
from stages.scoring.scores import SCORES

from .prediction import N_BINS

_SIZE_KEYS = keys_of("""
variables integer: number of variables
arcs integer: number of arcs
min_states integer?: least number of states of a variable
mean_states number?: mean number of states of a variable
max_states integer?: largest number of states of a variable
min_parents integer: least number of parents
mean_parents number: mean number of parents
max_parents integer: largest number of parents
min_children integer: least number of children
mean_children number: mean number of children
max_children integer: largest number of children
parameters integer?: free parameters; none where numbers of states are unknown, or beyond 1.8e308
""")

_QUALITY_KEYS = keys_of(f"""
test_loglik number nats: mean log-likelihood of a test row, smoothed parameters from the data
cv_loglik number nats: mean log-likelihood of a row in cross-validation, structure fixed
given_loglik number? nats: mean log-likelihood of a row under the network's parameters, none if one is impossible
impossible_rows integer: rows that have probability 0 under the network's own parameters
test_holes integer: missing cells of the test rows; log-likelihoods of these rows are of the observed cells, exact
target string: variable that is predicted from the other cells of each row
target_rows integer: rows that its predictions are judged by
accuracy number: share of these rows whose most probable state is the observed one
log_loss number? nats: mean of -ln P(observed state), none if one is 0
surprising_rows integer: rows whose observed state was predicted with probability 0
brier_sum number: mean of the squared error of the predicted distribution summed over all states, 0 to 2; once brier
target_calibration_error number: expected calibration error of the predicted state, {N_BINS} bins of equal width
unpredicted_rows integer: rows not judged because their other cells have probability 0
target_recall number: mean over the states that occur of the share of their rows that are predicted so
target_precision number: mean over the states that are predicted of the share of these rows that show them
target_roc_area number?: mean over states of the area under the ROC curve, one state against the others
target_states list<object>: the same of each state
confusion list<object>: numbers of rows by observed and predicted state
target_calibration list<object>: of each bin, its rows, their mean probability of the predicted state, their accuracy
target_curve list<object>: with --curve, the points of the ROC curve of each state against the others
treewidth_lower integer: lower bound on the treewidth of the moral graph
treewidth_upper integer: upper bound on the treewidth of the moral graph
jointree_cells number?: cells of the clique tables of a junction tree, which time of exact inference grows with
certified_table number: cells of the largest clique table of the header's elimination order, where it bounds them
proof_total number nats: score of the network by the lists of --proof
proof_bound number nats: no network of these lists scores more, by the proof, which was checked
proof_gap number nats: that bound less the score, rounded up
certificate string: the header's elimination order, checked from scratch: valid, or what is wrong with it
shd integer: structural Hamming distance from the reference of equivalence classes: between essential graphs
skeleton_distance integer: pairs adjacent in just one of network and reference
class_true_positives integer: edges of the essential graph that the reference's has too, directed alike
class_false_positives integer: edges of the essential graph that the reference's lacks, or directs otherwise
class_false_negatives integer: edges of the reference's essential graph that are missing, or directed otherwise
drawn_true_positives integer: arcs as drawn that the reference has too; once true_positives
drawn_false_positives integer: arcs as drawn that the reference lacks, also if it has them reversed
drawn_false_negatives integer: arcs of the reference as drawn that are missing, also if they are there reversed
""")

MEASURE_KEYS = (
    *_SIZE_KEYS,
    *(Key(name, "number", score.definition, "nats") for name, score in SCORES.items()),
    *_QUALITY_KEYS,
)
"""Measures of networks, in the order of the records."""

STRENGTH_KEYS = keys_of("""
roc_area number?: area under the ROC curve of arc strengths: how often a true arc has more than a false one
pr_area number?: area under the precision-recall curve of arc strengths (average precision)
pair_roc_area number?: the same as roc_area of pairs joined in either direction
pair_pr_area number?: the same as pr_area of pairs joined in either direction
calibration_error number: mean difference between strength and share of true arcs, by deciles of strength
""")
"""Measures of arc strengths."""

EVALUATION_KEYS = (
    *keys_of("""
network string!: path of the network, or of the table of strengths
index integer: position of the network in its stream, from 1
"""),
    *MEASURE_KEYS,
    *STRENGTH_KEYS,
    *keys_of("calibration list<object>: deciles of strength, those without arcs left out"),
)
"""A record of ``bnsl evaluate``: which measures it has depends on the inputs."""

FAMILY_KEYS = (
    *keys_of("""
variable string!: name
same boolean!: whether its parents are the same in both networks
parents_1 list<string>!: its parents in the first network
parents_2 list<string>!: its parents in the second network
"""),
    *(
        Key(f"{name}_{n}", "number", f"{name} of its family in the {which} network", "nats")
        for name in SCORES
        for n, which in ((1, "first"), (2, "second"))
    ),
)
"""A record of ``bnsl evaluate --families``."""
