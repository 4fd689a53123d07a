"""Networks of Microsoft's MSBN (``.dsc``), read only; R's bnlearn writes them, too."""

from __future__ import annotations

import math
import re

import numpy as np

from ...errors import Inconsistent
from ...graph_records import BayesianNetwork
from ...textlines import Lines
from ..parameter_tables import Families
from .tokens import C_COMMENTS, Tokens, take_block, unquoted


def read_msbn(lines: Lines) -> BayesianNetwork:
    """Read a network of discrete nodes with tables; rows name the states of the parents by their numbers from 0.

    A row ``default`` fills all rows that are not given.
    """
    tokens, families = Tokens(lines, C_COMMENTS), Families(lines.fail)
    families.fail = tokens.fail
    tokens.take("belief")
    tokens.take("network")
    name = unquoted(tokens.take()) if tokens.peek() not in ("node", "probability", "properties") else "unknown"
    tables: list[tuple[list[str], list[str], int]] = []
    while tokens.peek():
        at, keyword = tokens.at, tokens.take()
        if keyword == "node":
            _read_node(tokens, families)
        elif keyword == "probability":
            names, body = _read_table(tokens)
            tables.append((names, body, at))
        elif keyword == "properties":
            take_block(tokens)
        else:
            tokens.fail(f"expected node or probability, got {keyword[:40]!r}", at)
    for names, body, at in tables:  # a table may come before the nodes that it names
        _add_table(tokens, families, names, body, at)
    return families.network(name or "unknown")


def _read_node(tokens: Tokens, families: Families) -> None:
    """A node: ``type : discrete [ 2 ] = { "yes", "no" };`` among other properties."""
    at, name = tokens.at, unquoted(tokens.take())
    tokens.take("{")
    states: list[str] = []
    while tokens.peek() != "}":
        words = []
        while tokens.peek() not in ("=", "{", ";", "}"):
            words.append(tokens.take())
        is_type = re.sub(r"\s*:\s*", ":", " ".join(words)).startswith("type:")
        if is_type and "discrete" not in " ".join(words):
            tokens.fail(f"node {name!r} is not discrete", at, remedy="only discrete nodes are read")
        if tokens.peek() == "=":
            tokens.take()
        if tokens.peek() == "{":
            tokens.take()
            while tokens.peek() != "}":
                token = tokens.take()
                states += [unquoted(token)] if is_type and token != "," else []
            tokens.take("}")
        if tokens.peek() == ";":
            tokens.take()
    tokens.take("}")
    families.add_variable(name, name, states, at)


def _read_table(tokens: Tokens) -> tuple[list[str], list[str]]:
    """The names of the child and its parents, and the tokens between the braces."""
    tokens.take("(")
    names = []
    while (token := tokens.take()) != ")":
        if token not in ("|", ","):
            names.append(unquoted(token))
    body: list[str] = []
    if tokens.peek() == ";":
        tokens.take()
        return names, body
    tokens.take("{")
    while (token := tokens.take()) != "}":
        body.append(token)
    return names, body


def _add_table(tokens: Tokens, families: Families, names: list[str], body: list[str], at: int) -> None:
    family = families.family([*names[1:], *names[:1]], at)
    *sizes, n_states = families.shape(family)
    table = np.full((*sizes, n_states), math.nan)
    default: list[float] | None = None
    for row in _rows(body):
        key, words = row
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            tokens.fail(
                f"the data of {names[0]!r} are no table of numbers: {' '.join([*key, *words])[:60]!r}",
                at,
                remedy="only complete tables are read; in GeNIe, make the node General and save .xdsl",
            )
        if len(numbers) != n_states:
            tokens.fail(f"{names[0]!r} has a row of {len(numbers)} numbers, not {n_states}", at, Inconsistent)
        if key == ["default"]:
            default = numbers
            continue
        place = [int(word) for word in key if re.fullmatch(r"[0-9]{1,5}", word)]
        if len(place) != len(key) or len(place) != len(sizes) or any(p >= s for p, s in zip(place, sizes)):
            tokens.fail(f"{names[0]!r} has a row of unknown parents' states ({', '.join(key)})", at, Inconsistent)
        table[tuple(place)] = numbers
    is_missing = np.isnan(table).any(axis=-1)
    if is_missing.any():
        if default is None:
            tokens.fail(f"{names[0]!r} lacks {int(is_missing.sum())} rows of its table", at, Inconsistent)
        table[is_missing] = default
    families.store(family, table, at)


def _rows(body: list[str]) -> list[tuple[list[str], list[str]]]:
    """For each row, the words before the colon (numbers of states, or ``default``) and the numbers after it."""
    rows: list[tuple[list[str], list[str]]] = []
    row: list[str] = []
    for token in [*body, ";"]:
        if token != ";":
            row += [part for part in re.split("(:)", token) if part] if token not in "()," else []
            continue
        if row:
            colon = row.index(":") if ":" in row else -1
            rows.append((row[: max(colon, 0)], row[colon + 1 :]))
        row = []
    return rows
