"""XML as a tree of elements with line numbers, by the standard library's parser, without entities."""

from __future__ import annotations

import re
from typing import NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

from ...textlines import Lines

NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold: control characters and surrogates."""


class _Placed(ElementTree.Element):
    line = 1


def line_of(element: ElementTree.Element) -> int:
    """The line on which an element of `read_xml` begins."""
    return element.line if isinstance(element, _Placed) else 1


def read_xml(lines: Lines) -> ElementTree.Element:
    """The root of an unread XML file; its encoding is the declared one.

    Raises `Malformed`: it is not well-formed, or declares entities (these can expand without end, or name other
    files).
    """

    def placed(tag: str, attributes: dict[str, str]) -> _Placed:
        element = _Placed(tag, attributes)
        element.line = parser.CurrentLineNumber
        return element

    builder = ElementTree.TreeBuilder(element_factory=placed)
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        # expat puts the namespace before the separator; with a brace in front this is ElementTree's spelling.
        builder.start("{" + tag if "}" in tag else tag, attributes)

    def refuse(*_: object) -> NoReturn:
        message = "entities declared in XML are not read: they can expand without end"
        lines.fail(message, line=parser.CurrentLineNumber)

    handlers = {"StartElement": start, "EndElement": builder.end, "CharacterData": builder.data}
    for name, handler in {**handlers, "EntityDecl": refuse}.items():
        setattr(parser, f"{name}Handler", handler)
    try:
        # Some files begin with blanks; JavaBayes wrote the declaration in capitals before XMLBIF 0.3.
        text = re.sub(rb"\A<\?XML VERSION=", b"<?xml version=", b"\n".join(lines).lstrip(b" \t"))
        parser.Parse(text, True)
    except expat.ExpatError as error:
        remedy = "mend this line, or save the file anew in the program that made it"
        lines.fail(f"not valid XML ({expat.ErrorString(error.code)})", line=error.lineno, remedy=remedy)
    except (LookupError, ValueError) as error:
        lines.fail(f"not valid XML ({error})", line=1)
    return builder.close()


def is_in_xml(text: str) -> bool:
    """Whether XML can hold a text."""
    return not NOT_IN_XML.search(text)
