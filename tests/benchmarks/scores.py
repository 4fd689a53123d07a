"""Exact local scores (BIC) per second and thread: all one-variable extensions of random sets.

"words/s" are the words of bitmaps that counting all cells takes (rows / 64 for every cell, less one state of the new
parent, which is a difference), whatever way was taken; "of limit" is their share of what the machine can AND and
popcount in cache. The plain way counts with `numpy.bincount` over mixed-radix configurations, one family after
the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from formats.records import Dataset
from stages.scoring.family_scorer import FamilyScorer

from .cases import best_seconds, real, sampled
from .limits import WORDS_IN_CACHE, words_per_second

FAMILIES = 300
"""Sets expanded per measurement; each stands for as many scores as there are other variables."""

PLAIN_FAMILIES = 60


def measure() -> Iterator[dict[str, object]]:
    """One row per data set and number of parents."""
    cases = {
        "binary": sampled(16_000, 100, 2),
        "four states": sampled(16_000, 60, 4),
        "ten states": sampled(16_000, 40, 10),
    }
    for name in ("accidents", "plants", "dna", "msweb", "ad"):
        dataset = real(name)
        if dataset is not None:
            cases[name] = dataset
    for name, dataset in cases.items():
        for n_parents in (1, 2, 3):
            yield measure_case(name, dataset, n_parents)


def measure_case(name: str, dataset: Dataset, n_parents: int) -> dict[str, object]:
    """Rates of both ways on the same data."""
    rng = np.random.default_rng(n_parents)
    n = dataset.n_variables
    families = [
        tuple(rng.choice(n, n_parents, replace=False).tolist()) for _ in range(FAMILIES)
    ]  # child first: the others are expanded
    scorer = FamilyScorer(dataset, "bic", 1.0)
    scorer.expand(families[0][0], tuple(sorted(families[0][1:])))

    def expand_all() -> None:
        for child, *parents in families:
            scorer.expand(child, tuple(sorted(parents)))

    before = scorer.evaluations
    expand_all()
    n_scores = scorer.evaluations - before
    ours = n_scores / best_seconds(expand_all)
    plain_families = [(f[0], (*f[1:], (f[0] + 1) % n)) for f in families if (f[0] + 1) % n not in f][
        :PLAIN_FAMILIES
    ]

    def count_all() -> None:
        for child, parents in plain_families:
            plain_bic(dataset, child, parents)

    plain = len(plain_families) / best_seconds(count_all)
    words = ours * words_per_score(dataset, families)
    return {
        "case": name,
        "rows": dataset.n_rows,
        "variables": n,
        "parents": n_parents,
        "scores/s": ours,
        "words/s": words,
        "of limit": words / words_per_second(WORDS_IN_CACHE),
        "plain numpy/s": plain,
        "ratio": ours / plain,
    }


def words_per_score(dataset: Dataset, families: list[tuple[int, ...]]) -> float:
    """Words of bitmaps in the cells of a family, on average."""
    split = float(np.mean(dataset.n_states - 1))
    cells = np.mean([np.prod(dataset.n_states[list(family)].astype(float)) for family in families])
    return float(cells) * split * dataset.n_rows / 64


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
    likelihood = float(
        (counts[cells] * np.log(counts[cells] / np.broadcast_to(totals, counts.shape)[cells])).sum()
    )
    return likelihood - 0.5 * np.log(dataset.n_rows) * (r - 1) * q
