"""Every key of our JSON-lines files and every column of the entropy table, once: name, type, unit, meaning.

Readers validate against these tables and ``bnsl formats`` prints them, so the two cannot drift apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Key:
    """One key of a JSON object or one column of a table.

    Attributes
    ----------
    name : str
    type : str
        ``string``, ``integer``, ``number``, ``boolean``, ``list`` or ``object``; Arrow types for columns.
    meaning : str
    unit : str
        Unit of numbers where they have one.
    required : bool
    nullable : bool
        Whether null may stand for "unknown".
    """

    name: str
    type: str
    meaning: str
    unit: str = ""
    required: bool = False
    nullable: bool = False


@dataclass(frozen=True)
class FileFormat:
    """A format that we define: its name in the header, the versions read, and its keys."""

    name: str
    version: int
    header: tuple[Key, ...]
    record: tuple[Key, ...]


SCORES = ("bic", "aic", "bdeu", "k2", "ll")
"""Names of local scores; ``unknown`` stands for one that a foreign file does not name."""

VARIABLE_KEYS = (
    Key("name", "string", "name of the variable (column of the data)", required=True),
    Key("states", "list", "state labels in code order; null where unknown", nullable=True),
)

COMMAND_KEYS = (
    Key("stage", "string", "command: parentsets, optimize, ...", required=True),
    Key("version", "string", "version of the program"),
    Key(
        "options",
        "object",
        "options that the result depends on, the seed included; no paths, no numbers of workers",
    ),
)

COMMON_HEADER_KEYS = (
    Key("format", "string", "name of the format", required=True),
    Key("version", "integer", "version of the format", required=True),
    Key("score", "string", "local score: bic, aic, bdeu, k2, ll; unknown for foreign files"),
    Key("ess", "number", "equivalent sample size of score bdeu", unit="rows", nullable=True),
    Key("rows", "integer", "rows of the data behind the scores", unit="rows", nullable=True),
    Key("variables", "list", "the variables, in the order that indices count", required=True),
    Key("data", "string", "fingerprint of the data (sha256 of names, states and codes)", nullable=True),
    Key("by", "list", "commands that made the file, oldest first: stage, version, options"),
    Key("created", "string", "time of writing, ISO 8601, UTC", nullable=True),
    Key("interrupted", "boolean", "the run was stopped early; this is its best result so far"),
)

SHARD_HEADER_KEYS = (
    Key("shard", "string", "i/N: which part of the variables this file holds (of how many parts)"),
    Key("records", "integer", "number of variables of the shard, each with one record"),
)

PARENT_SETS_HEADER_KEYS = (
    *SHARD_HEADER_KEYS,
    Key(
        "keep_mass",
        "number",
        "sets that a subset dominates are listed, too, unless one scores more by ln(1/keep_mass) nats or above "
        "(0: all of them); without this key they are not",
        nullable=True,
    ),
)

TREEWIDTH_KEYS = (
    Key("bound", "integer", "largest treewidth that was allowed"),
    Key("width", "integer", "width of the elimination order"),
    Key("elimination", "list", "elimination order of the moral graph (variable indices)"),
    Key("max_table", "integer", "largest clique table that was allowed, cells"),
    Key("table", "integer", "largest clique table of the elimination order, cells: the product of states"),
)

NETWORK_HEADER_KEYS = (
    Key("total", "number", "score of the network, the sum of its local scores", unit="nats", nullable=True),
    Key("method", "string", "search that found the network"),
    Key("seed", "integer", "seed of the search", nullable=True),
    Key("treewidth", "object", "bound, width, and an elimination order (variable indices) that certifies it"),
    Key("bound", "number", "upper bound on the score of any network", unit="nats"),
    Key("gap", "number", "bound minus total", unit="nats"),
    Key(
        "bound_relative_to",
        "string",
        "networks that the bound is about: of the sets listed (at the end of the search), others may score better; "
        "or, with complete lists, 'all networks' within each limit that is named",
    ),
    Key("init", "string", "how the search chose the orders that it started from"),
    Key("restarts", "integer", "starts of the search; of a climber those after its first"),
    Key("orders", "integer", "orders of the variables evaluated"),
    Key("ktrees", "integer", "k-trees evaluated"),
    Key(
        "unproved",
        "integer",
        "k-trees for which the network found is not proved to be the best",
    ),
    Key(
        "unproved_gap",
        "object",
        "how much better the best network within such a k-tree can be than the one found, at most: largest and mean",
        unit="nats",
    ),
    Key(
        "information",
        "string",
        "pairs whose mutual information chose the k-trees: 'all pairs', or those that the 'listed sets' tell",
    ),
    Key(
        "undecided_ktrees",
        "integer",
        "k-trees of which it is not proved that none with the same first clique is more informative, or that no "
        "clique is more informative than the first one",
    ),
    Key("decided", "integer", "orders whose best choice of cliques was found, with the proof"),
    Key(
        "undecided", "integer", "orders whose search the room for states or the clock ended before the proof"
    ),
    Key(
        "undecided_gap",
        "object",
        "what the best choice of an undecided order can score better than the one found, at most: largest and mean",
        unit="nats",
    ),
    Key("steps", "integer", "additions, removals and reversals of arcs made"),
    Key("evaluations", "integer", "local scores that the climber computed"),
    Key("tests", "integer", "tests of independence made to find the candidate parents"),
    Key("scores_computed", "integer", "local scores computed while parent sets were added"),
    Key("branches", "integer", "nodes of the branch-and-cut tree"),
    Key("programmes", "integer", "linear programmes solved"),
    Key("replicate", "integer", "number of the bootstrap replicate that the network is of, from 1"),
    Key("holes", "integer", "missing cells of the rows learnt from"),
    Key("rounds", "integer", "times that parameters were fitted and the missing cells filled anew"),
    Key(
        "imputation",
        "string",
        "how missing cells were filled: best, by the states most probable together, or drawn",
    ),
    Key("observed_score", "number", "score of the observed cells: likelihood less penalty", unit="nats"),
    Key("networks", "integer", "networks that a consensus was made of"),
    Key(
        "threshold",
        "number",
        "strength in either direction that a pair must exceed to be joined in a consensus",
    ),
    Key("agreement", "number", "sum over the arcs of a consensus: strength less half the threshold"),
    Key("agreement_bound", "number", "upper bound on that sum, for any network"),
    Key(
        "strengths",
        "list",
        "for each variable and each of its parents the share of networks (or the probability) of the arc, and of one "
        "in either direction",
    ),
    Key("unscored", "list", "variables (indices) that had no parent sets; the total leaves them out"),
)

FOREST_HEADER_KEYS = (
    Key("records", "integer", "number of screened variables, each with one record", required=True),
    Key("eps", "number", "threshold on the conditional entropy", unit="nats", nullable=True),
    Key("relative", "boolean", "the threshold is on H(X|Y) / H(X)"),
    Key("roots", "number", "share of roots asked for", nullable=True),
)

RECORD_KEYS = (
    Key("child", "integer", "index of the variable", required=True),
    Key("parents", "list", "parent sets, each a list of variable indices, best first", required=True),
    Key("scores", "list", "local scores, one for each set", unit="nats", required=True),
    Key("evaluated", "integer", "exact local scores computed for this child", nullable=True),
    Key("fixed", "boolean", "the one set listed is the one that the child must take"),
    Key(
        "required",
        "list",
        "parents that the child must have: in every listed set, and these alone are listed, not the empty set",
    ),
    Key(
        "complete",
        "boolean",
        "every non-dominated set within the header's limits is listed, and every one that its keep_mass demands",
    ),
    Key("unlisted", "number", "upper bound on the score of any set not listed", unit="nats", nullable=True),
    Key(
        "left_out",
        "number",
        "with keep_mass: upper bound on the probability of the sets that are not listed, over that of the best "
        "listed subset of each, added up for the listed set for which that is most",
        nullable=True,
    ),
    Key("interrupted", "boolean", "the search for this child was stopped early, or before it began"),
    Key("ended", "string", "what ended the search for this child before its own end: time or memory"),
)

PARENT_SETS = FileFormat(
    "bnsl.parentsets",
    1,
    COMMON_HEADER_KEYS + PARENT_SETS_HEADER_KEYS,
    RECORD_KEYS,
)
NETWORK = FileFormat(
    "bnsl.network",
    1,
    COMMON_HEADER_KEYS + NETWORK_HEADER_KEYS,
    RECORD_KEYS,
)
FOREST = FileFormat(
    "bnsl.forest",
    1,
    COMMON_HEADER_KEYS + FOREST_HEADER_KEYS,
    RECORD_KEYS,
)
TRACE = FileFormat(
    "bnsl.trace",
    1,
    COMMON_HEADER_KEYS + SHARD_HEADER_KEYS,
    (
        Key("child", "integer", "index of the variable", required=True),
        Key("evaluated", "integer", "scores computed for this child so far, this one counted", required=True),
        Key("parents", "list", "parent set whose score was computed (variable indices)", required=True),
        Key("score", "number", "its exact local score", unit="nats", required=True),
        Key(
            "estimate",
            "number",
            "its estimated score BIC* by which independence selection chose it; null for sets not chosen by one",
            unit="nats",
            required=True,
            nullable=True,
        ),
    ),
)
ARC_PROBABILITIES = FileFormat(
    "bnsl.arc-probabilities",
    1,
    (
        *COMMON_HEADER_KEYS,
        Key(
            "prior",
            "string",
            "dags: all networks are equally probable before the data; orders: all orders are",
        ),
        Key("method", "string", "exact, sampled, or counted (in networks)"),
        Key("networks", "integer", "networks in which arcs were counted"),
        Key("keep_mass", "number", "of the parent sets that it was made from", nullable=True),
        Key(
            "listed_share",
            "number",
            "the networks of listed sets have at least this share of the probability of all within the limits of the "
            "lists",
            nullable=True,
        ),
        Key("chains", "integer", "Markov chains that the samples are of"),
        Key("samples", "integer", "networks sampled, all chains together"),
        Key("rhat", "number", "largest rank-normalised split R-hat: of the score and of arcs", nullable=True),
        Key("ess", "number", "effective number of samples, by the score of the networks", nullable=True),
        Key("agreed", "boolean", "whether the chains tell the same"),
    ),
    (
        Key("parent", "string", "name of the variable that the arc leaves", required=True),
        Key("child", "string", "name of the variable that it enters", required=True),
        Key("probability", "number", "posterior probability of the arc", required=True),
        Key("standard_error", "number", "of that probability; 0 where it is exact", required=True),
        Key("either", "number", "posterior probability of an arc in either direction", required=True),
        Key("ancestor", "number", "posterior probability that the parent is an ancestor of the child"),
        Key("ancestor_error", "number", "standard error of that"),
        Key(
            "blanket", "number", "posterior probability that the parent is in the Markov blanket of the child"
        ),
        Key("blanket_error", "number", "standard error of that"),
    ),
)
JSONL_FORMATS = {spec.name: spec for spec in (PARENT_SETS, NETWORK, FOREST, TRACE, ARC_PROBABILITIES)}
"""Formats whose headers are written alike; tables of arc probabilities have theirs in the schema's metadata."""

