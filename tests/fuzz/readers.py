"""What reads an input, and what must hold of all that is accepted: it is sound, and it comes back as it was."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from helpers.parameter_files import open_parameters
from helpers.tables import set_arrays

import formats
from formats.data_records import Dataset
from formats.detection import detect
from formats.errors import FormatError
from formats.graph_records import ArcProbabilityTable, EssentialGraph
from formats.graphs.arc_files import read_arcs
from formats.graphs.dot import dot_text
from formats.graphs.tetrad_knowledge import read_knowledge
from formats.json_lines.resumable import gather
from formats.kinds import Kind
from formats.records import EntropyTable, Header, NetworkRecord, Parameters, ParentSetTable
from formats.registry import formats_of, load_writer
from formats.textlines import Lines

REFUSED = "refused"
ACCEPTED = "accepted"


class Nonsense(AssertionError):
    """What was accepted is not sound, or does not come back as it was."""


def require(holds: bool, message: str) -> None:
    """Raise `Nonsense` unless `holds`."""
    if not holds:
        raise Nonsense(message)


def check_header(header: Header) -> None:
    """Names are there and differ, states differ, numbers are finite."""
    require(len(header.variables) > 0, "no variables")
    require(len(set(header.names)) == len(header.names), "a name comes twice")
    for variable in header.variables:
        require(isinstance(variable.name, str) and variable.name != "", "a variable without a name")
        if variable.states is not None:
            require(0 < len(variable.states) <= 256, "an impossible number of states")
            require(len(set(variable.states)) == len(variable.states), "a state comes twice")
    require(header.rows is None or header.rows >= 0, "negative rows")


def same_variables(one: Header, other: Header) -> None:
    """Names and states came back."""
    require(one.variables == other.variables, f"variables became {other.variables!r} from {one.variables!r}")


# --------------------------------------------------------------------------------------------- parent sets


def read_sets(path: Path, rng: Random) -> None:
    """Candidate parent sets of any format."""
    table = formats.open_parent_sets(str(path))
    check_sets(table)
    text = b"".join(load_writer("parentsets", Kind.PARENT_SETS)(table.header, table.records()))
    again = formats.open_parent_sets(io.BytesIO(text))
    same_variables(table.header, again.header)
    read_back = set_arrays(again)
    for field, ours in set_arrays(table).items():
        theirs = read_back[field]
        require(np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"), f"{field} differ when read back")


def check_sets(table: ParentSetTable) -> None:
    """Every list holds sound sets of other variables, in order, with finite scores."""
    check_header(table.header)
    require(bool(np.isfinite(table.scores).all()), "a score is not finite")
    for record in table.records():
        require(len(record.parents) > 0, "a variable without sets")
        require(len(set(record.parents)) == len(record.parents), "a set comes twice")
        require(list(record.scores) == sorted(record.scores, reverse=True), "scores out of order")
        for parents in record.parents:
            require(list(parents) == sorted(set(parents)), "a set out of order")
            require(record.child not in parents, "a variable is its own parent")
            require(all(0 <= p < table.n_variables for p in parents), "an unknown parent")
        require(record.fixed or record.required in record.parents, "the smallest set is missing")


def read_parts(path: Path, rng: Random) -> None:
    """A parent-set file that may be cut short, as `--resume` reads it."""
    for file in gather([str(path)]).files:
        check_header(file.header.header)


# ------------------------------------------------------------------------------------------------ networks


def read_graph(path: Path, rng: Random) -> None:
    """A graph that may have undirected edges beside arcs: a pair has one of them."""
    graph = formats.open_graph(str(path))
    if isinstance(graph, NetworkRecord):
        check_network(graph)
        return
    pairs = [frozenset(pair) for pair in (*graph.arcs, *graph.edges)]
    require(bool(graph.edges), "an essential graph without undirected edges")
    require(len(pairs) == len(set(pairs)) and min(map(len, pairs)) == 2, "a pair twice, or a loop")
    again = formats.open_graph(io.BytesIO(dot_text(graph).encode()))
    require(isinstance(again, EssentialGraph) and again.edges == graph.edges, "edges differ when read back")


def read_network(path: Path, rng: Random) -> None:
    """The structure of a network of any format; written as another at random."""
    network = formats.open_network(str(path))
    check_network(network)
    text = load_writer("network", Kind.NETWORK)(network)
    again = formats.open_network(io.BytesIO(text.encode()))
    same_variables(network.header, again.header)
    require(network.parents == again.parents, "parents differ when read back")
    require(np.array_equal(network.scores, again.scores, equal_nan=True), "scores differ when read back")
    other = rng.choice(
        [row.name for row in formats_of(Kind.NETWORK, written=True) if not row.name.startswith("bnsl")]
    )
    try:
        text = load_writer(other, Kind.NETWORK)(network)
    except FormatError:
        return  # the format has no words for these names
    if other == "arcs" and not network.n_arcs:
        return
    again = formats.open_network(io.BytesIO(text.encode()))
    require(_named_arcs(network) == _named_arcs(again), f"arcs differ when written as {other} and read back")
    # a list of arcs knows no variable without arcs
    require(
        other == "arcs" or set(network.header.names) == set(again.header.names),
        f"names differ when written as {other}",
    )


def _named_arcs(network: NetworkRecord) -> set[tuple[str, str]]:
    names = network.header.names
    return {(names[p], names[child]) for child, parents in enumerate(network.parents) for p in parents}


def check_network(network: NetworkRecord) -> None:
    """Known parents, no cycle."""
    check_header(network.header)
    done: set[int] = set()
    waiting = set(range(network.n_variables))
    for child, parents in enumerate(network.parents):
        require(list(parents) == sorted(set(parents)), "parents out of order")
        require(all(0 <= p < network.n_variables and p != child for p in parents), "an impossible parent")
    while waiting:
        ready = {v for v in waiting if done.issuperset(network.parents[v])}
        require(bool(ready), "a cycle")
        done |= ready
        waiting -= ready


def read_model(path: Path, rng: Random) -> None:
    """A network with its parameters; written as one of the formats that hold them, names included."""
    model = open_parameters(str(path))
    check_model(model)
    other = rng.choice([row.name for row in formats_of(Kind.PARAMETERS, written=True) if row.name != "uai"])
    try:
        text = load_writer(other, Kind.PARAMETERS)(model)
    except FormatError:
        return
    again = open_parameters(io.BytesIO(text.encode()))
    require(model.parents == again.parents, f"parents differ when written as {other}")
    for ours, theirs in zip(model.variables, again.variables):
        require(other == "net" or ours.name == theirs.name, f"{ours.name!r} became {theirs.name!r} in {other}")
        require(ours.states == theirs.states, f"states {ours.states!r} became {theirs.states!r} in {other}")
    for mine, its in zip(model.tables, again.tables):
        require(np.allclose(mine, its, atol=1e-9, rtol=1e-6), f"probabilities differ when written as {other}")


def check_model(model: Parameters) -> None:
    """Every row of every table is a distribution."""
    check_header(Header(model.variables))
    for child, (parents, table) in enumerate(zip(model.parents, model.tables)):
        shape = tuple(len(model.variables[v].known_states) for v in (*parents, child))
        require(table.shape == shape, "a table of the wrong shape")
        require(bool((table >= 0).all()), "a negative probability")
        require(bool(np.allclose(table.sum(axis=-1), 1.0, atol=1e-6)), "a row that does not sum to 1")


def read_networks(path: Path, rng: Random) -> None:
    """Networks one behind the other."""
    networks = list(formats.open_networks(str(path)))
    require(bool(networks), "no network and no word")
    for network in networks:
        check_network(network)
    write = load_writer("network", Kind.NETWORK)
    text = "".join(write(network) for network in networks)
    again = formats.open_networks(Lines(io.BytesIO(text.encode())))
    for ours, theirs in zip(networks, again, strict=True):
        same_variables(ours.header, theirs.header)
        require(ours.parents == theirs.parents, "parents differ when read back")


def read_forest(path: Path, rng: Random) -> None:
    """A screening forest."""
    forest = formats.open_forest(str(path))
    check_header(forest.header)
    target = path.with_name("again")
    formats.write_forest(str(target), forest)
    again = formats.open_forest(str(target))
    same_variables(forest.header, again.header)
    require((forest.parents, forest.scores) == (again.parents, again.scores), "differs when read back")


def read_proof(path: Path, rng: Random) -> None:
    """A proof."""
    proof = formats.open_proof(str(path))
    check_header(proof.header)
    target = path.with_name("again")
    formats.write_proof(str(target), proof)
    require(formats.open_proof(str(target)) == proof, "differs when read back")


# ---------------------------------------------------------------------------------------------------- data

_RULES: tuple[dict[str, Any], ...] = (
    {},
    {},
    {},
    {"missing": "drop"},
    {"missing": "state"},
    {"discretize": "median"},
    {"discretize": "quantile:3"},
    {"header": False},
    {"delimiter": ";"},
)


def read_data(path: Path, rng: Random) -> None:
    """A data table (or entropies) under some options; written as another format."""
    rules = rng.choice(_RULES)
    layout = rules.get("delimiter"), rules.get("header", True)
    labels = formats.labels_or_entropies(str(path), *layout, lambda _: None)
    if isinstance(labels, EntropyTable):
        check_entropies(labels)
        return
    opened = formats.open_dataset(str(path), **rules)
    check_data(opened)
    row = rng.choice(formats_of(Kind.DATA, written=True))
    target = path.with_name("again")
    with formats.open_table_writer(str(target), opened.variables, row.name) as writer:
        writer.write(opened.codes)
    again = formats.open_dataset(str(target), variables=opened.variables)
    require(opened.variables == again.variables, f"variables differ when written as {row.name}")
    require(np.array_equal(opened.codes, again.codes), f"cells differ when written as {row.name}")
    holes = formats.open_dataset(str(path), **rules | {"missing": "keep"})
    check_data(holes)
    whole = int((~holes.holes.any(axis=0)).sum())
    n_rows = holes.n_rows if rules.get("missing") == "state" else whole
    require(opened.n_rows == n_rows, "rows differ when read with their holes")


def check_data(dataset: Dataset) -> None:
    """Codes are of states that exist."""
    check_header(Header(dataset.variables))
    require(dataset.n_rows > 0, "no rows")
    require(bool((dataset.codes.max(axis=1) < dataset.n_states).all()), "a code without a state")


def read_entropies(path: Path, rng: Random) -> None:
    """An entropy table."""
    table = formats.open_entropies(str(path))
    check_entropies(table)
    target = path.with_name("again")
    formats.write_entropies(str(target), table)
    again = formats.open_entropies(str(target))
    require(table.variables == again.variables, "variables differ when read back")
    require(np.array_equal(table.conditional, again.conditional), "entropies differ when read back")


def read_arc_probabilities(path: Path, rng: Random) -> None:
    """A table of arc probabilities."""
    table = formats.open_arc_probabilities(str(path))
    check_arc_probabilities(table)
    target = path.with_name("again")
    formats.write_arc_probabilities(str(target), table, rng.choice(("arc-probabilities", "feather", "parquet")))
    again = formats.open_arc_probabilities(str(target))
    same_variables(table.header, again.header)
    for field in ("parents", "children", "probability", "standard_error", "either"):
        require(np.array_equal(getattr(table, field), getattr(again, field)), f"{field} differ when read back")
    require(table.features.keys() == again.features.keys(), "features differ when read back")


def check_arc_probabilities(table: ArcProbabilityTable) -> None:
    """Each pair of different variables once; probabilities; an arc is no more probable than one either way."""
    check_header(table.header)
    pairs = list(zip(table.parents.tolist(), table.children.tolist(), strict=True))
    require(all(parent != child for parent, child in pairs), "a variable is its own parent")
    require(len(set(pairs)) == len(pairs), "a pair comes twice")
    for figures in (table.probability, table.either, *(f for f, _ in table.features.values())):
        require(len(figures) == len(pairs), "columns of different lengths")
        require(bool(((figures >= 0) & (figures <= 1 + 1e-9)).all()), "a probability that is none")
    require(bool((table.probability <= table.either + 1e-6).all()), "an arc above its pair")


def check_entropies(table: EntropyTable) -> None:
    """Entropies are finite and not negative, as many as there are variables."""
    n = len(table.variables)
    require(table.entropy.shape == (n,) and table.conditional.shape == (n, n), "the wrong shape")
    require(bool(np.isfinite(table.entropy).all() and np.isfinite(table.conditional).all()), "not finite")
    require(bool((table.entropy > -1e-6).all() and (table.conditional > -1e-6).all()), "negative entropy")


# ------------------------------------------------------------------------------------------------ knowledge

_INDEX = {name: i for i, name in enumerate(("a", "b", "c", "a b", "a->b", "é"))}


def read_arc_file(path: Path, rng: Random) -> None:
    """Arcs that are required or forbidden."""
    for parent, child in (arc for group in read_arcs(str(path), _INDEX) for arc in group.arcs()):
        require(0 <= parent < len(_INDEX) and 0 <= child < len(_INDEX), "an unknown variable")


def read_tier_file(path: Path, rng: Random) -> None:
    """Tiers of variables."""
    tiers = read_knowledge(str(path), _INDEX, "tiers").tiers
    everyone = [v for tier in tiers for v in tier]
    require(len(everyone) == len(set(everyone)), "a variable in two tiers")


Reader = Callable[[Path, Random], None]

_BY_KIND: dict[Kind, tuple[Reader, ...]] = {
    Kind.PARENT_SETS: (read_sets,),
    Kind.DATA: (read_data,),
    Kind.PARAMETERS: (read_model, read_network),
    Kind.NETWORK: (read_network,),
}
READERS: dict[str, tuple[Reader, ...]] = {
    row.name: _BY_KIND[row.kind] + ((read_graph,) if row.has_edges else ()) for row in formats_of(*_BY_KIND)
} | {
    "bnsl.parentsets": (read_sets, read_parts),
    "bnsl.network": (read_network, read_sets),
    "bnsl.forest": (read_forest,),
    "bnsl.proof": (read_proof,),
    "bnsl.entropy": (read_entropies, read_data),
    "bnsl.arc-probabilities": (read_arc_probabilities,),
    "networks": (read_networks,),
    "arcs": (read_network, read_graph, read_arc_file),
    "tiers": (read_tier_file,),
}
"""The readers that files of a format are given to."""


def try_reader(format_name: str, path: Path, rng: Random) -> tuple[str, str]:
    """Give a file to one of the readers of a format: the reader's name and whether it took it.

    Anything but a `FormatError` goes through.
    """
    reader = rng.choice(READERS[format_name])
    try:
        if rng.random() < 0.1:
            detect(path.read_bytes()[: 1 << 16])
        reader(path, rng)
    except FormatError as error:
        require(bool(str(error)) and not math.isnan(len(str(error))), "an empty message")
        return reader.__name__, REFUSED
    return reader.__name__, ACCEPTED
