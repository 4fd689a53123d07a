"""The texts of ``bnsl help`` and ``--help-all``: a Markdown file for each topic (`guides`, `reference`) and command.

What the tables of the program know stands in the files as ``{methods}`` and the like, and is filled in when a text is
shown (`derived`).
"""

from __future__ import annotations

import re
import textwrap
from importlib.resources import files

GUIDES = {
    "start": "Install, complete commands by tab, compile in advance.",
    "pipes": "The stages, how they join, what all commands have in common.",
    "tour": "What to do with them, by examples.",
    "data": "What tables may look like; missing cells, numbers, discretization.",
    "scores": "What is maximised.",
    "methods": "Which method when, what it costs, all methods and their options.",
    "gaps": "How to read a gap, and what is proved.",
    "proofs": "Proofs of bounds, and how anyone checks them.",
    "knowledge": "Required, forbidden and allowed arcs, tiers.",
    "probabilities": "Probabilities of arcs: posterior, bootstrap, consensus.",
    "queries": "Parameters, and questions to a network.",
    "python": "The commands as functions on tables of pandas, Polars, DuckDB; a classifier.",
    "cluster": "Scripts, shards, workers; what they cost.",
}

REFERENCE = {
    "trust": "What can run code: caches, ports, files of others.",
    "limits": "What is too large, and how much memory and time it takes.",
    "not-for": "What bnsl does not do, and which programs do.",
    "formats": "Files of our own and of other programs; your own solver in the pipe.",
    "exchange": "R, DuckDB, Polars, pandas; rules of workflows.",
    "stability": "What never changes, what may be added; JSON Schemas.",
    "exit-codes": "The exit codes of all commands.",
    "reproducibility": "When two runs give the same bytes.",
    "experiments": "The experiments in examples/, one for each paper.",
    "references": "The papers.",
}

TOPICS = GUIDES | REFERENCE
"""Name and one line on each, in the order of ``bnsl help``."""


def topic_text(name: str) -> str:
    """The Markdown of a topic."""
    return _filled("guides" if name in GUIDES else "reference", name)


def command_sections(name: str) -> list[tuple[str, str]]:
    """Heading and text of each section on a command; examples are blocks that click does not wrap (``\\b``)."""
    text = _filled("commands", name)
    text = re.sub(r"(?ms)^```\n(.*?)^```$", lambda block: "\b\n" + textwrap.indent(block[1], "  "), text)
    _, *parts = re.split(r"(?m)^## (.*)\n", text)
    return [(title, part.strip()) for title, part in zip(parts[::2], parts[1::2])]


def _filled(folder: str, name: str) -> str:
    from .derived import DERIVED

    text = files(__package__).joinpath(folder, f"{name}.md").read_text(encoding="utf-8")
    return re.sub(r"\{(\w+)\}", lambda word: DERIVED[word[1]]() if word[1] in DERIVED else word[0], text)
