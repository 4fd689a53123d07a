"""What decides directions under the posterior, against all networks with their weights."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import networks

from formats.graph_records import BY_KNOWLEDGE, UNDECIDED
from formats.provenance import append_command
from formats.records import ParentSetTable
from stages.average.strengths import count_arcs
from stages.graphs.orientation import decide_directions
from stages.knowledge import Knowledge
from stages.lists.constrain import keep_admissible
from stages.posterior import PosteriorOptions
from stages.posterior.arc_posterior import Posterior, run, sampled_networks
from stages.posterior.exact import exact_probabilities
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

from .test_exact import Heard, lists_of


def solve(table: ParentSetTable, reporter=None, **options) -> Posterior:
    return run(table, PosteriorOptions(**options), Budget(), reporter or NullReporter())


def recorded(table: ParentSetTable, **options) -> ParentSetTable:
    """The lists with knowledge in their header."""
    return replace(table, header=append_command(table.header, "parentsets", options))


def by_arc(found: Posterior) -> dict[tuple[int, int], str]:
    table = found.table
    return dict(zip(zip(table.parents.tolist(), table.children.tolist()), table.directions, strict=True))


@functools.cache
def lists_and_shares(
    seed: int, n_variables: int, knows: bool, prior: str
) -> tuple[ParentSetTable, dict[tuple[int, int], dict[str, float]]]:
    """Random lists; for every arc the probabilities of what decides its direction.

    A network with the other direction counts as ``neither``.
    """
    table = as_table(random_lists(seed, n_variables, 3.0, most_parents=2, share=0.8))
    knowledge = Knowledge.of_arcs(table.header.names, forbidden=[(1, 0), (3, 2)] if knows else [])
    if knows:
        table = recorded(keep_admissible(table, knowledge), forbid=["V1->V0", "V3->V2"])
    weighted = list(networks(lists_of(table), prior))
    most = max(weight for _, weight in weighted)
    found: dict = defaultdict(lambda: defaultdict(float))
    total = 0.0
    for parents, log_weight in weighted:
        weight = math.exp(log_weight - most)
        total += weight
        for arc, word in decide_directions(parents, knowledge).items():
            found[arc][word] += weight
            found[arc[::-1]][UNDECIDED] += weight
    return table, {arc: {word: w / total for word, w in words.items()} for arc, words in found.items()}


@pytest.mark.parametrize("options", [{"prior": "dags"}, {"prior": "orders"}, {"method": "sampled", "samples": 4000}])
@pytest.mark.parametrize(
    ("seed", "n_variables", "knows"), [(0, 2, False), (1, 4, False), (2, 4, True), (3, 5, False), (4, 5, True)]
)
def test_what_decides_most_of_the_networks(seed, n_variables, knows, options):
    table, expected = lists_and_shares(seed, n_variables, knows, options.get("prior", "dags"))
    n_clear = 0
    for arc, word in by_arc(solve(table, **options)).items():
        by_word = expected.get(arc, {})
        second, most = sorted([0.0, 0.0, *by_word.values()])[-2:]
        # More than six standard errors of a thousand draws; those of chains depend on one another.
        if most - second > 0.2:
            assert by_word.get(word) == most
            n_clear += 1
        elif not by_word:
            assert word == UNDECIDED
    assert n_clear


@pytest.mark.slow
def test_draws_under_the_prior_of_orders_have_the_exact_probabilities():
    """Shares of arcs among independent draws, within five standard errors."""
    for seed, n_variables in ((1, 1), (2, 4), (3, 6)):
        table = as_table(random_lists(seed, n_variables, 3.0, most_parents=2))
        found = exact_probabilities(table, PosteriorOptions(prior="orders"), Budget(), NullReporter())
        n_draws = len(found.networks)
        counted = np.zeros((n_variables, n_variables))
        for sets in found.networks.tolist():
            for child, s in enumerate(sets):
                counted[list(table.parent_set(s)), child] += 1
        error = np.sqrt(found.arcs * (1 - found.arcs) / n_draws)
        assert (np.abs(counted / n_draws - found.arcs) <= 5 * error + 1e-9).all()


def test_directions_of_samples_are_those_of_their_average():
    table = as_table(random_lists(5, 6, 2.0, most_parents=2))
    found = solve(table, method="sampled", samples=600, chains=2, seed=3)
    counted = count_arcs(sampled_networks(table, found.samples, found.table.header)).table
    arcs = zip(counted.parents.tolist(), counted.children.tolist())
    average = dict(zip(arcs, counted.directions, strict=True))
    directions = by_arc(found)
    assert directions == {arc: average[arc] for arc in directions}


def test_required_arcs_are_decided_by_knowledge():
    table = as_table(random_lists(6, 3, 1.0))
    knowledge = Knowledge(table.header.names, required={1: (0,)})
    table = keep_admissible(table, knowledge)
    table = recorded(table, require=["V0->V1"])
    for prior in ("dags", "orders"):
        assert by_arc(solve(table, prior=prior))[0, 1] == BY_KNOWLEDGE


def test_without_the_knowledge_itself_the_column_is_left_out():
    table = recorded(as_table(random_lists(6, 3, 1.0)), forbid="sha256:0")
    heard = Heard()
    assert solve(table, heard).table.directions == ()
    assert len(heard.warnings) == 1 and "--forbid" in heard.warnings[0]
