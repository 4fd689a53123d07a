"""The texts of ``bnsl help`` and ``--help-all``: a Markdown file for each page and command.

`bnsl help` finds a section of a page (``## Heading``) by its heading. Facts from the tables of the program stand in
the files as ``{scores}`` and the like, and are filled in when a text is shown (`tables`).
"""

from __future__ import annotations

import re
import textwrap
from importlib.resources import files

PAGES = ("start", "python", "data", "methods", "probabilities", "formats", "clusters", "papers")
"""In the order of ``bnsl help``."""


def page_text(name: str) -> str:
    """The Markdown of a page."""
    return _filled(f"{name}.md")


def sections(text: str) -> list[tuple[str, str]]:
    """Heading and text of each section, the heading without its mark."""
    _, *parts = re.split(r"(?m)^## (.*)\n", text)
    return [(heading, part.strip("\n")) for heading, part in zip(parts[::2], parts[1::2])]


def command_sections(name: str) -> list[tuple[str, str]]:
    """The sections on a command, if it has some; examples are blocks that click does not wrap (``\\b``)."""
    try:
        text = _filled(f"commands/{name}.md")
    except FileNotFoundError:
        return []
    return sections(re.sub(r"(?ms)^```\n(.*?)^```$", lambda block: "\b\n" + textwrap.indent(block[1], "  "), text))


def _filled(name: str) -> str:
    from .tables import TABLES

    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return re.sub(r"\{(\w+)\}", lambda word: TABLES[word[1]]() if word[1] in TABLES else word[0], text)
