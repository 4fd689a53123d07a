"""Networks with parameters in the XML interchange format XMLBIF 0.3 (WEKA, JavaBayes, SamIam), read and written;
earlier versions are read.

Names with control characters or blanks at the ends, which XML cannot hold exactly, are replaced; a ``PROPERTY`` keeps
the originals. In a table the states of the variable itself vary fastest, then the states of the last ``GIVEN``
variable. Before version 0.3, where a state is a ``VALUE``, JavaBayes let the variable itself vary slowest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from ...graph_records import BayesianNetwork
from ...textlines import Lines
from ..findings import findings_in_xml, warn_of_findings
from ..kept_claims import claims_of, with_claims
from ..mended_words import as_words, kept, original, restored
from ..parameter_tables import Families, failing
from .xml_elements import is_in_xml, line_of, read_xml

_KEPT = re.compile(r"\s*bnsl_(name|states|claims)\s*=\s*(\S+(?: \S+)*)\s*")


def _is_plain(text: str) -> bool:
    """Whether the reader here returns a text unchanged."""
    return is_in_xml(text) and text == text.strip() != "" and not re.search(r"[\r\n\t]", text)


def xmlbif_text(network: BayesianNetwork) -> str:
    """A network as XMLBIF; numbers are the shortest decimals that read back equal."""
    names = as_words([v.name for v in network.variables], _is_plain)
    title = as_words([network.name], _is_plain)
    rows = ['<?xml version="1.0" encoding="UTF-8"?>', '<BIF VERSION="0.3">', "<NETWORK>"]
    rows += [f"<NAME>{escape(title[0])}</NAME>", *_property("name", [network.name], title)]
    rows += _property("claims", claims_of(network), [])
    for variable, name in zip(network.variables, names):
        states = as_words(variable.known_states, _is_plain)
        rows += ['<VARIABLE TYPE="nature">', f"  <NAME>{escape(name)}</NAME>"]
        rows += [f"  <OUTCOME>{escape(state)}</OUTCOME>" for state in states]
        rows += _property("name", [variable.name], [name])
        rows += [*_property("states", variable.known_states, states), "</VARIABLE>"]
    for child, (parents, table) in enumerate(zip(network.parents, network.tables)):
        rows += ["<DEFINITION>", f"  <FOR>{escape(names[child])}</FOR>"]
        rows += [f"  <GIVEN>{escape(names[parent])}</GIVEN>" for parent in parents]
        rows += ["  <TABLE>"]
        rows += [" ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        rows += ["  </TABLE>", "</DEFINITION>"]
    return "\n".join([*rows, "</NETWORK>", "</BIF>"]) + "\n"


def _property(key: str, texts: Sequence[str], words: Sequence[str]) -> list[str]:
    is_same = list(texts) == list(words)
    return [] if is_same else [f"  <PROPERTY>bnsl_{key} = {escape(kept(texts))}</PROPERTY>"]


def read_xmlbif(lines: Lines) -> BayesianNetwork:
    """Read an XMLBIF network of chance variables."""
    network = read_xml(lines).find("NETWORK")
    if network is None:
        lines.fail("an XMLBIF file without a NETWORK", line=1)
    families = Families(failing(lines))
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
    held = _kept(network)
    name = (held.get("name") or _texts(network, "NAME") or ["unknown"])[0]
    return with_claims(families.network(name), held.get("claims", ()), lines)


def _read_variable(lines: Lines, element: Element, families: Families) -> None:
    name, states = "".join(_texts(element, "NAME")[:1]), _texts(element, "OUTCOME")
    states = states or _texts(element, "VALUE")
    kind, line = element.get("TYPE", "nature"), line_of(element)
    if kind != "nature":
        lines.fail(f"variable {name!r} is a {kind}: only chance nodes are read", line=line)
    families.add_variable(name, name, states, line)
    # Restores only the displayed name: tables refer to variables by the identifiers of the file.
    families.variables[-1] = original(families.variables[-1], _kept(element))


def _texts(element: Element, tag: str) -> list[str]:
    return ["".join(found.itertext()).strip() for found in element.iterfind(tag)]


def _kept(element: Element) -> dict[str, list[str]]:
    """The original names and labels that this program's writer replaced."""
    found = map(_KEPT.fullmatch, _texts(element, "PROPERTY"))
    return {match[1]: restored(match[2]) for match in found if match}
