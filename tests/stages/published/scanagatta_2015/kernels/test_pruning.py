"""Pruning rules: whatever they exclude is dominated."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from helpers.tables import dependent_dataset
from hypothesis import given
from hypothesis import strategies as st
from naive.parentsets import prune_dominated, score_all_sets

import stages.published.scanagatta_2015.kernels.pruning as pruning
from stages.parentsets import pruning_rules as bounds
from stages.scoring.family_scorer import FamilyScorer


def family_facts(seed):
    """All scores of one child on dependent data, with what the rules ask for."""
    dataset, rows = dependent_dataset(seed, 5, 40 + seed % 100, most_states=3)
    scorer = FamilyScorer(dataset)
    child = seed % 5
    scores = score_all_sets(rows, dataset.n_states.tolist(), child, 4)
    entropies = {(): 0.0}
    for size in range(1, 5):
        for parents in combinations([i for i in range(5) if i != child], size):
            counts = np.unique([tuple(r[p] for p in parents) for r in rows], axis=0, return_counts=True)[1]
            entropies[parents] = float(-np.sum(counts * np.log(counts / len(rows))))
    return scorer, child, scores, entropies


def supersets(parents, scores):
    return [other for other in scores if set(other) >= set(parents)]


def assert_excluded_are_dominated(excluded, scores):
    undominated = prune_dominated({s: round(v, 7) for s, v in scores.items()})
    assert not set(excluded) & set(undominated)


@given(st.integers(0, 5000))
def test_bic_star_is_within_its_error(seed):
    scorer, child, scores, entropies = family_facts(seed)
    c, h = scorer.penalty(child), scorer.row_entropies[child]
    for first, second in combinations([s for s in scores if s], 2):
        if set(first) & set(second):
            continue
        union = tuple(sorted(first + second))
        star = pruning.bic_star(
            scores[first],
            scores[second],
            scorer.n_configurations(first),
            scorer.n_configurations(second),
            scores[()],
            c,
        )
        error = pruning.bic_star_error(h, entropies[first], entropies[second])
        assert abs(scores[union] - star) <= error + 1e-7
        excluded = [
            s
            for s in supersets(union, scores)
            if s != union and pruning.is_excluded_by_bic_star(star, c, scorer.n_configurations(s), error + 1e-9)
        ]
        assert_excluded_are_dominated(excluded, scores)


@given(st.integers(0, 5000))
def test_penalty_and_entropy_rules(seed):
    scorer, child, scores, entropies = family_facts(seed)
    c = scorer.penalty(child)
    if c == 0:
        return
    for parents, score in scores.items():
        q = scorer.n_configurations(parents)
        for y in set(range(5)) - {child, *parents}:
            grown = tuple(sorted((*parents, y)))
            s = float(scorer.n_states[y])
            if pruning.is_excluded_by_penalty(score, c, q * s):
                assert_excluded_are_dominated(supersets(grown, scores), scores)
            child_given = -(score + c * q)
            new_given = entropies[grown] - entropies[parents]
            if s > 1 and pruning.is_excluded_by_entropy(child_given, new_given, c, q, s):
                assert_excluded_are_dominated(supersets(grown, scores), scores)
            assert bounds.unlisted_bound(c, q * s) >= max(scores[o] for o in supersets(grown, scores)) - 1e-9


@given(st.integers(0, 5000))
def test_theorem_1_of_2016_leaves_out_nothing_that_the_entropy_rule_keeps(seed):
    scorer, child, scores, _ = family_facts(seed)
    c, h = scorer.penalty(child), scorer.row_entropies
    others = [i for i in range(5) if i != child]

    def weight(y):
        likelihood = scores[(y,)] + c * scorer.n_states[y]
        information = likelihood - (scores[()] + c)
        return information + min(h[child], h[y])

    for parents in [s for s in scores if s]:
        q = scorer.n_configurations(parents)
        for y in set(others) - set(parents):
            rest = [weight(z) - c * q * scorer.n_states[z] for z in set(others) - {*parents, y}]
            new_does_not_pay = weight(y) - c * q * scorer.n_states[y] <= -c * q
            if scorer.n_states[y] > 1 and new_does_not_pay and max(rest, default=-np.inf) <= 0:
                unexplained = -(scores[parents] + c * q)
                assert pruning.is_excluded_by_entropy(unexplained, h[y], c, q, scorer.n_states[y])
                assert_excluded_are_dominated(supersets(tuple(sorted((*parents, y))), scores), scores)
