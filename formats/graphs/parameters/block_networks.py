"""Networks in the block languages of Netica (``.dne``) and of GeNIe before XDSL (``.dsl``), read only.

In a table the states of the node itself vary fastest, then the states of the last parent.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

import numpy as np

from ...errors import Inconsistent
from ...graph_records import BayesianNetwork
from ...textlines import Lines
from ..parameter_tables import Families
from .tokens import C_COMMENTS, Block, Tokens, take_block

_IN_GENIE = "GeNIe opens the file and saves .xdsl; make the node General there first"
_IN_NETICA = "give the node a table in Netica (Table, Convert to Chance), and save again"


def read_dsl(lines: Lines) -> BayesianNetwork:
    """Read a DSL network of chance nodes with tables."""
    tokens, families, name, nodes = _opened(lines, "net")
    for node, block, at in nodes:
        kind = " ".join(block.list_of("TYPE"))
        if kind != "CPT":
            message = f"node {node!r} is of type {kind or 'none'}: only CPT is read"
            tokens.fail(message, at, remedy=_IN_GENIE)
        families.add_variable(node, node, block.block("DEFINITION").list_of("NAMESTATES"), at)
    for node, block, at in nodes:
        family = [*block.list_of("PARENTS"), node]
        families.add_table(family, block.block("DEFINITION").list_of("PROBABILITIES"), at)
    network = families.network(name)
    unsettled = [v.name for v, table in zip(network.variables, network.tables) if _depends_on_order(table)]
    if unsettled:
        is_drawn = any(words == ["SCREEN"] for _, block, _ in nodes for words, _, _ in block.blocks)
        doubt = "" if is_drawn else ", though GeNIe seems not to have written this file"
        lines.warn(
            "nothing in this format says in which order tables of several parents stand; they are read with the "
            f"states of the last parent fastest, as GeNIe writes them{doubt}: check the table of {unsettled[0]!r}"
        )
    return network


def _depends_on_order(table: np.ndarray) -> bool:
    """Whether the table would be another one if the states of its first parent varied fastest in the file."""
    *sizes, n_states = table.shape
    other = table.reshape(*reversed(sizes), n_states)
    axes = *reversed(range(len(sizes))), len(sizes)
    return not np.array_equal(other.transpose(axes), table)


def read_netica(lines: Lines) -> BayesianNetwork:
    """Read a Netica network of nature nodes with tables, or with a function that names a state for each row."""
    tokens, families, name, nodes = _opened(lines, "bnet")
    for node, block, at in nodes:
        kind = "".join(block.list_of("kind")) or "NATURE"
        if kind in ("DECISION", "UTILITY"):
            remedy = "this is an influence diagram: remove its decisions and utilities"
            tokens.fail(f"node {node!r} is of kind {kind}: only NATURE is read", at, remedy=remedy)
        if kind != "NATURE":
            continue  # constants and texts beside the network
        states = _netica_states(block)
        if not states:
            message = f"node {node!r} has no states: it is continuous"
            tokens.fail(message, at, remedy="discretize it in Netica (levels), and save again")
        families.add_variable(node, node, states, at)
    for node, block, at in nodes:
        if node not in families.index_of:
            continue
        family = [*block.list_of("parents"), node]
        numbers: Sequence[str | float] = block.list_of("probs")
        if not numbers and "functable" in block.values:
            numbers = list(_certain(tokens, block.list_of("functable"), _netica_states(block), node, at))
        if not numbers:
            tokens.fail(f"node {node!r} has no table (probs)", at, Inconsistent, remedy=_IN_NETICA)
        families.add_table(family, numbers, at)
    return families.network(name)


def _opened(lines: Lines, keyword: str) -> tuple[Tokens, Families, str, list[tuple[str, Block, int]]]:
    """The words of a file, families without variables, the network's name, and its nodes: name, block and place."""
    tokens, families = Tokens(lines, C_COMMENTS), Families(lines.fail)
    families.fail = tokens.fail
    tokens.take(keyword)
    name = tokens.take()
    blocks = take_block(tokens).blocks
    nodes = [(words[-1], block, at) for words, block, at in blocks if words[:1] == ["node"] and len(words) == 2]
    return tokens, families, name, nodes


def _netica_states(block: Block) -> list[str]:
    """The states, or names made of levels, which are values or limits of intervals; empty if there are none."""
    states, levels = block.list_of("states"), block.list_of("levels")
    if states or not levels:
        number = "".join(block.list_of("numstates"))
        return states or [f"state{k}" for k in range(int(number) if re.fullmatch(r"\d{1,4}", number) else 0)]
    is_discrete = "".join(block.list_of("discrete")) == "TRUE"
    return levels if is_discrete else [f"{low}..{high}" for low, high in itertools.pairwise(levels)]


def _certain(tokens: Tokens, chosen: Sequence[str], states: Sequence[str], node: str, at: int) -> Iterator[float]:
    """The table of a function: the state of each row, by its name or as ``#`` and its number from 0."""
    for state in chosen:
        number = int(state[1:]) if re.fullmatch(r"#\d{1,4}", state) else None
        place = states.index(state) if state in states else number
        if place is None or place >= len(states):
            tokens.fail(f"{state[:40]!r} is no state of {node!r}", at, Inconsistent, remedy=_IN_NETICA)
        yield from (float(k == place) for k in range(len(states)))
