"""The texts of ``bnsl help`` and ``--help-all``: a Markdown file for each topic and command.

Topics lie in a folder for each kind (`KINDS`).

Facts from the tables of the program appear in the files as ``{methods}`` and the like, and are filled in when a text
is shown (`derived`).
"""

from __future__ import annotations

import re
import textwrap
from importlib.resources import files

TUTORIAL = {
    "start": "Install, with machine code or without; complete commands by tab.",
    "first": "A first network in ten minutes: learn, look, ask, judge.",
    "python": "The same from Python: tables of pandas, Polars, DuckDB; a classifier.",
}

HOWTO = {
    "howto": "I want to ...: thirty tasks with one command each.",
    "cluster": "Run in parts on many machines; what that costs.",
    "exchange": "Use R, DuckDB, Polars, pandas, Snakemake, Nextflow beside bnsl.",
    "experiments": "Repeat the experiments in examples/, one for each paper.",
}

CONCEPTS = {
    "pipes": "The stages, how they join, what all commands have in common.",
    "data": "What tables may look like; missing cells, numbers, discretization.",
    "scores": "What is maximised.",
    "methods": "Which method when, what it costs, all methods and their options.",
    "gaps": "How to read a gap, and what is proved.",
    "proofs": "Proofs of bounds, and how anyone checks them.",
    "knowledge": "Required, forbidden and allowed arcs, tiers.",
    "probabilities": "Probabilities of arcs: posterior, bootstrap, consensus.",
    "queries": "Parameters, and questions to a network.",
    "effects": "What happens if a variable is set; on what such answers rest.",
    "trust": "What can run code: caches, ports, files of others.",
    "not-for": "What bnsl does not do, and which programs do.",
}

REFERENCE = {
    "formats": "Files of our own and of other programs; your own solver in the pipe.",
    "limits": "What is too large, and how much memory and time it takes.",
    "stability": "What never changes, what may be added; JSON Schemas.",
    "exit-codes": "The exit codes of all commands.",
    "reproducibility": "When two runs give the same bytes.",
    "references": "The papers.",
}

KINDS = {"Tutorial": TUTORIAL, "How to": HOWTO, "Concepts": CONCEPTS, "Reference": REFERENCE}
"""Topics by kind, in the order of ``bnsl help``; name and one line on each."""

TOPICS = TUTORIAL | HOWTO | CONCEPTS | REFERENCE


def folder_of(name: str) -> str:
    """The folder of a topic's text: its kind in lower case, without blanks."""
    return next(kind.lower().replace(" ", "") for kind, topics in KINDS.items() if name in topics)


def topic_text(name: str) -> str:
    """The Markdown of a topic."""
    return _filled(folder_of(name), name)


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
