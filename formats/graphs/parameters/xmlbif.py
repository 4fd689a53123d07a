"""Networks with parameters in the XML interchange format XMLBIF 0.3 (WEKA, JavaBayes, SamIam), read and written;
earlier versions are read.

In a table the states of the variable itself vary fastest, then the states of the last ``GIVEN``
variable. Before version 0.3, where a state is a ``VALUE``, JavaBayes let the variable itself vary slowest.
"""

from __future__ import annotations

import re
from html import escape
from xml.etree.ElementTree import Element

from ...records import NetworkRecord, Parameters
from ...textlines import Lines
from ..findings import findings_in_xml, warn_of_findings
from ..held_texts import require_held
from ..parameter_tables import FamilyTables, failing
from .xml_elements import is_in_xml, line_of, read_xml


def _is_plain(text: str) -> bool:
    """Whether the reader here returns a text unchanged."""
    return is_in_xml(text) and text == text.strip() != "" and not re.search(r"[\r\n\t]", text)


def xmlbif_text(model: Parameters) -> str:
    """A network as XMLBIF; numbers are the shortest decimals that read back equal.

    Raises `Inconsistent`: a name or label has control characters or blanks at its ends.
    """
    require_held(model, "xmlbif", _is_plain)
    names = [variable.name for variable in model.variables]
    title = model.name if _is_plain(model.name) else "unknown"
    rows = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    rows.append(f"<NAME>{escape(title, quote=False)}</NAME>")
    for variable in model.variables:
        rows += ['<VARIABLE TYPE="nature">', f"  <NAME>{escape(variable.name, quote=False)}</NAME>"]
        rows += [f"  <OUTCOME>{escape(state, quote=False)}</OUTCOME>" for state in variable.known_states]
        rows.append("</VARIABLE>")
    for child, (parents, table) in enumerate(zip(model.parents, model.tables)):
        rows += ["<DEFINITION>", f"  <FOR>{escape(names[child], quote=False)}</FOR>"]
        rows += [f"  <GIVEN>{escape(names[parent], quote=False)}</GIVEN>" for parent in parents]
        rows += ["  <TABLE>"]
        rows += [" ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        rows += ["  </TABLE>", "</DEFINITION>"]
    return "\n".join([*rows, "</NETWORK>", "</BIF>"]) + "\n"


def read_xmlbif(lines: Lines) -> NetworkRecord:
    """Read an XMLBIF network of chance variables."""
    network = read_xml(lines).find("NETWORK")
    if network is None:
        lines.fail("an XMLBIF file without a NETWORK", line=1)
    families = FamilyTables(failing(lines))
    for element in network.iterfind("VARIABLE"):
        _read_variable(lines, element, families)
    is_early = network.find("VARIABLE/VALUE") is not None
    number_of = {name: len(v.known_states) for name, v in zip(families.index_of, families.variables)}
    for tag in ("DEFINITION", "PROBABILITY"):  # the latter in versions before 0.3
        for element in network.iterfind(tag):
            table, child = element.find("TABLE"), _texts(element, "FOR")
            others = sorted({part.tag for part in element} - {"FOR", "GIVEN", "TABLE", "PROPERTY"})
            if table is None or others or len(child) != 1:
                found = f", and has {', '.join(others)}" if others else ""
                message = f"a definition needs one FOR and a TABLE{found}"
                lines.fail(
                    message, line=line_of(element), remedy="load it in JavaBayes or SamIam and save whole tables"
                )
            words = "".join(table.itertext()).split()
            n_states = number_of.get(child[0], 1)
            if is_early and len(words) % n_states == 0:
                step = len(words) // n_states
                words = [words[row + state * step] for row in range(step) for state in range(n_states)]
            families.add_table([*_texts(element, "GIVEN"), *child], words, line_of(table))
    warn_of_findings(lines, findings_in_xml(network))
    return families.network((_texts(network, "NAME") or ["unknown"])[0])


def _read_variable(lines: Lines, element: Element, families: FamilyTables) -> None:
    name, states = "".join(_texts(element, "NAME")[:1]), _texts(element, "OUTCOME")
    states = states or _texts(element, "VALUE")
    kind, line = element.get("TYPE", "nature"), line_of(element)
    if kind != "nature":
        lines.fail(f"variable {name!r} is a {kind}: only chance nodes are read", line=line)
    families.add_variable(name, name, states, line)


def _texts(element: Element, tag: str) -> list[str]:
    return ["".join(found.itertext()).strip() for found in element.iterfind(tag)]
