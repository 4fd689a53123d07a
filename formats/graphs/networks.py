"""Reading and writing networks in any format; the format that is read is told by content."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from ..detection import require_format
from ..errors import Inconsistent
from ..graph_records import BayesianNetwork, Drawing, EssentialGraph
from ..kinds import STRUCTURES, Kind
from ..lookup import find_format, load, load_writer
from ..records import Network
from ..streams import open_output
from ..textlines import Lines, as_lines
from .bif_writer import is_word
from .mended_words import mended
from .structures import structure_of
from .xdsl import is_identifier

STRICT = {"bif": (is_word, "strict readers of BIF"), "xdsl": (is_identifier, "GeNIe")}
"""Formats that mend names and labels aloud: what they take as it stands, and who asks for it."""


def open_network(source: str | BinaryIO | Lines) -> Network:
    """Read the structure of a network.

    Parameters
    ----------
    source : str, binary stream or Lines
        A path or ``-``: network JSON lines (or parent sets with one set for each variable), BIF, HUGIN, Graphviz,
        GraphML, XMLBIF, XDSL, UAI, adjacency matrix or list of arcs as CSV, bnlearn model string; gzipped or not.

    Returns
    -------
    Network
        Local scores in nats, NaN where the format has none.

    Raises
    ------
    FormatError
        With file and line; also when the arcs form a cycle.
    """
    lines = as_lines(source)
    try:
        row = require_format(lines, (Kind.NETWORK, Kind.PARAMETERS), "a network")
        return structure_of(load(row.reader)(lines))
    finally:
        lines.close()


def open_bayesian_network(source: str | BinaryIO | Lines) -> BayesianNetwork:
    """Read a network with its parameters.

    Parameters
    ----------
    source : str, binary stream or Lines
        A path or ``-``: BIF, HUGIN, XMLBIF, XDSL or UAI, compressed or not.

    Returns
    -------
    BayesianNetwork
        Rows that sum to 1 only within 1e-3 are renormalised.

    Raises
    ------
    FormatError
        With file and line.
    """
    lines = as_lines(source)
    try:
        wanted = "a network with parameters in BIF, HUGIN, XMLBIF, XDSL or UAI (bnsl fit makes one)"
        row = require_format(lines, (Kind.PARAMETERS,), wanted)
        return load(row.reader)(lines)
    finally:
        lines.close()


def write_network(
    target: str,
    network: Network | BayesianNetwork,
    format: str = "network",
    warn: Callable[[str], None] | None = None,
) -> None:
    """Write a network, or what a format keeps of it.

    Parameters
    ----------
    target : str
        A path, which appears only when all is written, or ``-``.
    network : Network or BayesianNetwork
        Tree decompositions (``td``) are made with the elimination order under ``treewidth`` in its header.
    format : str
        ``network`` (our JSON lines, unknown scores become null), ``bif``, ``dot`` or another of `registry`.
    warn : callable, optional
        Takes a message about names that the format cannot hold as they are, and what other readers refuse.

    Raises
    ------
    Inconsistent
        The format cannot hold the network: no parameters, no elimination order, impossible names.
    ValueError
        No such format is written; a number is not finite.
    """
    write = load_writer(format, *STRUCTURES)
    if find_format(format).kind is Kind.PARAMETERS:
        model = require_parameters(network, format)
        is_fine, strict_readers = STRICT.get(format, (None, ""))
        if warn is not None and is_fine is not None and (changed := mended(model, is_fine)):
            warn(
                f"names or labels are mended for {strict_readers} "
                f"(of {changed[0]!r}; variables: {len(changed)}); property lines keep the originals"
            )
        constant = [variable.name for variable in model.variables if len(variable.known_states) == 1]
        if format == "bif" and warn is not None and constant:
            warn(
                f"pyAgrum refuses variables of one state in BIF ({constant[0]!r}; in all {len(constant)}); "
                "learn without these columns (--drop) if it is to read the file"
            )
        text = write(model)
    else:
        text = write(structure_of(network))
    with open_output(target) as stream:
        stream.write(text.encode())


def write_essential_graph(target: str, graph: EssentialGraph, format: str) -> None:
    """Write an essential graph.

    Parameters
    ----------
    target : str
        A path, which appears only when all is written, or ``-``.
    graph : EssentialGraph
    format : str
        ``arcs``, ``dot`` or another whose row in `registry` has an ``essential_writer``.

    Raises
    ------
    Inconsistent
        The format cannot hold a name.
    ValueError
        It has no undirected edges beside arcs.
    """
    writer = find_format(format).essential_writer
    if not writer:
        raise ValueError(f"{format} has no undirected edges beside arcs")
    text = load(writer)(graph)
    with open_output(target) as stream:
        stream.write(text.encode())


def write_drawing(target: str, drawing: Drawing, format: str) -> None:
    """Write a picture of a network.

    Parameters
    ----------
    target : str
        A path, which appears only when all is written, or ``-``.
    drawing : Drawing
    format : str
        ``svg`` or ``html``.

    Raises
    ------
    ValueError
        There is no such picture.
    """
    text = load_writer(format, Kind.PICTURE)(drawing)
    with open_output(target) as stream:
        stream.write(text.encode())


def require_parameters(
    network: Network | BayesianNetwork | None, format: str, source: str | None = None
) -> BayesianNetwork:
    """The network itself if it has the parameters that a format needs.

    Raises
    ------
    Inconsistent
        It has none.
    """
    if isinstance(network, BayesianNetwork):
        return network
    raise Inconsistent(
        f"this network has no parameters, and {format} needs them",
        source=source,
        remedy="estimate them from data: bnsl fit NETWORK DATA",
    )
