"""Noisy-MAX and noisy-adder nodes of GeNIe as tables (Díez 1993; Henrion 1989 for the leak; Zagorecki 2010, 5.3.1).

Each parent, and a leak, would alone put the node into a state. A noisy-MAX node takes the strongest of these, and the
states are listed from the strongest to the weakest. So the probability of state k or a weaker one is the product,
over the parents and the leak, of what each gives to state k and weaker ones. The distribution of a noisy adder is
the weighted average of what each gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, NoReturn
from xml.etree.ElementTree import Element

import numpy as np

from ...errors import Inconsistent
from ...textlines import Lines
from ..parameter_tables import Families
from .xml_elements import line_of

MAX_CELLS = 1 << 24
"""Largest table that is made of a node: 22 binary parents, 128 MB."""

_OF_ADDERS = ("state", "parents", "dstates", "weights", "parameters", "property")

_DIVORCED = "divorce its parents: give groups of them a common child, noisy-MAX as well"
_CONVERTED = "GeNIe converts it: change the type of the node to General, and save"


class _Noisy(NamedTuple):
    """A node, and what each state of a parent alone would cause."""

    parents: list[str]
    sizes: list[int]
    """Numbers of states of the parents."""
    columns: np.ndarray
    """float64, shape (n_columns, n_states): distributions by the states of the first parent, of the next ones, and
    of the leak."""
    fail: Callable[[str, str | None], NoReturn]


def noisy_max(lines: Lines, node: Element, families: Families) -> list[float]:
    """The table of a noisy-MAX node, flat: the node's states fastest, then the states of the last parent."""
    parents, sizes, columns, fail = _noisy(lines, node, families, "noisy-MAX")
    order = _numbers((node.findtext("strengths") or "").split()) or [k for size in sizes for k in range(size)]
    if len(order) != sum(sizes):
        fail(f"needs {sum(sizes)} strengths", None)
    weaker = columns[:, ::-1].cumsum(axis=1)[:, ::-1]  # of each state or a weaker one
    found = weaker[-1]
    first = 0
    for parent, size in zip(parents, sizes):
        ranks = [int(rank) for rank in order[first : first + size]]
        places = _places(ranks, columns[first : first + size])
        if places is None:
            fail(f"the order of the strengths of parent {parent!r} ({ranks}) has two meanings", _CONVERTED)
        # A new last axis before that of the states: the last parent varies faster than the ones before.
        found = found[..., None, :] * weaker[first : first + size][places]
        first += size
    found = np.concatenate([found, np.zeros((*found.shape[:-1], 1))], axis=-1)
    table = np.clip(found[..., :-1] - found[..., 1:], 0.0, None)
    return (table / table.sum(axis=-1, keepdims=True)).ravel().tolist()


def noisy_adder(lines: Lines, node: Element, families: Families) -> list[float]:
    """The table of a noisy adder that averages, flat as that of `noisy_max`; a warning says what it rests on."""
    _, sizes, columns, fail = _noisy(lines, node, families, "noisy-adder")
    if further := [each.tag for each in node if each.tag not in _OF_ADDERS]:
        fail(f"its element {further[0]} is not known, only averages are", _CONVERTED)
    weights = _numbers((node.findtext("weights") or "").split()) or [1.0] * (len(sizes) + 1)
    if len(weights) != len(sizes) + 1 or min(weights) < 0.0 or not 0.0 < sum(weights) < math.inf:
        fail(f"needs {len(sizes) + 1} weights, of its parents and the leak, that are not negative nor all 0", None)
    found = weights[-1] * columns[-1]
    first = 0
    for weight, size in zip(weights, sizes):
        found = found[..., None, :] + weight * columns[first : first + size]
        first += size
    name = node.get("id", "")
    lines.warn(
        f"noisy-adder node {name!r} is read as the weighted average of its columns, with the leak and with parents in"
        " their distinguished states; to have GeNIe's own table instead, change the type of the node to General, and"
        " save"
    )
    return (found / found.sum(axis=-1, keepdims=True)).ravel().tolist()


def _noisy(lines: Lines, node: Element, families: Families, kind: str) -> _Noisy:
    """What the two kinds of nodes share; the file's fault ends it if parameters are missing or no distributions."""
    name, line = node.get("id", ""), line_of(node)

    def fail(message: str, remedy: str | None = None) -> NoReturn:
        lines.fail(f"{kind} node {name!r}: {message}", line=line, kind=Inconsistent, remedy=remedy)

    parents = (node.findtext("parents") or "").split()
    *sizes, n_states = families.shape(families.family([*parents, name], line))
    n_cells = float(np.prod([float(size) for size in (*sizes, n_states)]))
    if n_cells > MAX_CELLS:
        fail(
            f"its table of {len(parents)} parents has {n_cells:,.0f} cells, the limit is {MAX_CELLS:,}",
            f"divorce its parents: give groups of them a common child, {kind} as well"
            if kind == "noisy-MAX"
            else _CONVERTED,
        )
    given = _numbers((node.findtext("parameters") or "").split())
    if given is None or len(given) != (sum(sizes) + 1) * n_states:
        fail(f"needs {(sum(sizes) + 1) * n_states} parameters that are numbers")
    columns = np.array(given).reshape(-1, n_states)
    if not np.allclose(columns.sum(axis=1), 1.0, atol=1e-3) or (columns < 0).any():
        fail("a column of its parameters does not sum to 1")
    return _Noisy(parents, list(sizes), columns, fail)


def _numbers(words: list[str]) -> list[float] | None:
    try:
        return [float(word) for word in words]
    except ValueError:
        return None


def _places(ranks: list[int], columns: np.ndarray) -> list[int] | None:
    """The column of each state of a parent; None where the file does not tell.

    Strengths list the parent's states from the strongest; the weakest alone causes nothing. Columns go by strength,
    as that column shows; orders that are not their own inverse could be read in two ways.
    """
    n = len(ranks)
    if sorted(ranks) != list(range(n)):
        return None
    if ranks == list(range(n)):
        return ranks
    causes_nothing = np.isclose(columns[:, -1], 1.0)
    is_own_inverse = all(ranks[ranks[k]] == k for k in range(n))
    if not is_own_inverse or causes_nothing.sum() != 1:
        return None
    return ranks if causes_nothing[-1] else list(range(n)) if causes_nothing[ranks[-1]] else None
