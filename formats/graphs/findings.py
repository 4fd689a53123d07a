"""Findings that the file of a network stores: evidence of its last session, which readers leave out with a warning.

No format has one place for them. Programs write them as attributes (``evidence = "yes"``), properties (JavaBayes:
``observed yes``) or elements (GeNIe: cases with evidence) of a variable, or of the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..textlines import Lines
from ..wording import listed

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_WORD = r"(?:(?:(?:hard|soft|virtual)_?)?evidence|findings?|obs|observed|observations?)"
_KEY = re.compile(_WORD, re.IGNORECASE)
_PROPERTY = re.compile(rf"({_WORD})(?:\s*=\s*|\s+)(\S.*)", re.IGNORECASE | re.DOTALL)

Finding = tuple[str, str]
"""The name of a variable, empty for the network, and what is stored."""


def is_finding(key: str) -> bool:
    """Whether an attribute of this name holds a finding."""
    return _KEY.fullmatch(key) is not None


def finding_of(text: str) -> str | None:
    """What a property holds, written as a name and a value, if it is a finding."""
    found = _PROPERTY.fullmatch(text.strip())
    return found and found[2]


def findings_in(owner: str, attributes: Mapping[str, str]) -> Iterator[Finding]:
    """The findings among the attributes of a variable or of the network."""
    return ((owner, value) for key, value in attributes.items() if is_finding(key) and value.strip())


def findings_in_xml(element: Element, owner: str = "") -> Iterator[Finding]:
    """The findings below an element, in elements and attributes that are called so, and in properties."""
    for part in element:
        names = part.get("node"), part.get("variable"), part.get("id"), part.findtext("NAME")
        name = next((text.strip() for text in names if text), owner)
        held = "".join(part.itertext()).strip()
        if is_finding(part.tag.rpartition("}")[2]):
            state = part.get("state") or part.get("value") or held
            yield from [(name, state)] if state else ()
        elif part.tag.lower() == "property":
            stored = held if is_finding(part.get("id", "")) else finding_of(held)
            yield from [(owner, stored)] if stored else ()
        else:
            yield from findings_in(name, part.attrib)
            yield from findings_in_xml(part, name)


def warn_of_findings(lines: Lines, found: Iterable[Finding]) -> None:
    """Warn of findings that are left out; none if there are none."""
    if texts := [f"{name}: {value}" if name else value for name, value in found]:
        shown = f"findings stored in the file are left out ({listed(texts)})"
        lines.warn(f"{lines.source}: {shown}: give them to query")
