"""Every key of this program's JSON-lines files and every column of the entropy table: name, type, unit, meaning.

Readers validate against these tables and ``bnsl formats`` prints them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Key:
    """One key of a JSON object or one column of a table."""

    name: str
    type: str
    """``string``, ``integer``, ``number``, ``boolean``, ``object`` or ``list<ITEM>`` (ITEM is one of these types or
    ``number|null``); Arrow types for columns.
    """
    meaning: str
    unit: str = ""
    """Unit of numbers that have one."""
    required: bool = False
    nullable: bool = False
    """Whether null may stand for "unknown"."""


_KEY = re.compile(r"(\S+) ([^\s!?:]+)(!?)(\??)(?: (\w+))?: (.*)")


def keys_of(table: str) -> tuple[Key, ...]:
    """The keys of a table with lines ``NAME TYPE UNIT: MEANING``, continued on indented lines.

    ``!`` after the type means that the key is required, ``?`` that it may be null; few keys have a unit.
    """
    keys = []
    for line in table.strip().replace("\n    ", " ").split("\n"):
        match = _KEY.fullmatch(line)
        assert match, line
        name, type_, required, nullable, unit, meaning = match.groups()
        keys.append(Key(name, type_, meaning, unit or "", bool(required), bool(nullable)))
    return tuple(keys)


@dataclass(frozen=True)
class FileFormat:
    """A format of this program: its name in the header, the version read, and its keys."""

    name: str
    version: int
    header: tuple[Key, ...]
    record: tuple[Key, ...]


SCORES = ("bic", "aic", "bdeu", "k2", "bds", "qnml", "fnml", "ll")
"""Names of local scores; ``unknown`` stands for a score that a foreign file does not name."""

VARIABLE_KEYS = keys_of("""
name string!: name of the variable (column of the data)
states list<string>?: state labels in code order; null where unknown
""")

COMMAND_KEYS = keys_of("""
stage string!: command: parentsets, optimize, ...
version string: version of the program
options object: options that the result depends on, the seed included; no paths, no numbers of workers
""")

COMMON_HEADER_KEYS = keys_of(f"""
format string!: name of the format
version integer!: version of the format
score string: local score: {", ".join(SCORES)}; unknown for foreign files
ess number? rows: equivalent sample size of scores bdeu and bds
rows integer? rows: rows of the data behind the scores
variables list<object>!: the variables, in the order that indices count
data string?: fingerprint of the data (sha256 of names, states and codes, and of what was set)
interventions list<list<integer>>: the sets of variables (indices) that were set from outside together in some row,
    the empty one for rows without; a variable's scores are of the rows in which it was not set
arc_prior object: prior probabilities of arcs that the scores contain: arcs, adjacencies, lists of two names and a
    probability; an arc adds the logarithm of its odds to the score of its child
by list<object>: commands that made the file, oldest first: stage, version, options
created string?: time of writing, ISO 8601, UTC
interrupted boolean: the run was stopped early; this is its best result so far
""")

SHARD_HEADER_KEYS = keys_of("""
shard string: i/N: which part of the variables this file holds (of how many parts)
records integer: number of variables of the shard, each with one record
""")

PARENT_SETS_HEADER_KEYS = SHARD_HEADER_KEYS + keys_of("""
screened list<integer>: variables (indices) that a screening forest attached to their parents
keep_mass number?: sets that a subset dominates are listed, too, unless one scores more by ln(1/keep_mass)
    nats or above (0: all of them); without this key they are not
""")

TREEWIDTH_KEYS = keys_of("""
bound integer: largest treewidth that was allowed
width integer: width of the elimination order, an upper bound on the treewidth
elimination list<integer>: elimination order of the moral graph (variable indices)
max_table integer: largest clique table that was allowed, cells
table integer: largest clique table of the elimination order, cells: the product of states
""")

NETWORK_HEADER_KEYS = keys_of("""
total number? nats: score of the network, the sum of its local scores
method string: search that found the network
seed integer?: seed of the search
treewidth object: bound, width, and an elimination order (variable indices) that certifies it
bound number nats: upper bound on the score of any network
gap number nats: bound minus total
bound_relative_to string: networks none of which exceeds the bound: 'networks of the listed sets', with what is
    known about further sets in parentheses; or, with complete lists, 'all networks'; and each limit
init string: how the search chose the orders that it started from
begun_from string: 'the best forest': the network was made along its order; no sampled order gave a better one
restarts integer: starts of the search; of a climber, the starts after its first
orders integer: orders of the variables evaluated
ktrees integer: k-trees evaluated
unproved integer: k-trees for which the network found is not proved to be the best
unproved_gap object nats: how much better the best network within such a k-tree can be than the one found, at
    most: largest and mean
information string: pairs whose mutual information chose the k-trees: 'all pairs' or 'listed sets'
undecided_ktrees integer: k-trees not proved the most informative: another with the same first clique, or another
    first clique, may be more so
