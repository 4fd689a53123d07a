"""Networks with parameters in the format of GeNIe and SMILE (XDSL), read and written.

Identifiers of variables and states consist of letters, digits and ``_`` and begin with a letter. In a table the
states of the node itself vary fastest, then the states of the last parent. pyAgrum 3.3 misreads tables of several
parents: it lets the first parent vary fastest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NoReturn
from xml.etree.ElementTree import Element

from ...errors import Inconsistent
from ...records import NetworkRecord, Parameters
from ...textlines import Lines
from ..findings import findings_in_xml, warn_of_findings
from ..held_texts import require_held
from ..parameter_tables import FamilyTables, failing
from .noisy_nodes import noisy_adder, noisy_max
from .xml_elements import line_of, read_xml

NOISY = {"noisymax": noisy_max, "noisyadder": noisy_adder}
"""What makes tables of nodes without tables, by the node's element."""

_ROW_LENGTH = 10
"""Nodes in each row of the drawing."""


def is_identifier(text: str) -> bool:
    """Whether the format holds a text as the identifier of a variable or state."""
    return re.fullmatch("[A-Za-z][A-Za-z0-9_]*", text) is not None


def xdsl_text(model: Parameters) -> str:
    """A network as XDSL; numbers are the shortest decimals that read back equal.

    Raises `Inconsistent`: a name or label is no identifier.
    """
    require_held(model, "xdsl", is_identifier)
    names = [variable.name for variable in model.variables]
    title = model.name if is_identifier(model.name) else "unknown"
    rows = ['<?xml version="1.0" encoding="UTF-8"?>', f'<smile version="1.0" id="{title}">', "  <nodes>"]
    for child, (variable, parents) in enumerate(zip(model.variables, model.parents)):
        rows.append(f'    <cpt id="{variable.name}">')
        rows += [f'      <state id="{state}" />' for state in variable.known_states]
        if parents:
            rows.append(f"      <parents>{' '.join(names[parent] for parent in parents)}</parents>")
        numbers = " ".join(map(repr, model.tables[child].ravel().tolist()))
        rows += [f"      <probabilities>{numbers}</probabilities>", "    </cpt>"]
    rows += ["  </nodes>", "  <extensions>", '    <genie version="1.0" app="bnsl">']
    for index, name in enumerate(names):
        x, y = 40 + 140 * (index % _ROW_LENGTH), 40 + 80 * (index // _ROW_LENGTH)
        position = f"<position>{x} {y} {x + 100} {y + 40}</position>"
        rows.append(f'      <node id="{name}"><name>{name}</name>{position}</node>')
    rows += ["    </genie>", "  </extensions>"]
    return "\n".join([*rows, "</smile>"]) + "\n"


def read_xdsl(lines: Lines) -> NetworkRecord:
    """Read an XDSL network of chance nodes with tables, deterministic, noisy-MAX and noisy-adder nodes."""
    root = read_xml(lines)
    nodes = list(root.iterfind("nodes/*"))
    families = FamilyTables(failing(lines))
    for node in nodes:
        name, line = node.get("id", ""), line_of(node)
        if node.tag not in ("cpt", "deterministic", *NOISY):
            _refuse(lines, node)
        families.add_variable(name, name, _states(node), line)
    for node in nodes:
        numbers: Sequence[str | float]
        if node.tag in NOISY:
            numbers = NOISY[node.tag](lines, node, families)
        else:
            numbers = _words(node, "probabilities") if node.tag == "cpt" else list(_certain(lines, node))
        families.add_table([*_words(node, "parents"), node.get("id", "")], numbers, line_of(node))
    warn_of_findings(lines, findings_in_xml(root))
    return families.network(root.get("id") or "unknown")


def _refuse(lines: Lines, node: Element) -> NoReturn:
    message = (
        f"node {node.get('id')!r} is of kind {node.tag}: only {', '.join(('cpt', 'deterministic', *NOISY))} are read"
    )
    if node.tag in ("decision", "utility", "mau"):
        lines.fail(
            message, line=line_of(node), remedy="this is an influence diagram: remove its decisions and utilities"
        )
    lines.fail(
        message, line=line_of(node), remedy="GeNIe converts it: change the type of the node to General, and save"
    )


def _states(node: Element) -> list[str]:
    return [state.get("id", "") for state in node.iterfind("state")]


def _words(node: Element, tag: str) -> list[str]:
    return (node.findtext(tag) or "").split()


def _certain(lines: Lines, node: Element) -> Iterable[str]:
    """The table of a deterministic node, which names its state for each combination of its parents' states."""
    states = _states(node)
    for state in _words(node, "resultingstates"):
        if state not in states:
            message = f"{state!r} is no state of {node.get('id')!r}"
            lines.fail(message, line=line_of(node), kind=Inconsistent)
        yield from ("1" if own == state else "0" for own in states)
