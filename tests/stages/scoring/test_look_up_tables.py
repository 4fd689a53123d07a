"""Scores from cut look-up tables, and from tables made anew, against those from whole tables that are kept."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.tables import dependent_dataset, make_dataset

from formats.data_records import Dataset
from stages.scoring import look_up_tables
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.scores import SCORES


def rare(seed: int) -> np.ndarray:
    """Columns that are nearly always in one state."""
    return (np.random.default_rng(seed).random((7, 3000)) < 0.03).astype(np.uint8)


def ten_states(seed: int) -> np.ndarray:
    """Columns of ten states, the first ones frequent."""
    rng = np.random.default_rng(seed)
    return np.minimum(rng.geometric(0.4, (7, 3000)) - 1, 9).astype(np.uint8)


TABLES = {
    "binary": dependent_dataset(1, 7, 900, most_states=2, noise=0.8)[0].plain_codes,
    "merged": np.repeat(dependent_dataset(2, 7, 60, most_states=2)[0].plain_codes, 40, axis=1),
    "any": dependent_dataset(3, 7, 900, noise=0.8)[0].plain_codes,
    "rare": rare(4),
    "ten": ten_states(5),
}
"""Binary and other columns, whose families are counted by bitmaps, lists and labelled rows."""


def table(name: str) -> Dataset:
    codes = TABLES[name]
    return make_dataset(codes, (codes.max(axis=1) + 1).tolist())


def all_scores(dataset: Dataset, score: str) -> np.ndarray:
    """Scores of many families: expansions, single ones, pairs, and the best of a clique; in units of rounding."""
    scorer = FamilyScorer(dataset, score, ess=2.0)
    members = np.arange(2, dtype=np.int32)
    found = [scorer.pairs().matrix().ravel()]
    for parents in ((), (1,), (3, 1), (1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 4, 5)):
        found.append(scorer.expand(0, parents))
        found.append([scorer.local_score(0, parents[:i] + parents[i + 1 :]) for i in range(len(parents))])
    cliques = scorer.cliques(2)
    assert (cliques is None) == (score in ("bds", "qnml"))  # a cell depends on the family
    if cliques is not None:
        assert cliques.can_count(members)
        found.append(cliques.best(members, np.arange(4, 7, dtype=np.int32), np.full(3, 3))[1])
    scores = np.concatenate(found)
    return scores[np.isfinite(scores)] / scorer.quantum


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("name", TABLES)
def test_cut_tables_score_as_whole_ones(monkeypatch, score, name):
    whole = all_scores(table(name), score)
    for most in (2, 30, 600):
        monkeypatch.setattr(look_up_tables, "MOST_ENTROPIES", most)
        monkeypatch.setattr(look_up_tables, "MOST_LOG_GAMMAS", most)
        scorer = FamilyScorer(table(name), score)
        is_cut = scorer.tables.of_expansion(0, 2.0).cell.shape[1] < scorer.n_rows
        assert is_cut == (scorer.definition.regret is None)
        # Whole tables take numpy's logarithm, which may differ in the last bit.
        assert np.abs(all_scores(table(name), score) - whole).max() <= 1.0


def test_tables_are_kept_up_to_a_limit(monkeypatch):
    whole = all_scores(table("any"), "bdeu")
    dataset = table("any")
    line = 8 * (dataset.n_rows + 1)
    monkeypatch.setattr(look_up_tables, "KEPT_BYTES", 20 * line)
    assert all_scores(dataset, "bdeu").tolist() == whole.tolist()
    scorer = FamilyScorer(dataset, "bdeu")
    for n_configurations in range(1, 60):
        made = scorer.tables.of_expansion(0, float(n_configurations))
        assert scorer.tables.of_expansion(0, float(n_configurations)) is made
    assert len(scorer.tables._lines) == 20
    assert sum(each.cell.nbytes + each.row.nbytes for each in scorer.tables._known.values()) <= 20 * line
