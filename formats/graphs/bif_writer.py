"""Writing networks with parameters in the Bayesian interchange format (BIF).

The writer keeps to the flavour of bnlearn's repository, which most programs read:
one labelled row for each parent configuration. Names and labels that strict readers refuse (``<=1.5``, blanks,
keywords) become words, and a property line keeps the original, which our reader restores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from ..graph_records import BayesianNetwork
from .mended_words import as_words, kept

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*|-?[0-9]+")
_KEYWORDS = frozenset(
    ("network", "variable", "probability", "property", "type", "discrete", "table", "default")
)


def is_word(text: str) -> bool:
    """Whether pyAgrum, pgmpy and bnlearn all take a name or label as it stands."""
    return bool(_WORD.fullmatch(text)) and text.lower() not in _KEYWORDS


def _property(key: str, texts: Sequence[str], words: Sequence[str]) -> str:
    """The line that keeps what was mended: the texts, percent-encoded, with blanks between; else nothing."""
    if list(texts) == list(words):
        return ""
    return f'  property bnsl_{key} = "{kept(texts)}" ;\n'


def _family_lines(
    network: BayesianNetwork, child: int, names: list[str], states: list[list[str]]
) -> Iterator[str]:
    parents = network.parents[child]
    if not np.isfinite(network.tables[child]).all():
        raise ValueError(f"a probability of variable {child} is not finite")
    head = names[child] + (" | " + ", ".join(names[p] for p in parents) if parents else "")
    yield f"probability ( {head} ) {{\n"
    rows = network.tables[child].reshape(-1, len(states[child])).tolist()
    if not parents:
        yield f"  table {', '.join(map(repr, rows[0]))};\n"
    else:
        for labels, row in zip(product(*(states[p] for p in parents)), rows):
            yield f"  ({', '.join(labels)}) {', '.join(map(repr, row))};\n"
    yield "}\n"


def bif_text(network: BayesianNetwork) -> str:
    """A network with its parameters as BIF; numbers are the shortest decimals that read back equal.

    Raises
    ------
    ValueError
        A probability is not finite.
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
