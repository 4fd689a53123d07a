"""Random networks, their files, and joint distributions, by definition."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
from naive.networks import is_acyclic

from ..tables import Table
from .program import Difference, expect

ParentSet = tuple[int, ...]
Lists = list[dict[ParentSet, float]]
"""Score of every listed parent set, by child."""


def random_network(rng: Random, n_states: Sequence[int], most_parents: int, most_cells: int) -> list[ParentSet]:
    """A random acyclic network whose tables have at most `most_cells` cells each."""
    order = rng.sample(range(len(n_states)), len(n_states))
    parents: list[ParentSet] = [()] * len(n_states)
    density = rng.random()
    for place, child in enumerate(order):
        chosen: list[int] = []
        cells = n_states[child]
        for candidate in rng.sample(order[:place], place):
            if len(chosen) < most_parents and rng.random() < density and cells * n_states[candidate] <= most_cells:
                chosen.append(candidate)
                cells *= n_states[candidate]
        parents[child] = tuple(sorted(chosen))
    return parents


def header(table: Table, form: str, **facts: Any) -> dict[str, Any]:
    """The first line of a file of parent sets or of a network."""
    variables = [{"name": n, "states": list(s)} for n, s in zip(table.names, table.states)]
    return {"format": f"bnsl.{form}", "version": 1, "variables": variables, **facts}


def network_text(table: Table, parents: Sequence[ParentSet]) -> str:
    """A network without parameters as JSON lines."""
    lines: list[Mapping[str, Any]] = [header(table, "network")]
    lines += [{"child": c, "parents": [list(p)], "scores": [0.0]} for c, p in enumerate(parents)]
    return "".join(json.dumps(line) + "\n" for line in lines)


def bif_text(table: Table, parents: Sequence[ParentSet], tables: Sequence[np.ndarray]) -> str:
    """A network with parameters as BIF; tables have one axis per parent and the child's last."""
    lines = ["network random {\n}\n"]
    for name, labels in zip(table.names, table.states):
        lines.append(f"variable {name} {{\n  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};\n}}\n")
    for child, (family, cells) in enumerate(zip(parents, tables)):
        given = f" | {', '.join(table.names[p] for p in family)}" if family else ""
        lines.append(f"probability ( {table.names[child]}{given} ) {{\n")
        for states in itertools.product(*(range(len(table.states[p])) for p in family)):
            labels = ", ".join(table.states[p][s] for p, s in zip(family, states))
            values = ", ".join(map(repr, cells[states].tolist()))
            lines.append(f"  ({labels}) {values};\n" if family else f"  table {values};\n")
        lines.append("}\n")
    return "".join(lines)


def joint_table(n_states: Sequence[int], parents: Sequence[ParentSet], tables: Sequence[np.ndarray]) -> np.ndarray:
    """The probability of every combination of states, an axis for each variable."""
    joint = np.ones(tuple(n_states))
    for child, (family, cells) in enumerate(zip(parents, tables)):
        axes = [*family, child]
        by_axis = cells.transpose(np.argsort(axes))
        joint = joint * by_axis.reshape([n if v in axes else 1 for v, n in enumerate(n_states)])
    return joint


def check_network(records: Sequence[Mapping[str, Any]], n_variables: int) -> list[ParentSet]:
    """The parents in a network file of `n_variables`, one set for each, without a cycle."""
    expect([r["child"] for r in records[1:]] == list(range(n_variables)), "not one record for each variable")
    parents = []
    for record in records[1:]:
        expect(len(record["parents"]) == len(record["scores"]) == 1, f"several sets of child {record['child']}")
        parents.append(tuple(record["parents"][0]))
    expect(is_acyclic(parents), f"the network {parents} has a cycle")
    total = math.fsum(record["scores"][0] for record in records[1:])
    if abs(records[0]["total"] - total) > 1e-9 * (1 + abs(total)):
        raise Difference(f"the total {records[0]['total']} is not the sum of local scores {total}")
    return parents
