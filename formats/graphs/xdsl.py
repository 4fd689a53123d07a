"""Networks with parameters as GeNIe and SMILE hold them (XDSL), read and written.

Identifiers of variables and states are of letters, digits and ``_`` and begin with a letter; properties of a node
keep what they were. A table goes by the parents as listed, the last one fastest but for the node's own states.
pyAgrum 3.3 takes the first parent to be the fastest, which GeNIe does not: it misreads tables of several parents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from ..errors import Inconsistent, Malformed
from ..graph_records import BayesianNetwork
from ..textlines import Lines
from .families import Families
from .mended_words import as_words, kept, original, restored
from .xml_elements import is_in_xml, line_of, read_xml

_FIRST = "x"

ROW_LENGTH = 10
"""Nodes side by side where the program draws them."""


def is_identifier(text: str) -> bool:
    """Whether GeNIe takes a text as the identifier of a variable or state."""
    return re.fullmatch("[A-Za-z][A-Za-z0-9_]*", text) is not None


def xdsl_text(network: BayesianNetwork) -> str:
    """A network with its parameters as XDSL; numbers are the shortest decimals that read back equal."""
    names = as_words([v.name for v in network.variables], is_identifier, _FIRST)
    title = as_words([network.name], is_identifier, _FIRST)[0]
    rows = ['<?xml version="1.0" encoding="UTF-8"?>', f'<smile version="1.0" id="{title}">', "  <nodes>"]
    for child, (variable, parents) in enumerate(zip(network.variables, network.parents)):
        states = as_words(variable.known_states, is_identifier, _FIRST)
        rows.append(f'    <cpt id="{names[child]}">')
        rows += [f'      <state id="{state}" />' for state in states]
        if parents:
            rows.append(f"      <parents>{' '.join(names[parent] for parent in parents)}</parents>")
        numbers = " ".join(map(repr, network.tables[child].ravel().tolist()))
        rows.append(f"      <probabilities>{numbers}</probabilities>")
        rows += _property("name", [variable.name], [names[child]])
        rows += [*_property("states", variable.known_states, states), "    </cpt>"]
    rows += ["  </nodes>", *_property("name", [network.name], [title], "  ")]
    rows += ["  <extensions>", '    <genie version="1.0" app="bnsl">']
    for index, (variable, name) in enumerate(zip(network.variables, names)):
        shown = escape(variable.name) if is_in_xml(variable.name) else name
        x, y = 40 + 140 * (index % ROW_LENGTH), 40 + 80 * (index // ROW_LENGTH)
        rows.append(
            f'      <node id="{name}"><name>{shown}</name><position>{x} {y} {x + 100} {y + 40}</position></node>'
        )
    rows += ["    </genie>", "  </extensions>"]
    return "\n".join([*rows, "</smile>"]) + "\n"


def _property(key: str, texts: Sequence[str], words: Sequence[str], margin: str = "      ") -> list[str]:
    if list(texts) == list(words):
        return []
    return [f'{margin}<property id="bnsl_{key}">{escape(kept(texts))}</property>']


def read_xdsl(lines: Lines) -> BayesianNetwork:
    """Read an XDSL network of chance nodes; see `formats.graphs.networks.open_bayesian_network`.

    Raises
    ------
    Malformed
        No XML, or entities are declared; a node that is neither of chance with a table nor deterministic.
    Inconsistent
        Unknown variables, tables of another size, probabilities that do not sum to 1, a cycle.
    """
    root = read_xml(lines)
    nodes = list(root.iterfind("nodes/*"))

    def fail(message: str, at: int, kind: type = Malformed):
        lines.fail(message, line=at, kind=kind)

    families = Families(fail)
    for node in nodes:
        if node.tag not in ("cpt", "deterministic"):
            lines.fail(
                f"a node of kind {node.tag!r}: only cpt and deterministic are read", line=line_of(node)
            )
        name = node.get("id", "")
        families.add_variable(name, name, [s.get("id", "") for s in node.iterfind("state")], line_of(node))
    for node in nodes:
        name, states = node.get("id", ""), [s.get("id", "") for s in node.iterfind("state")]
        parents = (node.findtext("parents") or "").split()
        if node.tag == "cpt":
            numbers: Iterable[str] = (node.findtext("probabilities") or "").split()
        else:
            numbers = _certain(lines, node, states)
        families.add_table([*parents, name], list(numbers), line_of(node))
    # Tables name identifiers, so variables take the names that were kept only now.
    for index, node in enumerate(nodes):
        held = _kept(node)
        families.variables[index] = original(
            families.variables[index], held.get("name", ()), held.get("states", ())
        )
    return families.network(lines.source, _kept(root).get("name", [root.get("id") or "unknown"])[0])


def _certain(lines: Lines, node: Element, states: Sequence[str]) -> Iterable[str]:
    """The table of a deterministic node, whose states are named for each combination of its parents'."""
    for state in (node.findtext("resultingstates") or "").split():
        if state not in states:
            message = f"{state!r} is no state of {node.get('id')!r}"
            lines.fail(message, line=line_of(node), kind=Inconsistent)
        yield from ("1" if own == state else "0" for own in states)


def _kept(element: Element) -> dict[str, list[str]]:
    """The names and labels that our writer changed, as they were."""
    found = {p.get("id", ""): p.text or "" for p in element.iterfind("property")}
    return {key: restored(found[f"bnsl_{key}"]) for key in ("name", "states") if found.get(f"bnsl_{key}")}
