"""Sets in arrays, against tuples: reading, choosing, order, and their text."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.json_lines import jsonl_writer
from formats.json_lines.jsonl_writer import sets_text
from formats.records import ParentSetRecord
from formats.sets.listed_sets import ListedSets, best_first, offsets_of

FEW_VARIABLES = st.lists(st.sets(st.integers(0, 12), max_size=4).map(lambda s: tuple(sorted(s))), max_size=30)
SETS = st.lists(st.sets(st.integers(0, 1200), max_size=4).map(lambda s: tuple(sorted(s))), max_size=12)


@given(SETS, st.data())
def test_they_read_like_tuples(sets, data):
    listed = ListedSets.of(sets)
    assert (
        listed == sets
        and listed == tuple(sets)
        and listed == ListedSets.of(sets)
        and repr(listed) == repr(tuple(sets))
    )
    assert len(listed) == len(sets) and list(listed) == sets and listed.sizes.tolist() == list(map(len, sets))
    assert [listed[i] for i in range(-len(sets), len(sets))] == sets + sets
    first, end = sorted(data.draw(st.tuples(*[st.integers(0, len(sets))] * 2)))
    assert listed[first:end] == sets[first:end] == listed.within(first, end)
    which = data.draw(st.lists(st.integers(0, len(sets) - 1), max_size=9)) if sets else []
    assert listed.take(np.array(which, dtype=np.int64)) == [sets[i] for i in which]
    with pytest.raises(IndexError):
        listed[len(sets)]


@given(st.lists(st.tuples(st.sets(st.integers(0, 5), max_size=3).map(sorted).map(tuple), st.integers(0, 3))))
def test_best_first_as_sorted_tuples_without_repetition(pairs):
    sets, scores = ListedSets.of(s for s, _ in pairs), np.array([float(score) for _, score in pairs])
    found = [(-scores[i], len(sets[i]), sets[i]) for i in best_first(sets, scores)]
    assert found == sorted({(-score, len(members), members) for members, score in pairs})


@given(st.lists(st.tuples(st.integers(0, 2), st.sets(st.integers(0, 3), max_size=3).map(sorted), st.integers(0, 2))))
def test_best_first_of_each_child(triples):
    children = np.array([child for child, _, _ in triples], dtype=np.int64)
    sets, scores = ListedSets.of(s for _, s, _ in triples), np.array([float(score) for *_, score in triples])
    found = [(int(children[i]), -scores[i], len(sets[i]), sets[i]) for i in best_first(sets, scores, children)]
    assert found == sorted({(child, -score, len(members), tuple(members)) for child, members, score in triples})


@given(st.one_of(SETS, FEW_VARIABLES), st.integers(1, 5))
def test_text_is_that_of_json(sets, part):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl_writer, "PART_SETS", part)
        text = sets_text(ListedSets.of(sets))
    assert text.decode() == json.dumps(sets, separators=(",", ":"))


@pytest.mark.parametrize("sets", [[()], [(100_000,)], [(7, 31_234), (), (9,)]])
def test_text_of_few_sets_of_many_variables(sets):
    assert sets_text(ListedSets.of(sets)).decode() == json.dumps(sets, separators=(",", ":"))


def test_records_differ_in_any_part():
    record = ParentSetRecord.of(1, [(0,), ()], [-1.0, -2.0], evaluated=3)
    assert record == ParentSetRecord.of(1, [(0,), ()], [-1.0, -2.0], evaluated=3)
    others = ([(2,), ()], [-1.0, -2.0], 3), ([(0,), ()], [-1.0, -2.5], 3), ([(0,), ()], [-1.0, -2.0], 4)
    assert all(record != ParentSetRecord.of(1, sets, scores, evaluated=n) for sets, scores, n in others)
    assert record != ParentSetRecord.of(2, [(0,), ()], [-1.0, -2.0], evaluated=3) and record != "record"


@pytest.mark.parametrize("counts", [[], [3], [2, 0, 5], np.array([1, 1], dtype=np.int32)])
def test_offsets_are_running_sums(counts):
    offsets = offsets_of(counts)
    assert offsets.dtype == np.int64
    assert offsets.tolist() == [sum(counts[:k]) for k in range(len(counts) + 1)]