decided integer: orders whose best choice of cliques was found, with the proof
undecided integer: orders whose search ended at the limit of states or of time before the proof
undecided_gap object nats: what the best choice of an undecided order can score better than the one found, at
    most: largest and mean
decoding string: how orders became networks, where a method has more than one way
steps integer: additions, removals and reversals of arcs made
evaluations integer: local scores that the climber computed
classifier string: the classifier that was chosen: 'naive Bayes', 'tan' or 'kdb K'
conditional_log_likelihood number nats: of the class given the other columns, each row by the counts of all others
tests integer: tests of independence made to find the candidate parents
scores_computed integer: local scores computed while parent sets were added
branches integer: nodes of the branch-and-cut tree
programmes integer: linear programmes solved
replicate integer: number of the bootstrap replicate that the network is of, from 1
holes integer: missing cells of the rows learnt from
rounds integer: times that parameters were fitted and the missing cells filled anew
imputation string: how missing cells were filled: best, by the states most probable together, or drawn
observed_score number nats: score of the observed cells: likelihood less penalty
networks integer: networks that a consensus was made of
threshold number: strength in either direction that a pair must exceed to be joined in a consensus
agreement number: sum over the arcs of a consensus: strength less half the threshold
agreement_bound number: upper bound on that sum, for any network
strengths list<list<list<number>>>: for each variable and each of its parents the share of networks (or the
    probability) of the arc, and of one in either direction
directions list<list<string>>: for each variable and each of its parents what decides the direction of the arc: data,
    knowledge or neither; of a consensus, in most of the networks
name string: name of a network with parameters
screened list<integer>: variables (indices) that a screening forest attached to their parents, outside the search
unscored list<integer>: variables (indices) that had no parent sets; the total leaves them out
""")

FOREST_HEADER_KEYS = keys_of("""
records integer!: number of screened variables, each with one record
eps number? nats: threshold on the conditional entropy
relative boolean: the threshold is on H(X|Y) / H(X)
roots number?: share of roots asked for
max_parents integer: variables that may determine another one together, if more than one
""")

RECORD_KEYS = keys_of("""
child integer!: index of the variable
parents list<list<integer>>!: parent sets, each a list of variable indices, best first
scores list<number|null>! nats: local scores, one for each set
evaluated integer?: exact local scores computed for this child
fixed boolean: the one set listed is the one that the child must take
required list<integer>: parents that the child must have: in every listed set, and these alone are listed, not the
    empty set
complete boolean: every non-dominated set within the header's limits is listed, and every one that its
    keep_mass demands; columns of one state change no score and are never parents, nor have any, unless required
unlisted number? nats: upper bound on the score of any set that is neither listed nor dominated by a listed one
left_out number?: with keep_mass: upper bound on the probability of the sets that are not listed, with columns of one
    state or without, over that of the best listed subset of each, added up for the listed set for which that is most
interrupted boolean: the search for this child was stopped early, or before it began
ended string: what ended the search for this child before its own end: time or memory
""")

NETWORK_RECORD_KEYS = RECORD_KEYS + keys_of("""
probabilities list<number>: probability table of the variable, in the records of all or of none: row by row, the
    its own states run fastest, then the states of the last parent, the first one slowest; each row sums to 1
""")

_TRACE_KEYS = keys_of("""
child integer!: index of the variable
evaluated integer!: scores computed for this child so far, this one counted
parents list<integer>!: parent set whose score was computed (variable indices)
score number! nats: its exact local score
estimate number!? nats: its estimated score BIC* by which independence selection chose it; null for sets not
    chosen by one
""")

_ARC_HEADER_KEYS = keys_of("""
prior string: dags: all networks are equally probable before the data; orders: all orders are
method string: exact, sampled, or counted (in networks)
networks integer: networks in which arcs were counted
screened list<integer>: variables (indices) that a screening forest attached to their parents in all of them
keep_mass number?: of the parent sets that it was made from
listed_share number?: the networks of listed sets have at least this share of the probability of all within
    the limits of the lists
chains integer: Markov chains that the samples are of
samples integer: networks sampled, all chains together
rhat number?: largest rank-normalised split R-hat: of the score and of arcs
ess number?: effective number of samples, by the score of the networks
largest_error number?: largest standard error of the probability of an arc
agreed boolean: whether the chains agree
""")

_ARC_COLUMNS = keys_of("""
parent string!: name of the variable that the arc leaves
child string!: name of the variable that it enters
probability number!: posterior probability of the arc
standard_error number!: of that probability; 0 where it is exact
either number!: posterior probability of an arc in either direction
direction string: what decides this direction in most networks that join the pair: data, knowledge or neither
ancestor number: posterior probability that the parent is an ancestor of the child
ancestor_error number: standard error of that
blanket number: posterior probability that the parent is in the Markov blanket of the child
blanket_error number: standard error of that
""")

_PROOF_HEADER_KEYS = keys_of("""
sets string!: digest of the lists: sha256 of a line 'CHILD PARENTS SCORE' for each set, by child and then as text;
    parents with commas, the score as C99's %a writes it
