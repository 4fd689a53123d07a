"""Parameters from data."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.data_records import Dataset, Variable
from formats.errors import Inconsistent
from formats.records import Header, NetworkRecord
from stages import fit
from stages.fit import fit_parameters
from stages.inference.forward_sampling import random_network, sample_rows
from stages.runtime.errors import StageError


def make_variables(n_states) -> tuple[Variable, ...]:
    return tuple(Variable(f"X{i}", tuple(map(str, range(r)))) for i, r in enumerate(n_states))


def make_dataset(columns, n_states) -> Dataset:
    return Dataset(make_variables(n_states), np.array(columns, dtype=np.uint8), "sha256:0")


def make_network(parents, variables) -> NetworkRecord:
    return NetworkRecord(Header(variables), tuple(parents), np.full(len(parents), np.nan))


# Worked by hand


def test_two_variables():
    dataset = make_dataset([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], [2, 2])
    network = make_network([(), (0,)], dataset.variables)
    fitted = fit_parameters(network, dataset, name="two")
    assert fitted.name == "two" and fitted.variables == dataset.variables and fitted.parents == ((), (0,))
    assert fitted.tables[0] == pytest.approx(np.array([0.6, 0.4]))
    assert fitted.tables[1] == pytest.approx(np.array([[2 / 3, 1 / 3], [0, 1]]))
    # Two rows give 1 to each of two cells and 0.5 to each of four.
    uniform = fit_parameters(network, dataset, smoothing=2)
    assert uniform.tables[0] == pytest.approx(np.array([4 / 7, 3 / 7]))
    assert uniform.tables[1] == pytest.approx(np.array([[2.5 / 4, 1.5 / 4], [0.5 / 3, 2.5 / 3]]))


def test_smoothing_towards_the_marginal():
    dataset = make_dataset([[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], [3, 2])
    network = make_network([(), (0,)], dataset.variables)
    tables = fit_parameters(network, dataset, smoothing=7, towards="marginal").tables
    # One row more of each state: 4/8, 3/8, 1/8 and 3/7, 4/7, as seven rows for each parent configuration.
    assert tables[0] == pytest.approx(np.array([3 + 3.5, 2 + 2.625, 0.875]) / 12)
    assert tables[1] == pytest.approx(np.array([[5 / 10, 5 / 10], [3 / 9, 6 / 9], [3 / 7, 4 / 7]]))


def drawn_to_marginals(rows: list[tuple[int, ...]], held: tuple[int | None, ...], sizes, smoothing: float):
    """The child's distribution, by the definition; `held` has None for each parent that is left out."""
    size = sizes[-1]
    if all(state is None for state in held):
        counts = [1 + sum(row[-1] == state for row in rows) for state in range(size)]
        return [count / sum(counts) for count in counts]
    means = [0.0] * size
    parents = [axis for axis, state in enumerate(held) if state is not None]
    for axis in parents:
        fewer = drawn_to_marginals(rows, (*held[:axis], None, *held[axis + 1 :]), sizes, smoothing)
        means = [mean + share / len(parents) for mean, share in zip(means, fewer)]
    like = [row for row in rows if all(state in (None, cell) for state, cell in zip(held, row))]
    counts = [sum(row[-1] == state for row in like) for state in range(size)]
    return [(count + smoothing * mean) / (len(like) + smoothing) for count, mean in zip(counts, means)]


@pytest.mark.parametrize("n_parents", [1, 2, 3, 4])
def test_smoothing_towards_marginals_of_several_parents(n_parents):
    generator = np.random.default_rng(n_parents)
    sizes = [*[2, 3, 2, 2][:n_parents], 3]
    columns = [generator.integers(0, size, 23).tolist() for size in sizes]
    dataset = make_dataset(columns, sizes)
    network = make_network([*[()] * n_parents, tuple(range(n_parents))], dataset.variables)
    table = fit_parameters(network, dataset, smoothing=2.5, towards="marginal").tables[-1]
    for states in itertools.product(*map(range, sizes[:-1])):
        assert table[states] == pytest.approx(drawn_to_marginals(list(zip(*columns)), states, sizes, 2.5))


def test_marginals_of_many_parents_are_refused():
    with pytest.raises(StageError, match="17 parents is not smoothed towards its marginals: at most 16"):
        fit.added_rows(np.zeros((2,) + (1,) * 16 + (2,)), 1.0, "marginal")
    assert fit.added_rows(np.zeros((2,) + (1,) * 15 + (2,)), 1.0, "marginal").shape == (2,) + (1,) * 15 + (2,)


