"""Memory of a run: what searches leave behind, and the parts of the forecast."""

from __future__ import annotations

import gc

import pytest
from helpers.tables import dependent_dataset

from stages.parentsets import METHODS, ParentSetOptions, forecast, run_memory
from stages.parentsets.forecast import forecast_run
from stages.parentsets.found_sets import BYTES_PER_SET
from stages.parentsets.identification_run import ParentSetRun
from stages.runtime.memory import PROGRAM_BYTES, taken_bytes


def run_of(**options):
    dataset, _ = dependent_dataset(45, 7, 150, most_states=3)
    return ParentSetRun(dataset, ParentSetOptions(**{"method": "grow", "seed": 1, "evaluations": 200, **options}))


@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("method", METHODS)
def test_a_search_frees_what_it_held(method, score):
    """Objects that refer to each other stay until garbage is collected, and add up over variables."""
    run = run_of(method=method, score=score)
    run.searcher.result_of(0)
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        run.searcher.result_of(1)
        gc.collect()
        left = [repr(each)[:80] for each in gc.garbage]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert left == []


def test_the_resident_part_counts_arrays_once_and_scratch_for_each_worker():
    scorer = run_of().scorer
    arrays = {id(array): array.nbytes for array in (scorer.dataset.codes, *scorer.data)}
    scratch = sum(array.nbytes for array in scorer.workspace())
    fixed = PROGRAM_BYTES + sum(arrays.values())
    assert run_memory.resident_bytes(scorer, None, 1) == fixed + scratch
    assert run_memory.resident_bytes(scorer, None, 3) == fixed + 3 * (scratch + run_memory.WORKER_BYTES)


def test_reading_may_take_more_in_another_run(monkeypatch):
    monkeypatch.setattr(run_memory, "taken_bytes", lambda: (200, 300))
    assert run_memory.reading_bytes() == 300 + int(run_memory.READING_SPREAD * 100)


def test_the_process_has_taken_at_least_what_it_takes():
    now, most = taken_bytes()
    assert 0 < now <= most


def test_the_forecast_is_the_largest_of_its_parts(monkeypatch):
    monkeypatch.setattr(forecast, "taken_bytes", lambda: (0, 0))
    run = run_of()
    held = [run.searcher.search_sets(child, run.searcher.limits_of(child), 7) for child in run.children]
    most = max(max(found.most_held, found.n_sets) for found in held)
    searches = run.searcher.resident + int(run_memory.SLACK * most * BYTES_PER_SET)
    assert forecast_run(run).memory_bytes == searches
    assert forecast_run(run, reading=searches + 1).memory_bytes == searches + 1
    monkeypatch.setattr(forecast, "taken_bytes", lambda: (0, searches + 2))
    assert forecast_run(run, reading=searches + 1).memory_bytes == searches + 2
