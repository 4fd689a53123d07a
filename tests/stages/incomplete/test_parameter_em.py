"""Expectation maximisation: against listing all states, against counting complete rows, and what it promises."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.incomplete import structure_of, with_holes
from helpers.cases.inference import small_network
from naive.inference import maximised
from naive.interventions import expected_counts_where_free

from formats.data_records import Dataset, Interventions, Variable
from formats.records import Parameters
from stages.evaluate.likelihood import observed_log_likelihoods, parameter_log_likelihoods
from stages.fit import added_rows, count_cells, fit_parameters
from stages.incomplete.parameter_em import Maximisation, fit_incomplete
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.reporting import NullReporter

EXACT = {"tolerance": 0.0}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("smoothing", [0.0, 2.0])
def test_all_states_listed(seed, smoothing):
    network = small_network(seed, n_variables=2 + seed % 5)
    rows = with_holes(network, 25, 0.3, seed)
    start = small_network(seed, n_variables=2 + seed % 5, zeros=0.0)
    settings = Maximisation(smoothing=smoothing, iterations=5, tolerance=-np.inf)
    found = fit_incomplete(structure_of(network), rows, settings, start=start)
    tables, trace = maximised(start, rows.codes, rows.is_hidden, smoothing, 5)
    for ours, theirs in zip(found.parameters.tables, tables):
        assert ours == pytest.approx(theirs, rel=1e-10, abs=1e-12)
    if smoothing == 0.0:
        assert found.traces[0][:-1] == pytest.approx(trace, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_further_iterations_change_no_decimal_that_is_shown(seed, smoothing):
    """What is called converged stays, also where the likelihood rose by less than 1e-5 nats a row long before."""
    network = small_network(seed, n_variables=2 + seed % 4, zeros=0.0)
    rows = with_holes(network, 40, 0.3, seed)
    found = fit_incomplete(structure_of(network), rows, Maximisation(smoothing=smoothing))
    trace = found.traces[0]
    assert found.converged and found.change < 1e-6 and len(trace) > 3
    tables, _ = maximised(found.parameters, rows.codes, rows.is_hidden, smoothing, 1)
    changes = [np.abs(ours - theirs).max() for ours, theirs in zip(found.parameters.tables, tables)]
    assert found.change == pytest.approx(max(changes), rel=1e-3, abs=1e-12)
    tables, _ = maximised(found.parameters, rows.codes, rows.is_hidden, smoothing, 40)
    for ours, theirs in zip(found.parameters.tables, tables):
        assert ours == pytest.approx(theirs, abs=5e-5)
    flat = next(i for i, step in enumerate(np.diff(trace), 1) if step < 1e-5 * rows.n_rows)
    assert flat < len(trace) - 1


def test_what_is_not_reached_is_said():
    network = small_network(1, n_variables=4, zeros=0.0)
    rows = with_holes(network, 40, 0.3, 1)
    found = fit_incomplete(structure_of(network), rows, Maximisation(iterations=2))
    assert not found.converged and found.change > 1e-6 and len(found.traces[0]) == 3


@pytest.mark.parametrize("seed", range(4))
def test_smoothing_towards_the_marginal(seed):
    """As of complete rows if there are no holes; with holes the M step adds the rows that whole families give."""
    network = small_network(seed, n_variables=4)
    rows = with_holes(network, 60, 0.2, seed)
    complete = replace(rows, is_hidden=np.zeros_like(rows.is_hidden))
    settings = Maximisation(smoothing=3.0, towards="marginal", tolerance=1e-12)
    found = fit_incomplete(structure_of(network), complete, settings)
    expected = fit_parameters(structure_of(network), rows.filled(rows.codes), smoothing=3.0, towards="marginal")
    for ours, theirs in zip(found.parameters.tables, expected.tables):
        assert ours == pytest.approx(theirs)
    [trace] = fit_incomplete(structure_of(network), rows, settings).traces
    assert len(trace) > 2 and min(np.diff(trace)) > -1e-9
    start = small_network(seed, n_variables=4, zeros=0.0)
    once = fit_incomplete(structure_of(network), rows, replace(settings, iterations=1), start=start)
    counts = expected_counts_where_free(start, rows.codes, rows.is_hidden, [()] * 60)[1]
    for child, (parents, table) in enumerate(zip(network.parents, once.parameters.tables)):
        whole = np.flatnonzero(~rows.is_hidden[[*parents, child]].any(axis=0))
        shown = count_cells(rows.rows(whole), child, parents)
        weights = counts[child] + added_rows(shown, 3.0, "marginal")
        assert table == pytest.approx(weights / weights.sum(axis=-1, keepdims=True))


def some_set(rows: Dataset, seed: int) -> Dataset:
    """The rows, with variables that were set in some of them."""
    targets = ((), (0,), (0, 1), (1,))
    of_row = np.random.default_rng(seed).integers(0, 4, rows.n_rows).astype(np.int32)
    return replace(rows, interventions=Interventions(targets, of_row))


@pytest.mark.parametrize("seed", range(6))
def test_families_count_the_rows_in_which_their_child_was_not_set(seed):
    """Rows with holes, also in cells that were set: an iteration by listing all completions, and likelihoods."""
    start = small_network(seed, n_variables=2 + seed % 4, zeros=0.0)
    rows = some_set(with_holes(start, 30, 0.3, seed), seed)
    given = rows.interventions
    was_set = [given.targets[k] for k in given.of_row.tolist()]
    total, counts = expected_counts_where_free(start, rows.codes, rows.is_hidden, was_set)
    found = fit_incomplete(
        structure_of(start), rows, Maximisation(smoothing=1.0, iterations=1, tolerance=-np.inf), start=start
    )
    prior = sum(float(np.log(table).sum()) / table.size for table in start.tables)
    assert found.traces[0][0] == pytest.approx(total + prior, rel=1e-10)
    for ours, expected in zip(found.parameters.tables, counts):
        weights = expected + 1.0 / expected.size
        assert ours == pytest.approx(weights / weights.sum(axis=-1, keepdims=True), rel=1e-9)
    logs = observed_log_likelihoods(start, rows)
    assert logs.sum() == pytest.approx(total, rel=1e-10)
    whole = some_set(with_holes(start, 30, 0.0, seed), seed)
    assert observed_log_likelihoods(start, whole) == pytest.approx(parameter_log_likelihoods(start, whole))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_the_objective_never_falls(seed, smoothing):
    network = small_network(seed, n_variables=7)
    rows = with_holes(network, 60, 0.4, seed)
    settings = Maximisation(smoothing=smoothing, restarts=3, seed=seed, iterations=60, **EXACT)
    found = fit_incomplete(structure_of(network), rows, settings)
    assert len(found.traces) == 3
    for trace in found.traces:
        steps = np.diff(trace)
        assert (steps >= -1e-9 * np.abs(trace[1:])).all()
        assert trace[-1] > trace[0]
    assert max(trace[-1] for trace in found.traces) == found.traces[found.best][-1]


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_complete_rows_are_counted(smoothing):
    network = small_network(3)
    rows = with_holes(network, 50, 0.0)
    found = fit_incomplete(structure_of(network), rows, Maximisation(smoothing=smoothing))
    expected = fit_parameters(structure_of(network), rows, smoothing=smoothing)
    assert found.converged
    for ours, theirs in zip(found.parameters.tables, expected.tables):
        assert ours == pytest.approx(theirs)


def test_equal_bytes_for_any_number_of_threads():
    network = small_network(5, n_variables=8)
    rows = with_holes(network, 200, 0.3)
    found = [fit_incomplete(structure_of(network), rows, Maximisation(jobs=jobs, iterations=5)) for jobs in (1, 2)]
    for ours, theirs in zip(found[0].parameters.tables, found[1].parameters.tables):
        assert ours.tobytes() == theirs.tobytes()


def test_a_hidden_variable_separates_groups():
    """Two groups of rows, of which no cell says which is which; a symmetrical start would never part them."""
    rng = np.random.default_rng(1)
    group = rng.random(400) < 0.5
    shown = [(rng.random(400) < np.where(group, 0.9, 0.1)).astype(np.uint8) for _ in range(4)]
    codes = np.array([np.zeros(400, dtype=np.uint8), *shown])
    is_hidden = np.zeros(codes.shape, dtype=bool)
    is_hidden[0] = True
    variables = tuple(Variable(f"X{i}", ("0", "1")) for i in range(5))
    model = Parameters(variables, ((), *[(0,)] * 4), (np.full(2, 0.5), *[np.full((2, 2), 0.5)] * 4), "")
    rows = Dataset(variables, codes, "", is_hidden=is_hidden)
    found = fit_incomplete(structure_of(model), rows, Maximisation())
    ends = np.sort([table[:, 1] for table in found.parameters.tables[1:]], axis=1)
    assert ends == pytest.approx(np.tile([0.1, 0.9], (4, 1)), abs=0.1)


def test_a_stop_signal_ends_it():
    network = small_network(2)
    stop = threading.Event()
    stop.set()
    with pytest.raises(NothingFoundError, match="before the first iteration"):
        fit_incomplete(structure_of(network), with_holes(network), Maximisation(), stop=stop)


def test_stopped_under_way_keeps_what_there_is():
    network = small_network(2)
    stop = threading.Event()

    class StopsAfterThree(NullReporter):
        def progress(self, done, *_counted, **_facts):
            if done == 3:
                stop.set()

    settings = Maximisation(restarts=4, **EXACT)
    found = fit_incomplete(
        structure_of(network), with_holes(network), settings, stop=stop, reporter=StopsAfterThree()
    )
    assert len(found.traces) == 1 and len(found.traces[0]) == 4 and not found.converged


def test_too_little_memory():
    network = small_network(2)
    with pytest.raises(StageError, match="more than the 8 bytes"):
        fit_incomplete(structure_of(network), with_holes(network), Maximisation(memory=8))