ENTROPY_COLUMNS = (
    Key("variable", "string", "name of the variable", required=True),
    Key("states", "int32", "number of states", required=True),
    Key("entropy", "float64", "H(X)", unit="nats", required=True),
    Key(
        "conditional",
        "fixed_size_list<float64>",
        "H(X|Y) for every variable Y in row order; 0 for X itself",
        unit="nats",
        required=True,
    ),
)

PARTS = {"variables": VARIABLE_KEYS, "by": COMMAND_KEYS, "treewidth": TREEWIDTH_KEYS}
"""What stands within keys of a header: in an object, or in each object of a list."""

_PYTHON_TYPES = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
}


def describe_type(value: Any) -> str:
    """The JSON type of a decoded value, as messages call it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return {int: "integer", float: "number", str: "string", list: "list", dict: "object"}[type(value)]


def key_problem(values: dict[str, Any], keys: tuple[Key, ...]) -> str | None:
    """What is wrong with the keys of a decoded JSON object; None if nothing is. Unknown keys are allowed."""
    for key in keys:
        if key.name not in values:
            if key.required:
                return f"no key {key.name!r}"
            continue
        value = values[key.name]
        if value is None and key.nullable:
            continue
        # bool is a subclass of int, but true is no number here
        is_bool = isinstance(value, bool)
        if not isinstance(value, _PYTHON_TYPES[key.type]) or is_bool != (key.type == "boolean"):
            return f"key {key.name!r} must be of type {key.type}, not {describe_type(value)}"
    return None
