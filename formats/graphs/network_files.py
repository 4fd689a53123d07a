"""Reading and writing networks in any format, and streams of this program's networks; the format of an input is
detected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..bounds import gap_in
from ..detection import detect_lines, require_format
from ..errors import Inconsistent, Truncated
from ..graph_records import Arc, Drawing, EssentialGraph, arcs_of
from ..json_lines.network_lines import has_more, read_next_network
from ..kinds import STRUCTURES, Kind
from ..records import NetworkRecord, Parameters
from ..registry import find_format, load, load_writer
from ..schemas import NETWORK
from ..streams import write_output
from ..textlines import Lines, as_lines
from ..wording import Warn, ignore, plural
from .held_texts import strangers
from .parameters.uai import are_numbers
from .structures import require_variables

_WORD_OF_BIF = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*|-?[0-9]+")
_KEYWORDS_OF_BIF = {"network", "variable", "probability", "property", "type", "discrete", "table", "default"}


def _is_bif_word(text: str) -> bool:
    return bool(_WORD_OF_BIF.fullmatch(text)) and text.lower() not in _KEYWORDS_OF_BIF


STRICT = {
    "bif": (_is_bif_word, "pyAgrum and pgmpy refuse"),
    "net": (lambda text: not set(text) & set('"\\'), "pyAgrum refuses"),
}
"""Formats that hold more names and labels than strict readers take, and whether these take a text."""


def open_network(
    source: str | BinaryIO | Lines, may_be_empty: bool = False, warn: Warn | None = None
) -> NetworkRecord:
    """Read a network in any format of `registry`, with its parameters if the file has them.

    Local scores are NaN if the format has none.

    - `may_be_empty`: whether a list of arcs may have none, because another input names the variables.
    - `warn`: is called about claims of the file that are ignored.
    Raises `FormatError`: with file and line; also when the arcs form a cycle.
    """
    with as_lines(source) as lines:
        lines.warn = warn or lines.warn
        row = require_format(lines, (Kind.NETWORK, Kind.PARAMETERS), "a network")
        network: NetworkRecord = load(row.reader)(lines)
        if not may_be_empty:
            require_variables(network)
        return network


def open_graph(
    source: str | BinaryIO | Lines, may_be_empty: bool = False, warn: Warn | None = None
) -> NetworkRecord | EssentialGraph:
    """Read a network, or a graph with undirected edges beside arcs, such as an essential graph.

    Arguments are as in `open_network`. DOT, GraphML, adjacency matrices (1 both ways) and lists of arcs (column
    ``type``) can hold undirected edges; a graph that has one is an `EssentialGraph`, whatever its arcs. Raises
    `FormatError`: with file; also when the arcs form a cycle, or a pair has an arc and an undirected edge.
    """
    with as_lines(source) as lines:
        lines.warn = warn or lines.warn
        row = require_format(lines, (Kind.NETWORK, Kind.PARAMETERS), "a network")
        edges: list[Arc] = []
        network: NetworkRecord = load(row.reader)(lines, *([edges] if row.has_edges else []))
        if not may_be_empty:
            require_variables(network)
    if not edges:
        return network
    names, arcs = network.header.names, sorted(arcs_of(network))
    joined = set(arcs)
    found = sorted({(min(edge), max(edge)) for edge in edges})
    for one, other in found:
        pair = f"{names[one]!r} and {names[other]!r}"
        if one == other or (one, other) in joined or (other, one) in joined:
            what = "an edge from a variable to itself" if one == other else "an arc and an undirected edge"
            raise Inconsistent(f"{what}: {pair}")
    header = network.header
    return EssentialGraph(header.variables, tuple(arcs), tuple(found), lacks_isolated=header.lacks_isolated)


def open_networks(source: str | Lines, warn: Warn | None = None) -> Iterator[NetworkRecord]:
    """Read concatenated network files, or one network in any format, with the parameters that they have.

    `warn` is as in `open_network`. Raises `FormatError`: with file and line; `Truncated` gives the number of
    whole networks before.
    """
    lines = as_lines(source)
    if detect_lines(lines).name != NETWORK.name:
        yield open_network(lines, warn=warn)
        return
    n_whole = 0
    with lines:
        try:
            while has_more(lines):
                network = read_next_network(lines)
                n_whole += 1
                yield network
        except Truncated as error:
            raise Truncated(
                f"{error.message} (in network {n_whole + 1}, after {plural(n_whole, 'whole network')})",
                source=error.source,
                line=error.line,
                remedy="make the stream again, or go on with the whole networks before it: bnsl average --partial",
            ) from None


def pick_network(source: str | Lines, place: int | None, warn: Warn | None = None) -> NetworkRecord:
    """One network of a stream, with its parameters if it has them.

    `place`: from 1; None for the network with the largest total score, the first among equals. `warn` is as in
    `open_network`. Raises `Inconsistent`: there are fewer networks, or the total of one is unknown; `FormatError`: as
    the reader of streams does.
    """
    lines = as_lines(source)
    best: NetworkRecord | None = None
    n_networks = 0
    for n_networks, network in enumerate(open_networks(lines, warn), 1):
        if n_networks == place:
            lines.close()
            return network
        if place is None:
            if _total(network) is None:
                raise Inconsistent(f"network {n_networks} has no total score", source=lines.source)
            if best is None or _total(network) > _total(best):
                best = network
    if best is None:
        counted = plural(n_networks, "network")
        raise Inconsistent(f"there is no network {place}: the stream has {counted}", source=lines.source)
    return best


def _total(network: NetworkRecord) -> Any:
    return network.header.extra.get("total")


def write_network(target: str, network: NetworkRecord, format: str = "network", warn: Warn | None = None) -> None:
    """Write a network, or the part of it that a format of `registry` can hold, to a path or ``-``.

    `warn` is called about texts that other readers refuse, and facts that the format cannot hold. Raises
    `Inconsistent`: the network lacks parameters that the format needs, or has names or labels that it cannot hold;
    `ValueError`: no such format is written, a number is not finite.
    """
    write = load_writer(format, *STRUCTURES)
    if lost := left_out(network, format):
        (warn or ignore)(f"{format} has no place for {', '.join(lost)}: left out")
    if find_format(format).kind is not Kind.PARAMETERS:
        write_output(target, write(network))
        return
    model = require_parameters(network.parameters, format)
    _warn_of_readers(model, format, warn or ignore)
    write_output(target, write(model))


def left_out(network: NetworkRecord, format: str) -> list[str]:
    """What a format cannot hold and a reader of the file would miss, in words."""
    if format == "network":
        return []
    header = network.header
    facts = {
        "parameters": network.parameters is not None and find_format(format).kind is Kind.NETWORK,
        "names of variables and states": format == "uai" and not are_numbers(header.variables),
        "score": header.extra.get("total") is not None,
        "gap": gap_in(header.extra) is not None,
        "knowledge and commands": any(entry.get("stage") != "fit" for entry in header.by),
        "fingerprint of the data": header.data is not None,
    }
    return [name for name, is_known in facts.items() if is_known]


def _warn_of_readers(model: Parameters, format: str, warn: Warn) -> None:
    if format in STRICT:
        is_taken, who_refuse = STRICT[format]
        if strange := strangers(model, is_taken):
            warn(
                f"{who_refuse} some names or labels "
                f"(those of {strange[0]!r}; {plural(len(strange), 'variable')} in all)"
            )
    constant = [variable.name for variable in model.variables if len(variable.known_states) == 1]
    if format in ("bif", "net") and constant:
        warn(
            f"pyAgrum refuses variables of one state in {format.upper()} ({constant[0]!r}; {len(constant)} in all); "
            "learn without these columns (--drop) if it is to read the file"
        )


def write_essential_graph(target: str, graph: EssentialGraph, format: str) -> None:
    """Write an essential graph in a format whose row in `registry` has edges.

    Raises `Inconsistent`: the format cannot hold a name; `ValueError`: it has no undirected edges beside arcs.
    """
    if not find_format(format).has_edges:
        raise ValueError(f"{format} has no undirected edges beside arcs")
    write_output(target, load_writer(format, Kind.NETWORK)(graph))


def write_drawing(target: str, drawing: Drawing, format: str) -> None:
    """Write a picture of a network in one of the formats of `Kind.PICTURE`."""
    write_output(target, load_writer(format, Kind.PICTURE)(drawing))


def require_parameters(
    parameters: Parameters | None, format: str, source: str | None = None, instead: str = ""
) -> Parameters:
    """The parameters, which a format or command needs; raises `Inconsistent` if the network has none, with a remedy
    and what else would do `instead`.
    """
    if parameters is not None:
        return parameters
    raise Inconsistent(
        f"this network has no parameters, and {format} needs them",
        source=source,
        remedy=f"estimate them from data: bnsl fit NETWORK DATA{instead}",
    )
