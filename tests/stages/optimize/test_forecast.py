"""What a search is said to prove, and to take."""

from __future__ import annotations

from dataclasses import replace

import pytest
from naive.optimize.networks_search import random_table

from stages.optimize import OptimizeOptions
from stages.optimize.bounds.subset_dp import subset_bytes
from stages.optimize.driver import run
from stages.optimize.forecast import GROWTH_BYTES, memory_bytes, proof_text
from stages.optimize.pricing.loop import MOST_BYTES
from stages.runtime.budgets import Budget
from stages.runtime.memory import taken_bytes
from stages.runtime.reporting import NullReporter

LISTS = random_table(5, 6, max_parents=2, n_sets=6)


@pytest.mark.parametrize(
    ("method", "words"), [("exact", "the best of "), ("ils", "an upper bound, at any moment, for ")]
)
def test_a_search_among_sets_proves_what_its_network_claims(method: str, words: str):
    options = OptimizeOptions(method=method, seed=1)
    found, _ = run(LISTS, options, Budget(evaluations=50), NullReporter())
    claim = found.header.extra["bound_relative_to"]
    assert proof_text(options, LISTS, found).startswith(words + claim)
    assert proof_text(options, LISTS, None).startswith(words + claim)
    extra = {name: value for name, value in found.header.extra.items() if not name.startswith("bound")}
    without = replace(found, header=replace(found.header, extra=extra))
    assert proof_text(options, LISTS, without) == f"nothing: method {method} computes no upper bound"


def test_a_search_on_data_says_both_claims_until_it_knows():
    options = OptimizeOptions(method="pricing", max_parents=2)
    text = proof_text(options, None, None, keeps_forest=True)
    assert "listed at the end" in text and "all networks with at most 2 parents each that keep the screening" in text


def test_memory_grows_with_the_time_of_lists_on_data():
    options, reading = OptimizeOptions(method="pricing"), 64 << 30
    given = options, 60, reading, True
    assert memory_bytes(*given, 10.0, True) == reading + int(10 * GROWTH_BYTES)
    assert memory_bytes(replace(options, jobs=2), 60, reading, True, 10.0, True) == reading + int(20 * GROWTH_BYTES)
    assert memory_bytes(*given, None, True) == reading + MOST_BYTES
    assert memory_bytes(options, 3, reading, True, None, True) < reading + 10_000  # few sets exist
    assert memory_bytes(replace(options, method="ils"), 60, reading, False, None, True) == reading


def test_an_exact_search_that_has_not_ended_needs_its_tables():
    options = OptimizeOptions(method="exact")
    assert memory_bytes(options, 18, 0, False, None, False) >= subset_bytes(18)
    assert memory_bytes(options, 18, 0, False, None, True) <= taken_bytes()[1]
