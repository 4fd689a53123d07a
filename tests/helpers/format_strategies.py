"""Hypothesis strategies for headers, parent-set tables, networks and networks with parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from formats.data_records import Variable
from formats.records import Header, NetworkRecord, Parameters, ParentSetRecord

booleans = st.booleans()
finite = st.floats(-1e200, 1e200)
labels = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), min_size=1, max_size=6)
words = st.text("abcXYZ019_.<>+-/é", min_size=1, max_size=6)


@st.composite
def variable_tuples(draw, names=labels, states=labels, known_states=booleans, max_size=5):
    found = draw(st.lists(names, min_size=1, max_size=max_size, unique=True))
    state_lists = st.lists(states, min_size=1, max_size=3, unique=True).map(tuple)
    return tuple(Variable(name, draw(state_lists) if draw(known_states) else None) for name in found)


@st.composite
def headers(draw, names=labels, states=labels):
    json_values = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | finite | st.text(max_size=5)
    return Header(
        draw(variable_tuples(names, states)),
        draw(st.sampled_from(["bic", "aic", "k2", "ll", "unknown"])),
        draw(st.none() | st.integers(0, 10**9)),
        draw(st.none() | st.just("sha256:12")),
        None,
        tuple({"stage": stage, "options": {}} for stage in draw(st.lists(st.text(max_size=3), max_size=2))),
        draw(st.none() | st.just("2024-01-01T00:00:00Z")),
        draw(st.dictionaries(st.text("pqr", min_size=1, max_size=3), json_values, max_size=2)),
    )


def in_order(sets_and_scores):
    return sorted(sets_and_scores, key=lambda pair: (-pair[1], len(pair[0]), pair[0]))


@st.composite
def record_lists(draw, header, fixed=booleans):
    """One record for every variable, in order, each best first."""
    records = []
    for child in range(header.n_variables):
        others = [v for v in range(header.n_variables) if v != child]
        parent_sets = st.sets(st.sampled_from(others)) if others else st.just(set())
        sets = draw(st.sets(parent_sets.map(sorted).map(tuple), max_size=5)) | {()}
        is_fixed = draw(fixed)
        if is_fixed:
            sets = {max(sets)}
        # few distinct values, so that ties occur
        scores = st.sampled_from([-1.0, -2.5]) | finite
        pairs = in_order((parent_set, draw(scores)) for parent_set in sorted(sets))
        records.append(
            ParentSetRecord.of(
                child,
                tuple(parent_set for parent_set, _ in pairs),
                tuple(score for _, score in pairs),
                evaluated=draw(st.none() | st.integers(0, 100)),
                fixed=is_fixed,
                complete=draw(st.booleans()),
                unlisted=draw(st.none() | finite),
                extra=draw(st.dictionaries(st.just("extra"), st.integers(0, 3))),
            )
        )
    return records


@st.composite
def parent_tuples(draw, n_variables):
    """Parents of an acyclic network: each variable's are earlier in a random order."""
    order = draw(st.permutations(range(n_variables)))
    parents = [()] * n_variables
    for position, child in enumerate(order):
        if position:
            parents[child] = tuple(sorted(draw(st.sets(st.sampled_from(order[:position]), max_size=3))))
    return tuple(parents)


@st.composite
def networks(draw, names=labels):
    header = draw(headers(names))
    parents = draw(parent_tuples(header.n_variables))
    scores = [draw(finite | st.just(float("nan"))) for _ in parents]
    return NetworkRecord(header, parents, np.array(scores))


@st.composite
def bayesian_networks(draw):
    variables = draw(variable_tuples(known_states=st.just(True), max_size=4))
    parents = draw(parent_tuples(len(variables)))
    parents = tuple(tuple(draw(st.permutations(p))) for p in parents)
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables = []
    for child, parent_set in enumerate(parents):
        shape = [len(variables[p].states) for p in parent_set]
        tables.append(generator.dirichlet(np.ones(len(variables[child].states)), size=shape))
    return Parameters(variables, parents, tuple(tables), draw(labels))


def renamed(network: Parameters, name: str = "v", state: str = "s") -> Parameters:
    """The network with names that every format holds: v0 with the states s0, s1; UAI's own are X0 with 0, 1."""
    sizes = [len(variable.known_states) for variable in network.variables]
    labels_of = [tuple(f"{state}{code}" for code in range(size)) for size in sizes]
    variables = tuple(Variable(f"{name}{v}", held) for v, held in enumerate(labels_of))
    return replace(network, variables=variables)


def same_network(one: NetworkRecord, other: NetworkRecord) -> bool:
    return one.parents == other.parents and one.header.names == other.header.names
