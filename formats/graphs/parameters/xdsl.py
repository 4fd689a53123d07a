"""Networks with parameters in the format of GeNIe and SMILE (XDSL), read and written.

Identifiers of variables and states consist of letters, digits and ``_`` and begin with a letter. In a table the
states of the node itself vary fastest, then the states of the last parent. pyAgrum 3.3 misreads tables of several
parents: it lets the first parent vary fastest.

Noisy-MAX and noisy-adder nodes become tables (Díez 1993; Henrion 1989 for the leak; Zagorecki 2010, 5.3.1). Each
parent, and a leak, would alone put the node into a state. A noisy-MAX node takes the strongest of these, and the
states are listed from the strongest to the weakest. So the probability of state k or a weaker one is the product,
over the parents and the leak, of what each gives to state k and weaker ones. The distribution of a noisy adder is the
weighted average of what each gives.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, NoReturn
from xml.etree.ElementTree import Element

import numpy as np

from ...errors import Inconsistent
from ...records import NetworkRecord, Parameters
from ...textlines import Lines
from ..findings import findings_in_xml, warn_of_findings
from ..held_texts import require_held
from ..parameter_tables import FamilyTables, failing
from .xml_elements import line_of, read_xml

_ROW_LENGTH = 10
"""Nodes in each row of the drawing."""

MAX_CELLS = 1 << 24
"""Largest table that is made of a node: 22 binary parents, 128 MB."""

_OF_ADDERS = ("state", "parents", "dstates", "weights", "parameters", "property")

_DIVORCED = "divorce its parents: give groups of them a common child, noisy-MAX as well"

_CONVERTED = "GeNIe converts it: change the type of the node to General, and save"


def is_identifier(text: str) -> bool:
    """Whether the format holds a text as the identifier of a variable or state."""
    return re.fullmatch("[A-Za-z][A-Za-z0-9_]*", text) is not None


def xdsl_text(model: Parameters) -> str:
    """A network as XDSL; numbers are the shortest decimals that read back equal.

    Raises `Inconsistent`: a name or label is no identifier.
    """
    require_held(model, "xdsl", is_identifier)
    names = [variable.name for variable in model.variables]
    title = model.name if is_identifier(model.name) else "unknown"
    rows = ['<?xml version="1.0" encoding="UTF-8"?>', f'<smile version="1.0" id="{title}">', "  <nodes>"]
    for child, (variable, parents) in enumerate(zip(model.variables, model.parents)):
        rows.append(f'    <cpt id="{variable.name}">')
        rows += [f'      <state id="{state}" />' for state in variable.known_states]
        if parents:
            rows.append(f"      <parents>{' '.join(names[parent] for parent in parents)}</parents>")
        numbers = " ".join(map(repr, model.tables[child].ravel().tolist()))
        rows += [f"      <probabilities>{numbers}</probabilities>", "    </cpt>"]
    rows += ["  </nodes>", "  <extensions>", '    <genie version="1.0" app="bnsl">']
    for index, name in enumerate(names):
        x, y = 40 + 140 * (index % _ROW_LENGTH), 40 + 80 * (index // _ROW_LENGTH)
        position = f"<position>{x} {y} {x + 100} {y + 40}</position>"
        rows.append(f'      <node id="{name}"><name>{name}</name>{position}</node>')
    rows += ["    </genie>", "  </extensions>"]
    return "\n".join([*rows, "</smile>"]) + "\n"


def read_xdsl(lines: Lines) -> NetworkRecord:
    """Read an XDSL network of chance nodes with tables, deterministic, noisy-MAX and noisy-adder nodes."""
    root = read_xml(lines)
    nodes = list(root.iterfind("nodes/*"))
    families = FamilyTables(failing(lines))
    for node in nodes:
        name, line = node.get("id", ""), line_of(node)
        if node.tag not in ("cpt", "deterministic", *NOISY):
            _refuse(lines, node)
        families.add_variable(name, name, _states(node), line)
    for node in nodes:
        numbers: Sequence[str | float]
        if node.tag in NOISY:
            numbers = NOISY[node.tag](lines, node, families)
        else:
            numbers = _words(node, "probabilities") if node.tag == "cpt" else list(_certain(lines, node))
        families.add_table([*_words(node, "parents"), node.get("id", "")], numbers, line_of(node))
    warn_of_findings(lines, findings_in_xml(root))
    return families.network(root.get("id") or "unknown")


def _refuse(lines: Lines, node: Element) -> NoReturn:
    message = (
        f"node {node.get('id')!r} is of kind {node.tag}: only {', '.join(('cpt', 'deterministic', *NOISY))} are read"
    )
    if node.tag in ("decision", "utility", "mau"):
        lines.fail(
            message, line=line_of(node), remedy="this is an influence diagram: remove its decisions and utilities"
        )
    lines.fail(
        message, line=line_of(node), remedy="GeNIe converts it: change the type of the node to General, and save"
    )


def _states(node: Element) -> list[str]:
    return [state.get("id", "") for state in node.iterfind("state")]


def _words(node: Element, tag: str) -> list[str]:
    return (node.findtext(tag) or "").split()


def _certain(lines: Lines, node: Element) -> Iterable[str]:
    """The table of a deterministic node, which names its state for each combination of its parents' states."""
    states = _states(node)
    for state in _words(node, "resultingstates"):
        if state not in states:
            message = f"{state!r} is no state of {node.get('id')!r}"
            lines.fail(message, line=line_of(node), kind=Inconsistent)
        yield from ("1" if own == state else "0" for own in states)


class _Noisy(NamedTuple):
    """A node, and what each state of a parent alone would cause."""

    parents: list[str]
    sizes: list[int]
    """Numbers of states of the parents."""
    columns: np.ndarray
    """float64, shape (n_columns, n_states): distributions by the states of the first parent, of the next ones, and
    of the leak."""
    fail: Callable[[str, str | None], NoReturn]


def noisy_max(lines: Lines, node: Element, families: FamilyTables) -> list[float]:
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


def noisy_adder(lines: Lines, node: Element, families: FamilyTables) -> list[float]:
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


def _noisy(lines: Lines, node: Element, families: FamilyTables, kind: str) -> _Noisy:
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
            _DIVORCED if kind == "noisy-MAX" else _CONVERTED,
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


NOISY = {"noisymax": noisy_max, "noisyadder": noisy_adder}
"""What makes tables of nodes without tables, by the node's element."""