@pytest.mark.parametrize("prior", [{}, {"smoothing": 0}, {"smoothing": 1}])
def test_configurations_without_rows_are_uniform(prior):
    dataset = make_dataset([[0, 0], [1, 2]], [3, 4])
    tables = fit_parameters(make_network([(), (0,)], dataset.variables), dataset, **prior).tables
    assert tables[1][1:] == pytest.approx(np.full((2, 4), 0.25))


def test_axes_follow_the_parents():
    # Child 1 is 1 exactly when X0 = 1 and X2 = 2.
    cells = list(itertools.product(range(2), range(3)))
    columns = [[a for a, _ in cells], [int(a == 1 and b == 2) for a, b in cells], [b for _, b in cells]]
    dataset = make_dataset(columns, [2, 2, 3])
    table = fit_parameters(make_network([(), (0, 2), ()], dataset.variables), dataset).tables[1]
    assert table.shape == (2, 3, 2)
    assert np.argwhere(table[..., 1] == 1).tolist() == [[1, 2]]


def test_states_unknown_to_the_network_come_from_the_data():
    dataset = make_dataset([[0, 1]], [2])
    assert fit_parameters(make_network([()], (Variable("X0"),)), dataset).variables == dataset.variables


def test_mismatches():
    dataset = make_dataset([[0, 1], [0, 1]], [2, 2])
    for variables, message in (
        (dataset.variables[::-1], "variables of network and data differ"),
        (dataset.variables[:1], "variables of network and data differ"),
        (make_variables([2, 3]), "column 'X1': states of network and data differ"),
    ):
        with pytest.raises(Inconsistent, match=message):
            fit_parameters(make_network([()] * len(variables), variables), dataset)


def test_arguments_and_size(monkeypatch):
    dataset = make_dataset([[0, 1], [0, 1]], [2, 2])
    network = make_network([(), (0,)], dataset.variables)
    for wrong in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="smoothing"):
            fit_parameters(network, dataset, smoothing=wrong)
    monkeypatch.setattr(fit, "MAX_CELLS", 3)
    with pytest.raises(StageError, match="'X1' with 1 parents has 4 cells"):
        fit_parameters(network, dataset)


def test_products_of_states_do_not_wrap():
    # 256**9 is 0 in 64 bits.
    dataset = make_dataset([[0]] * 9, [256] * 9)
    with pytest.raises(StageError, match="cells"):
        fit_parameters(make_network([tuple(range(1, 9))] + [()] * 8, dataset.variables), dataset)


# Random


def test_fit_finds_what_was_sampled():
    true = random_network(8, states=(2, 3), parents=(0, 2), seed=3)
    dataset = Dataset(true.variables, next(sample_rows(true, 60_000, seed=1, batch_rows=60_000)), "sha256:0")
    fitted = fit_parameters(make_network(true.parents, true.variables), dataset, smoothing=1)
    for child, parents in enumerate(true.parents):
        shape = true.tables[child].shape[:-1]
        configurations = np.zeros(dataset.n_rows, dtype=np.int64)
        for parent, n_states in zip(parents, shape):
            configurations = configurations * n_states + dataset.codes[parent]
        rows = np.bincount(configurations, minlength=int(np.prod(shape))).reshape(shape)
        # Five standard errors of a relative frequency; the prior adds less than one row.
        error = np.abs(fitted.tables[child] - true.tables[child]).max(axis=-1)
        assert (error < 2.5 / np.sqrt(rows + 1) + 1 / (rows + 1)).all()


# Properties


@given(st.data())
def test_tables_are_smoothed_relative_frequencies(data):
    n_states = data.draw(st.lists(st.integers(1, 3), min_size=3, max_size=3))
    row = st.tuples(*(st.integers(0, r - 1) for r in n_states))
    rows = data.draw(st.lists(row, min_size=1, max_size=10))
    parents = data.draw(st.sampled_from([(), (1,), (2,), (1, 2)]))
    prior = data.draw(st.sampled_from([{}, {"smoothing": 2.5}]))
    dataset = make_dataset(list(zip(*rows)), n_states)
    table = fit_parameters(make_network([parents, (), ()], dataset.variables), dataset, **prior).tables[0]
    assert table.shape == (*(n_states[p] for p in parents), n_states[0])
    added = prior.get("smoothing", 0) / table.size
    for configuration in itertools.product(*(range(n_states[p]) for p in parents)):
        matching = [r[0] for r in rows if tuple(r[p] for p in parents) == configuration]
        for state in range(n_states[0]):
            total = len(matching) + added * n_states[0]
            expected = (matching.count(state) + added) / total if total else 1 / n_states[0]
            assert table[(*configuration, state)] == pytest.approx(expected)
