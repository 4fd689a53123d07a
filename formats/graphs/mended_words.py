"""Names and labels that a format cannot hold are replaced by words; the originals are kept in a property.

`<=1.5` becomes `le_1_5`. Kept texts are percent-encoded with blanks between, so any line of text can hold them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote, unquote

from ..data_records import Variable
from ..graph_records import BayesianNetwork

_SPOKEN = (("<=", "le_"), (">=", "ge_"), ("<", "lt_"), (">", "gt_"), ("..", "_to_"))

_WORD_OF_BIF = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*|-?[0-9]+")
_KEYWORDS_OF_BIF = {"network", "variable", "probability", "property", "type", "discrete", "table", "default"}


def is_bif_word(text: str) -> bool:
    """Whether strict readers of BIF (pyAgrum, pgmpy and bnlearn) accept a name or label unchanged."""
    return bool(_WORD_OF_BIF.fullmatch(text)) and text.lower() not in _KEYWORDS_OF_BIF


def is_identifier(text: str) -> bool:
    """Whether GeNIe accepts a text as the identifier of a variable or state."""
    return re.fullmatch("[A-Za-z][A-Za-z0-9_]*", text) is not None


def as_words(texts: Sequence[str], is_word: Callable[[str], bool], first: str = "_") -> list[str]:
    """Distinct words for names or labels; texts that are words already stay.

    - `is_word`: whether the format accepts a text unchanged; it accepts ASCII letters, digits and ``_`` behind
      `first`.
    - `first`: prefix of a text that does not begin with a letter.
    """
    # Words that stay are reserved first, so no replaced text gets the name of a later one.
    taken = {text for text in texts if is_word(text)}
    words = []
    for text in texts:
        word = text
        if not is_word(text):
            for sign, spoken in _SPOKEN:
                word = word.replace(sign, spoken)
            base = re.sub(r"[^A-Za-z0-9_]", "_", word)
            base = word = base if word[:1].isalpha() and is_word(base[:1]) else first + base
            suffix = 2
            while word in taken or not is_word(word):
                word, suffix = f"{base}_{suffix}", suffix + 1
            taken.add(word)
        words.append(word)
    return words


def kept(texts: Sequence[str]) -> str:
    """Texts as one line of ASCII without quotes; a lone ``%`` stands for an empty one."""
    return " ".join(quote(text, safe="<>=.+") or "%" for text in texts)


def restored(line: str) -> list[str]:
    """The texts that `kept` encoded."""
    return ["" if word == "%" else unquote(word) for word in line.split(" ")]


def original(variable: Variable, held: Mapping[str, Sequence[str]]) -> Variable:
    """A variable with its original name and labels, kept under ``name`` and ``states``, if these are sound."""
    states, known = held.get("states", ()), variable.known_states
    is_sound = len(set(states)) == len(known) == len(states)
    name = next(iter(held.get("name", ())), "") or variable.name
    return Variable(name, tuple(states) if is_sound else known)


def mended(network: BayesianNetwork, is_word: Callable[[str], bool]) -> list[str]:
    """The names of variables whose name or labels are replaced."""
    return [v.name for v in network.variables if not all(map(is_word, (v.name, *v.known_states)))]
