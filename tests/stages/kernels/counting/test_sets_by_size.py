"""Sets of one size made from those of the size before, against dictionaries of all sets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.scores import local_score

from stages.kernels.counting.sets_by_size import Level, empty_level, find_block, mark_open, score_open
from stages.scoring.family_scorer import FamilyScorer


def make_level(best, n_allowed, size):
    """A level from {set of places: best score or NaN}."""
    prefixes = sorted({places[:-1] for places in best})
    widths = [n_allowed - 1 - (prefix[-1] if prefix else -1) for prefix in prefixes]
    starts = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
    entries = [
        best.get((*prefix, last), np.nan)
        for prefix in prefixes
        for last in range((prefix[-1] if prefix else -1) + 1, n_allowed)
    ]
    shaped = np.array(prefixes, dtype=np.int32).reshape(len(prefixes), size - 1)
    return Level(prefixes=shaped, starts=starts, entries=np.array(entries))


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_extensions_that_have_to_be_scored(seed, size):
    """Open are those all of whose subsets of one less are open, unless one of these scores too much already, or the
    penalty is more than a member is worth.
    """
    rng, n = np.random.default_rng(seed), 6
    best = {
        places: float(-rng.integers(1, 60)) for places in itertools.combinations(range(n), size) if rng.random() < 0.8
    }
    level, penalty = make_level(best, n, size), 2.0
    n_states = rng.integers(2, 4, n).astype(np.float64)
    sets = sorted(best)
    places = np.array(sets, dtype=np.int32).reshape(len(sets), size)
    q = np.prod(n_states[places], axis=1)
    widths = n - 1 - places[:, -1]
    starts = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
    entries, counts = np.empty(starts[-1]), np.empty(len(sets), dtype=np.int64)
    values = np.array([best[s] for s in sets])
    worth = np.where(rng.random(n) < 0.3, 30.0, np.inf)
    mark_open(
        level, places, values, q, n_states, penalty, worth, starts, entries, counts, np.empty(size, dtype=np.int64)
    )
    for k, chosen in enumerate(sets):
        own = entries[starts[k] : starts[k + 1]].tolist()
        for entry, last in zip(own, range(chosen[-1] + 1, n), strict=True):
            subsets = [best.get(s) for s in itertools.combinations((*chosen, last), size)]
            total = penalty * q[k] * n_states[last]
            is_open = None not in subsets and max(subsets) < -total and total < min(worth[[*chosen, last]])
            assert entry == max(subsets) if is_open else np.isnan(entry)
        assert counts[k] == np.count_nonzero(~np.isnan(own))
    for k, chosen in enumerate(sets):
        for dropped in range(size):
            rest = chosen[:dropped] + chosen[dropped + 1 :]
            blocks = [tuple(p) for p in level.prefixes.tolist()]
            for guess in range(len(blocks) + 1):
                block = find_block(level.prefixes, places[k], dropped, guess)
                assert block == (blocks.index(rest) if rest in blocks else -1)


@pytest.mark.parametrize("most_work", [0.0, 1e9], ids=["one at a time", "all at once"])
@pytest.mark.parametrize("keeps_scores", [False, True], ids=["", "keeps scores"])
@pytest.mark.parametrize("required", [(), (5,)])
def test_open_extensions_are_scored(required, keeps_scores, most_work):
    dataset, rows = dependent_dataset(4, 7, 200, most_states=3)
    scorer, child, n_states = FamilyScorer(dataset, "bic"), 6, dataset.n_states.tolist()
    allowed = np.array([v for v in range(6) if v not in required], dtype=np.int32)
    n = len(allowed)

    def score(places):
        return local_score(rows, n_states, child, (*required, *allowed[list(places)].tolist()))

    places = np.arange(n, dtype=np.int32)[:, None]
    widths = n - 1 - places[:, 0]
    starts = np.concatenate(([0], np.cumsum(widths))).astype(np.int64)
    entries = np.array([max(score((a,)), score((b,))) for a in range(n) for b in range(a + 1, n)])
    closed = np.random.default_rng(0).random(len(entries)) < 0.3
    before = np.where(closed, np.nan, entries)
    entries = before.copy()
    is_better, scratch = np.zeros(len(entries), dtype=np.bool_), np.empty(7)
    scores = np.full(len(entries) if keeps_scores else 0, np.nan)
    q = np.array([scorer.n_configurations((*required, int(v))) for v in allowed])
    for configurations in np.unique(q):
        tables = scorer.tables.of_expansion(child, configurations)
        which, position, first, calls = np.flatnonzero(q == configurations), 0, 0, 0
        while position < len(which):
            position, first = score_open(
                scorer.data, tables, child, np.array(required, dtype=np.int32),
                allowed, places, which, position, first, most_work, starts, entries, is_better, scores,
                scratch, scorer.workspace(),
            )  # fmt: skip
            calls += 1
        assert first == 0 and (calls == 1 or most_work == 0.0)
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    for k, pair in enumerate(pairs):
        if closed[k]:
            assert np.isnan(entries[k]) and not is_better[k]
        else:
            assert entries[k] == pytest.approx(max(before[k], score(pair)), abs=1e-6)
            assert is_better[k] == (entries[k] > before[k])
        if keeps_scores:
            assert np.isnan(scores[k]) if closed[k] else scores[k] == pytest.approx(score(pair), abs=1e-6)


def test_an_empty_level_has_no_set():
    level = empty_level(2)
    assert level.prefixes.shape == (0, 2)
    assert level.starts.tolist() == [0] and not len(level.entries)
    assert find_block(level.prefixes, np.array([0, 1, 2], dtype=np.int32), 1, 0) == -1
