"""The independent scorer: scores by definition, and every wrong list that it is to find."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from helpers.places import ROOT
from helpers.tables import dependent_dataset
from naive.parentsets import prune_dominated, score_all_sets
from naive.scores import local_score

from formats.data_records import Dataset, Variable
from formats.errors import VerificationError
from formats.records import Header, ParentSetRecord, ParentSetTable
from formats.tables.cell_storage import PackedCells
from stages.scoring import independent
from stages.scoring.independent import KNOWN_SCORES, SCORES_PER_CHECK, IndependentScorer, count_family

DATA, ROWS = dependent_dataset(21, 7, 150)


def record_of(score: str, child: int = 6, **fields) -> ParentSetRecord:
    """The true list of a child."""
    states = DATA.n_states.tolist()
    kept = prune_dominated(score_all_sets(ROWS, states, child, 3, score))
    best_first = sorted(kept.items(), key=lambda item: -item[1])
    sets, scores = zip(*best_first)
    return ParentSetRecord.of(child, sets, scores, **fields)


def check(record: ParentSetRecord, score: str = "bic", seed: int = 0, known: ParentSetTable | None = None):
    IndependentScorer(DATA, score, 1.0).check_record(record, seed, DATA.n_rows, known)


def with_score(record: ParentSetRecord, place: int, score: float) -> ParentSetRecord:
    scores = record.scores.copy()
    scores[place] = score
    return replace(record, scores=scores)


def test_nothing_is_shared_with_the_searches():
    source = (ROOT / "stages" / "scoring" / "independent.py").read_text()
    imports = [line for line in source.splitlines() if line.startswith(("import", "from", "    from", "    import"))]
    assert not any("stages" in line or "kernels" in line or "numba" in line for line in imports)


@pytest.mark.parametrize("score", KNOWN_SCORES)
@pytest.mark.parametrize("code_limit", [1, 2**54])
@pytest.mark.parametrize("n_empty", [0, 1 << 12])
def test_families_of_any_size(score, code_limit, n_empty, monkeypatch):
    monkeypatch.setattr(independent, "CODE_LIMIT", code_limit)
    monkeypatch.setattr(independent, "MOST_EMPTY_CELLS", n_empty)
    states = DATA.n_states.tolist()
    for parents in ((), (1,), (0, 2, 3), (0, 1, 2, 3, 4, 5)):
        expected = local_score(ROWS, states, 6, parents, score, 2.0)
        assert IndependentScorer(DATA, score, 2.0).local_score(6, parents) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n_states", [(2, 3), (5, 51), (16, 16), (256,), (1, 256), (20, 20), (1, 2), (17,)])
def test_rows_are_counted_in_parts_as_at_once(n_states, monkeypatch):
    monkeypatch.setattr(independent, "PART_ROWS", 64)
    rng = np.random.default_rng(len(n_states))
    codes = np.array([rng.integers(0, states, 1001) for states in n_states], dtype=np.uint8)
    codes[:, -1] = np.array(n_states) - 1
    rows = [tuple(row) for row in codes.T.tolist()]
    contexts, last = [row[:-1] for row in rows], len(n_states) - 1
    variables = tuple(Variable(f"V{i}") for i in range(len(n_states)))
    for table in (codes, PackedCells.of(codes)):
        counts = count_family(Dataset(variables, table, "sha256:x"), n_states, last, range(last))
        assert counts.joint.tolist() == [rows.count(cell) for cell in sorted(set(rows))]
        assert counts.joint_marginal.tolist() == [contexts.count(cell[:-1]) for cell in sorted(set(rows))]
        assert counts.marginal.tolist() == [contexts.count(context) for context in sorted(set(contexts))]


@pytest.mark.parametrize("score", KNOWN_SCORES)
def test_a_wrong_score_of_the_best_or_the_smallest_set_is_found(score):
    """The best set always; the smallest one by one seed of sixteen, whatever the child."""
    for child in (3, 6):
        record = record_of(score, child)
        check(record, score)
        assert len(record.parents) > 1 and not record.parents[-1]
        for place, n_found in ((0, 16), (len(record.scores) - 1, 1)):
            wrong = with_score(record, place, record.scores[place] * (1 + 1e-6))
            names = [f"V{parent}" for parent in record.parents[place]]
            found = messages(wrong, range(16), score)
            assert list(found.values()) == n_found * [
                f"variable 'V{child}' with parents {names}: score {float(wrong.scores[place])!r}, but the data give"
                f" {IndependentScorer(DATA, score, 1.0).local_score(child, record.parents[place])!r}"
            ]


def messages(record: ParentSetRecord, seeds: Iterable[int], score: str = "bic") -> dict[int, str]:
    """The errors that are found, by seed."""
    found = {}
    for seed in seeds:
        try:
            check(record, score, seed)
        except VerificationError as error:
            found[seed] = str(error)
    return found


def test_a_wrong_score_of_any_set_is_found_in_the_end():
    """Long searches have two more sets checked, short ones one now and then, and the draw depends on the seed."""
    record = record_of("bic", evaluated=2 * SCORES_PER_CHECK)

    def seeds_that_find(record: ParentSetRecord, place: int) -> list[int]:
        return list(messages(with_score(record, place, record.scores[place] - 1.0), range(100)))

    for place in range(1, len(record.scores) - 1):
        found = seeds_that_find(record, place)
        assert 0 < len(found) < 100 and found == seeds_that_find(record, place)
        assert len(seeds_that_find(replace(record, evaluated=SCORES_PER_CHECK // 10), place)) < len(found)
        assert not seeds_that_find(replace(record, evaluated=None), place)


@pytest.mark.parametrize("score", KNOWN_SCORES)
def test_a_positive_score_is_an_error(score):
    record = record_of(score)
    with pytest.raises(VerificationError, match=r"with parents \[.*\]: 0\.5 is a positive log-likelihood score"):
        check(with_score(record, 1, 0.5), score)


def test_scores_of_a_file_are_not_checked():
    record = with_score(record_of("bic"), 0, -1.0)
    known = ParentSetTable.from_records(
        Header(DATA.variables),
        [ParentSetRecord.of(i, record.parents[:1] if i == 6 else ((),), (-1.0,)) for i in range(7)],
    )
    check(record, known=known)
    with pytest.raises(VerificationError):
        check(with_score(record, 1, -2.0), known=known)


def test_rounding_of_large_tables_is_no_error():
    """Searches round to a multiple of a power of two above N ln N times 1e-13, also where the score is 0."""
    codes = np.zeros((2, 1 << 22), dtype=np.uint8)
    dataset = replace(DATA, variables=DATA.variables[:2], codes=codes)
    rounding = (1 << 22) * np.log(1 << 22) * 2e-13
    assert rounding > 1e-6
    record = ParentSetRecord.of(0, ((),), (rounding,))
    IndependentScorer(dataset, "ll", 1.0).check_record(record, 0, 64)
