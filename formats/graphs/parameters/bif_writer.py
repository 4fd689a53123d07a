"""Writing networks with parameters in the Bayesian interchange format (BIF), as bnlearn's repository has it.

Each parent configuration has a labelled row. Names and labels that strict readers refuse (``<=1.5``, blanks,
keywords) become words, and a property line keeps the original, which our reader restores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from ...graph_records import BayesianNetwork
from ..mended_words import as_words, kept

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*|-?[0-9]+")
_KEYWORDS = frozenset(("network", "variable", "probability", "property", "type", "discrete", "table", "default"))


def is_word(text: str) -> bool:
    """Whether pyAgrum, pgmpy and bnlearn all accept a name or label unchanged."""
    return bool(_WORD.fullmatch(text)) and text.lower() not in _KEYWORDS


def _property(key: str, texts: Sequence[str], words: Sequence[str]) -> str:
    """The line that keeps the original texts, percent-encoded, with blanks between; nothing if all are words."""
    return "" if list(texts) == list(words) else f'  property bnsl_{key} = "{kept(texts)}" ;\n'


def _family_lines(network: BayesianNetwork, child: int, names: list[str], states: list[list[str]]) -> Iterator[str]:
    parents, table = network.parents[child], network.tables[child]
    if not np.isfinite(table).all():
        raise ValueError(f"a probability of variable {child} is not finite")
    head = names[child] + (" | " + ", ".join(names[p] for p in parents) if parents else "")
    yield f"probability ( {head} ) {{\n"
    for labels, row in zip(product(*(states[p] for p in parents)), table.reshape(-1, table.shape[-1]).tolist()):
        where = f"({', '.join(labels)})" if parents else "table"
        yield f"  {where} {', '.join(map(repr, row))};\n"
    yield "}\n"


def bif_text(network: BayesianNetwork) -> str:
    """A network as BIF; numbers are the shortest decimals that read back equal.

    Raises `ValueError`: a probability is not finite.
    """
    names = as_words([v.name for v in network.variables], is_word)
    states = [as_words(v.known_states, is_word) for v in network.variables]
    title = as_words([network.name], is_word)
    parts = [f"network {title[0]} {{\n{_property('name', [network.name], title)}}}\n"]
    for variable, name, labels in zip(network.variables, names, states):
        parts.append(f"variable {name} {{\n  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};\n")
        parts.append(_property("name", [variable.name], [name]))
        parts.append(_property("states", variable.known_states, labels) + "}\n")
    for child in range(len(names)):
        parts += _family_lines(network, child, names, states)
    return "".join(parts)
