"""Measures of runs to be compared: output of ``bnsl evaluate``, files of ``--stats``, headers of networks."""

from __future__ import annotations

from typing import Any, BinaryIO

from ..detection import detect_lines
from ..errors import Malformed
from ..graphs.network_files import open_networks
from ..kinds import Kind
from ..records import Network
from ..schemas import NETWORK
from ..textlines import EMPTY_REMEDY, Lines, as_lines
from .jsonl import load_object

_REMEDY = "compare reads JSON lines of bnsl evaluate, files of --stats, and networks of bnsl optimize"


def open_measures(source: str | BinaryIO | Lines) -> list[dict[str, Any]]:
    """Read the measures of one run or more.

    The source holds JSON objects, one per line or a single one; or network files of this program, whose headers give
    the measures (`total` among them), the method and the data's fingerprint and are checked against their records. In
    the result the key ``network`` names the run, as in the object or else by the path of the file; ``index`` is its
    place in a stream, from 1.
    """
    with as_lines(source) as lines:
        row = detect_lines(lines)
        if row.name == NETWORK.name:
            found = [_header_measures(network, lines.source) for network in open_networks(lines)]
            return found if len(found) == 1 else [{**m, "index": k} for k, m in enumerate(found, 1)]
        if row.name == "empty":
            raise Malformed("the input is empty", remedy=EMPTY_REMEDY)
        if row.kind not in (Kind.UNKNOWN, Kind.DATA) or row.magic:
            lines.fail(f"expected measures of runs, this looks like {row.called}", remedy=_REMEDY)
        return [{"network": lines.source} | measures for measures in _objects(lines)]


def _header_measures(network: Network, source: str) -> dict[str, Any]:
    header = network.header
    known = {"network": source, "variables": network.n_variables, "arcs": network.n_arcs}
    numbers = {key: value for key, value in header.extra.items() if isinstance(value, (int, float, dict))}
    identity = {"method": header.extra.get("method"), "data": header.data}
    return known | numbers | {key: value for key, value in identity.items() if isinstance(value, str)}


def _objects(lines: Lines) -> list[dict[str, Any]]:
    objects: list[dict[str, Any]] = []
    for line in lines:
        if not line.strip():
            continue
        if not objects and line.strip() == b"{":  # an object over several lines, as in files of --stats
            return [load_object(lines, b"\n".join([line, *lines]))]
        if not line.lstrip().startswith(b"{"):
            lines.fail("expected a JSON object with the measures of a run", remedy=_REMEDY)
        objects.append(load_object(lines, line))
    return objects
