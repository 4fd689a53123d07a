"""`bnsl fit`: probability tables against relative frequencies, smoothed."""

from __future__ import annotations

import re

import numpy as np
from naive.table_scores import smoothed_table

from ..tables import Table
from .networks import ParentSet, network_text, random_network
from .program import Case, Difference, expect

MOST_CELLS = 20_000

TOLERANCE = 1e-12
"""Of a probability."""

VARIABLE = re.compile(r"variable (\S+) \{\s*type discrete \[ \d+ \] \{ (.*?) \};\s*\}")
"""Name and labels."""

FAMILY = re.compile(r"probability \( (\S+?)(?: \| (.*?))? \) \{\n(.*?)\n\}", re.DOTALL)
ROW = re.compile(r"\((.*?)\) (.*?);")


def check(case: Case) -> None:
    """A random network; now and then it knows states that no row has, in an order of its own."""
    rng = case.rng
    table = with_unseen_states(case) if case.chance(0.3) else case.table
    parents = random_network(rng, table.n_states, 4, MOST_CELLS)
    smoothing = rng.choice((None, None, 0.0, 1.0, 0.1, 10.0, 1e-6))
    path = case.write("fit.net.jsonl", network_text(table, parents))
    options = [] if smoothing is None else ["--smoothing", repr(smoothing)]
    answer = case.run("fit", path, case.data, *options)
    variables, families = parse_bif(answer.text)
    expect(variables == dict(zip(table.names, table.states)), "variables or states differ")
    for child, family in enumerate(parents):
        given, found = families[table.names[child]]
        expect(given == [table.names[p] for p in family], f"parents of {child}: {given}")
        expected = fitted_table(table, child, family, smoothing or 0.0)
        if not np.allclose(found, expected, rtol=1e-11, atol=TOLERANCE):
            raise Difference(f"table of {child} given {family} is off by {np.abs(found - expected).max()}")


def fitted_table(table: Table, child: int, parents: ParentSet, smoothing: float) -> np.ndarray:
    """The distribution of a child: one axis per parent and the child's last."""
    family = [*parents, child]
    return smoothed_table(table.codes[family], [table.n_states[v] for v in family], smoothing)


def with_unseen_states(case: Case) -> Table:
    """The table with further states and all states in random order."""
    table, rng = case.table, case.rng
    states, codes = [], []
    for labels, column in zip(table.states, table.codes):
        every = [*labels, *(f"x{i}" for i in range(rng.choice((0, 0, 1, 3)) if len(labels) < 250 else 0))]
        rng.shuffle(every)
        states.append(tuple(every))
        codes.append(np.array([every.index(label) for label in labels])[column])
    return Table(table.names, tuple(states), np.array(codes))


def parse_bif(text: str) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[list[str], np.ndarray]]]:
    """States by variable; parents and table by variable, in the form that `bnsl fit` writes."""
    variables, index = {}, {}
    for name, labels in VARIABLE.findall(text):
        variables[name] = tuple(labels.split(", "))
        index[name] = {label: i for i, label in enumerate(variables[name])}
    families = {}
    for name, given, body in FAMILY.findall(text):
        parents = given.split(", ") if given else []
        cells = np.full([len(index[v]) for v in (*parents, name)], np.nan)
        if not parents:
            body = "() " + body.strip().removeprefix("table ")
        for labels, values in ROW.findall(body):
            place = tuple(index[p][label] for p, label in zip(parents, labels.split(", ")))
            cells[place] = [float(x) for x in values.split(", ")]
        families[name] = parents, cells
    return variables, families
