"""Exact local scores (BIC) per second of processor time and thread: all one-variable extensions of random sets.

"scores/s" are made by one call for each set. "words/s" are the words of bitmaps that
counting all cells takes (rows / 64 for every cell, less one state of the new parent, which is a difference), whatever
way was taken; "of limit" is their share of what the machine can AND and popcount in cache, measured right before.
The plain way counts with `numpy.bincount` over mixed-radix configurations, one family after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from formats.data_records import Dataset
from stages.scoring.family_scorer import FamilyScorer

from .cases import best_seconds, real, sampled
from .limits import WORDS_IN_CACHE, words_per_second

SCORES = 30_000
"""Families scored per measurement, about."""

PLAIN_FAMILIES = 40

Family = tuple[int, tuple[int, ...]]


def measure() -> Iterator[dict[str, object]]:
    """One row per data set and number of parents."""
    cases = {
        "binary": sampled(16_000, 100, 2),
        "binary, wide": sampled(16_000, 1_500, 2),
        "four states": sampled(16_000, 60, 4),
        "ten states": sampled(16_000, 40, 10),
    }
    for name in ("nltcs", "plants", "accidents", "dna", "msweb", "ad"):
        dataset = real(name)
        if dataset is not None:
            cases[name] = dataset
    for name, dataset in cases.items():
        scorer = FamilyScorer(dataset)
        for n_parents in (1, 2, 3, 4):
            yield measure_case(name, scorer, n_parents)


def measure_case(name: str, scorer: FamilyScorer, n_parents: int) -> dict[str, object]:
    """Rates of all ways on the same data."""
    rng, dataset = np.random.default_rng(n_parents), scorer.dataset
    n = dataset.n_variables
    families: list[Family] = []
    for _ in range(max(20, SCORES // n)):
        child, *parents = rng.choice(n, n_parents, replace=False).tolist()
        families.append((child, tuple(sorted(parents))))  # the last parent is what the extension adds
    scorer.expand(*families[0])

    def expand_all() -> None:
        for child, parents in families:
            scorer.expand(child, parents)

    def count_all() -> None:
        for child, parents in plain_families:
            plain_bic(dataset, child, parents)

    n_scores = len(families) * (n - n_parents)
    rate = n_scores / best_seconds(expand_all, repeats=5)
    words = rate * words_per_score(dataset, families)
    added = [(child, (*parents, (child + 1) % n)) for child, parents in families[:PLAIN_FAMILIES]]
    plain_families = [family for family in added if family[1][-1] not in family[1][:-1]]
    return {
        "case": name,
        "rows": dataset.n_rows,
        "variables": n,
        "parents": n_parents,
        "scores/s": rate,
        "words/s": words,
        "of limit": words / words_per_second(WORDS_IN_CACHE),
        "plain numpy/s": len(plain_families) / best_seconds(count_all),
    }


def words_per_score(dataset: Dataset, families: list[Family]) -> float:
    """Words of bitmaps in the cells of a family and one more parent, on average."""
    split = float(np.mean(dataset.n_states - 1))
    cells = [np.prod(dataset.n_states[[child, *parents]].astype(float)) for child, parents in families]
    return float(np.mean(cells)) * split * dataset.n_rows / 64


def plain_bic(dataset: Dataset, child: int, parents: tuple[int, ...]) -> float:
    """BIC of one family with numpy alone."""
    configuration = np.zeros(dataset.n_rows, dtype=np.int64)
    q = 1
    for parent in parents:
        configuration += dataset.codes[parent].astype(np.int64) * q
        q *= int(dataset.n_states[parent])
    r = int(dataset.n_states[child])
    counts = np.bincount(configuration * r + dataset.codes[child], minlength=q * r).reshape(q, r)
    totals = counts.sum(axis=1, keepdims=True)
    cells = counts > 0
    likelihood = float((counts[cells] * np.log(counts[cells] / np.broadcast_to(totals, counts.shape)[cells])).sum())
    return likelihood - 0.5 * np.log(dataset.n_rows) * (r - 1) * q