bits integer!: scores, multipliers and bounds are whole numbers of one unit: 2 to the power of minus bits, in nats;
    scores are rounded up
bound integer! units: no network of these lists scores more
max_parents integer: the largest number of parents in the networks that the proof is about
cuts integer!: lines of cuts, which come first
nodes integer!: lines of nodes, which follow
""")

_PROOF_KEYS = keys_of("""
cluster list<integer>: a cut: at least 'demand' of these variables have fewer than 'demand' parents among them
demand integer: of a cluster
half list<integer>: a cut: half of the sum of these earlier ones (numbers from 0), see 'bnsl help proofs'
lowered list<integer>: variables for whose sets counts are rounded down
above integer: a node: the number of the one above it, -1 for the first, which has all networks
before list<integer>: the networks of the node above in which the first of two variables precedes the second
steps list<object>: multipliers that exclude sets of this node
solved boolean: the sets that remain are solved exactly
sha256 string: of all lines before this one, the last
""")

_STEP_KEYS = keys_of("""
cuts list<integer>!: numbers of the cuts whose multiplier differs from that in the step before: of this node, or the
    last one of the nearest node above that has any
multipliers list<integer>! units: of each of these, not negative, 0 for none; to be multiplied by 2 to the power of
    'shift'
shift integer: 0 unless given
anew boolean: all other multipliers are 0
""")

PARENT_SETS = FileFormat("bnsl.parentsets", 1, COMMON_HEADER_KEYS + PARENT_SETS_HEADER_KEYS, RECORD_KEYS)
NETWORK = FileFormat("bnsl.network", 1, COMMON_HEADER_KEYS + NETWORK_HEADER_KEYS, NETWORK_RECORD_KEYS)
FOREST = FileFormat("bnsl.forest", 1, COMMON_HEADER_KEYS + FOREST_HEADER_KEYS, RECORD_KEYS)
TRACE = FileFormat("bnsl.trace", 1, COMMON_HEADER_KEYS + SHARD_HEADER_KEYS, _TRACE_KEYS)
ARC_PROBABILITIES = FileFormat("bnsl.arc-probabilities", 1, COMMON_HEADER_KEYS + _ARC_HEADER_KEYS, _ARC_COLUMNS)
PROOF = FileFormat("bnsl.proof", 2, COMMON_HEADER_KEYS + _PROOF_HEADER_KEYS, _PROOF_KEYS)
JSONL_FORMATS = {spec.name: spec for spec in (PARENT_SETS, NETWORK, FOREST, TRACE, ARC_PROBABILITIES, PROOF)}
"""Formats with a common form of header; tables of arc probabilities have theirs in the schema's metadata."""

ENTROPY_COLUMNS = keys_of("""
variable string!: name of the variable
states int32!: number of states
entropy float64! nats: H(X)
conditional fixed_size_list<float64>! nats: H(X|Y) for every variable Y in row order; 0 for X itself
""")

CALIBRATION_KEYS = keys_of("""
above number!: lower limit of strength
to number!: upper limit of strength
arcs integer!: pairs of this strength; pairs of strength 0 are in the first decile
strength number!: their mean strength
share number!: share of true arcs among them
""")

TARGET_STATE_KEYS = keys_of("""
state string!: state of the target
rows integer!: judged rows that show it
recall number!?: share of these rows that are predicted so; null if there are none
precision number!?: share of the rows predicted so that show it; null if there are none
roc_area number!?: how often a row that shows it gives it a larger probability than one that does not, ties half
""")

CONFUSION_KEYS = keys_of("""
observed string!: state in the rows
predicted string!: most probable state given the other cells
rows integer!: number of these rows
""")

PARTS = {
    "variables": VARIABLE_KEYS,
    "by": COMMAND_KEYS,
    "treewidth": TREEWIDTH_KEYS,
    "calibration": CALIBRATION_KEYS,
    "target_states": TARGET_STATE_KEYS,
    "confusion": CONFUSION_KEYS,
    "steps": _STEP_KEYS,
}
"""Keys of the objects within a header or record: of a single object, or of each object in a list."""

_PYTHON_TYPES = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
}
_JSON_TYPES = {int: "integer", float: "number", bool: "boolean", str: "string", list: "list", dict: "object"}


def describe_type(value: Any) -> str:
    """The JSON type of a decoded value in the words of messages."""
    return "null" if value is None else _JSON_TYPES[type(value)]


def key_problem(values: dict[str, Any], keys: tuple[Key, ...]) -> str | None:
    """The problem with the keys of a decoded JSON object; None if there is none. Unknown keys are allowed."""
    for key in keys:
        if key.name not in values:
            if key.required:
                return f"no key {key.name!r}"
            continue
        value = values[key.name]
        if value is None and key.nullable:
            continue
        kind = key.type.partition("<")[0]
        # In Python, bool is a subclass of int.
        is_bool = isinstance(value, bool)
        if not isinstance(value, _PYTHON_TYPES[kind]) or is_bool != (kind == "boolean"):
            return f"key {key.name!r} must be of type {kind}, not {describe_type(value)}"
    return None
