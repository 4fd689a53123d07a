"""Probabilities of patterns of arcs: exact ones against enumeration, shares of networks against exact ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import ancestors, networks

from formats.errors import Inconsistent
from formats.graphs.arc_files import parse_pattern
from stages.posterior import PosteriorOptions, choose_method
from stages.posterior.arc_posterior import run
from stages.posterior.patterns import MOST_ORIENTATIONS
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter

INDEX = {f"V{i}": i for i in range(5)}
ARCS = [
    "V0 -> V1",
    "!V0 -> V1",
    "V0 - V1",
    "!V1-V0",
    "V0->V1, V2 - V3, !V3 -> V4",
    "V1 -> V2, V2 -> V1",
    "V0->V1,!V0-V1",
]
PATHS = ["V0 ~> V3", "!V0 ~> V3, V1 -> V3"]


def holds(pattern, parents) -> bool:
    above = ancestors(parents)
    for s in pattern.statements:
        found = s.tail in (above if s.relation == "~>" else parents)[s.head]
        found |= s.relation == "-" and s.head in parents[s.tail]
        if found == s.is_negated:
            return False
    return True


def enumerated(lists, prior, patterns) -> list[float]:
    """The probability of each pattern."""
    weighted = [(parents, math.exp(weight)) for parents, weight in networks(lists, prior)]
    return [share(weighted, pattern) for pattern in patterns]


def share(weighted, pattern) -> float:
    return math.fsum(w for parents, w in weighted if holds(pattern, parents)) / math.fsum(w for _, w in weighted)


def answers(table, texts, **options):
    patterns = tuple(parse_pattern(text, INDEX) for text in texts)
    found = run(table, PosteriorOptions(patterns=patterns, **options), Budget(), NullReporter())
    assert [answer.pattern for answer in found.patterns] == texts
    return patterns, found.patterns


@pytest.mark.slow
@pytest.mark.parametrize("prior", ["dags", "orders"])
@pytest.mark.parametrize(("seed", "spread"), [(1, 2.0), (2, 40.0)])
def test_exact_patterns_are_enumerated_ones(seed, spread, prior):
    lists = random_lists(seed, 5, spread, most_parents=2, share=0.6)
    patterns, found = answers(as_table(lists, keep_mass=0.0), ARCS, prior=prior)
    for answer, expected in zip(found, enumerated(lists, prior, patterns), strict=True):
        assert answer.probability == pytest.approx(expected, abs=1e-11)
        assert answer.standard_error == 0.0


@pytest.mark.slow
def test_sampled_patterns_are_enumerated_ones_within_their_errors():
    lists = random_lists(3, 5, 2.0, most_parents=2)
    texts = ARCS + PATHS
    patterns, found = answers(as_table(lists, keep_mass=0.0), texts, seed=1, samples=2000)
    for answer, expected in zip(found, enumerated(lists, "dags", patterns), strict=True):
        assert abs(answer.probability - expected) < 4.5 * answer.standard_error, answer.pattern
        assert answer.standard_error < 0.05


def test_paths_need_samples():
    paths = (parse_pattern(PATHS[0], INDEX),)
    assert choose_method(PosteriorOptions(patterns=paths), 5) == "sampled"
    table = as_table(random_lists(3, 5, 2.0))
    with pytest.raises(StageError, match="patterns with paths need sampled networks"):
        run(table, PosteriorOptions(patterns=paths, prior="orders"), Budget(), NullReporter())


def test_too_many_orientations_are_refused():
    n = 9
    names = {f"V{i}": i for i in range(n)}
    text = ",".join(f"V{i} - V{i + 1}" for i in range(n - 1))
    assert 2 ** (n - 1) > MOST_ORIENTATIONS
    table = as_table([[((), -1.0)] for _ in range(n)], keep_mass=0.0)
    with pytest.raises(StageError, match="orientations"):
        run(table, PosteriorOptions(patterns=(parse_pattern(text, names),)), Budget(), NullReporter())


def test_a_wide_network_has_paths_of_all_words():
    n = 70
    lists = [[((v + 1,), -1.0)] if v + 1 < n else [((), -1.0)] for v in range(n)]
    names = {f"V{i}": i for i in range(n)}
    texts = ["V69 ~> V0", "V0 ~> V69", "V66 -> V65"]
    patterns = tuple(parse_pattern(text, names) for text in texts)
    options = PosteriorOptions(patterns=patterns, seed=1, samples=8)
    found = run(as_table(lists, keep_mass=0.0), options, Budget(), NullReporter()).patterns
    np.testing.assert_array_equal([answer.probability for answer in found], [1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("V0 -> V9", "'V9' is no variable"),
        ("!V9 ~> V0", "'V9' is no variable"),
        ("V0 -> V0", "is a loop"),
        ("V0", "is no pattern"),
        ("V0 -> V1, V2", "is no pattern"),
        ("V0 -> V1,", "is no pattern"),
    ],
)
def test_what_is_no_pattern(text, reason):
    with pytest.raises(Inconsistent, match=reason):
        parse_pattern(text, INDEX)


def test_names_may_contain_signs():
    index = {"a,b": 0, "c->d": 1, "!e": 2, "x-y": 3}
    for text, expected in [
        ("a,b -> c->d, !!e - x-y", [("->", 0, 1, False), ("-", 2, 3, True)]),
        ("!e ~> x-y", [("~>", 2, 3, False)]),
        ("x-y-!e", [("-", 3, 2, False)]),
    ]:
        found = [(s.relation, s.tail, s.head, s.is_negated) for s in parse_pattern(text, index).statements]
        assert found == expected
