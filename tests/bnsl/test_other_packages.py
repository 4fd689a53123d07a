"""Networks as objects of networkx, pgmpy and pyAgrum: there and back they are the same, and answers there as well."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from helpers.cases.inference import small_network
from helpers.places import EXAMPLE_DATA

import bnsl
from formats.graphs.structures import network_of

PACKAGES = ("pgmpy", "pyagrum")


def there(network: bnsl.Network, package: str):
    pytest.importorskip(package)
    return getattr(network, f"to_{package}")()


def back(model, package: str) -> bnsl.Network:
    return getattr(bnsl.Network, f"from_{package}")(model)


def reordered(seed: int = 1) -> bnsl.Network:
    """Sizes differ, and the axes of a table are not in the order of the variables; states are not sorted."""
    return bnsl.Network(network_of(small_network(seed)))


def check_same(found: bnsl.Network, network: bnsl.Network) -> None:
    assert found.states == network.states and set(found.arcs) == set(network.arcs)
    for name in network.variables:
        ours, theirs = (n.cpt(name).to_pylist() for n in (network, found))
        rows = {frozenset((k, v) for k, v in row.items() if k != "probability"): row["probability"] for row in theirs}
        for row in ours:
            key = frozenset((k, v) for k, v in row.items() if k != "probability")
            assert rows.pop(key) == pytest.approx(row["probability"], abs=1e-15)
        assert not rows


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_there_and_back(name: str, package: str):
    network = bnsl.read(str(EXAMPLE_DATA / f"{name}.bif"))
    check_same(back(there(network, package), package), network)


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("seed", range(4))
def test_parents_in_any_order(seed: int, package: str):
    network = reordered(seed)
    check_same(back(there(network, package), package), network)


def test_answers_of_pyagrum():
    network = reordered()
    model = there(network, "pyagrum")
    import pyagrum

    first, last = network.variables[0], network.variables[-1]
    engine = pyagrum.LazyPropagation(model)
    engine.setEvidence({last: network.states[last][1]})
    engine.makeInference()
    right = network.query({last: network.states[last][1]}, variables=[first])["probability"].to_pylist()
    np.testing.assert_allclose(engine.posterior(first)[:], right, atol=1e-12)


def test_answers_of_pgmpy():
    network = reordered()
    model = there(network, "pgmpy")
    from pgmpy.inference import VariableElimination

    assert model.check_model()
    first, last = network.variables[0], network.variables[-1]
    found = VariableElimination(model).query([first], {last: network.states[last][1]}, show_progress=False)
    rows = network.query({last: network.states[last][1]}, variables=[first]).to_pylist()
    for row in rows:
        assert found.get_value(**{first: row["state"]}) == pytest.approx(row["probability"], abs=1e-12)


@pytest.mark.parametrize("package", ["networkx", *PACKAGES])
def test_arcs_without_parameters(package: str):
    network = bnsl.optimize(data={"a": [0, 1] * 20, "b": [1, 0] * 20, "c": [0, 1, 2, 1] * 10}, quiet=True)
    found = back(there(network, package), package)
    assert found.model is None and found.arcs == network.arcs and found.variables == network.variables
    assert package == "pgmpy" or found.states == network.states  # it has states in tables only


def test_arcs_of_graphs_whose_states_are_unknown():
    graph = networkx.DiGraph([("b", 1), ("a", "b")])
    network = bnsl.Network.from_networkx(graph)
    assert network.variables == ("b", "1", "a") and network.arcs == [("a", "b"), ("b", "1")]
    assert set(network.to_networkx().edges) == {("b", "1"), ("a", "b")}
    pytest.importorskip("pyagrum")
    with pytest.raises(bnsl.DataError, match=r"pyAgrum needs the states of 'b'.*fit\(data\)"):
        network.to_pyagrum()


def test_tables_of_pgmpy_may_have_another_order_of_a_parents_states():
    pytest.importorskip("pgmpy")
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(
        TabularCPD("a", 2, [[0.2], [0.8]], state_names={"a": ["no", "yes"]}),
        TabularCPD("b", 2, [[0.1, 0.3], [0.9, 0.7]], ["a"], [2], {"b": [0, 1], "a": ["yes", "no"]}),
    )
    found = bnsl.Network.from_pgmpy(model)
    assert found.states == {"a": ("no", "yes"), "b": ("0", "1")}
    rows = {(row["a"], row["b"]): row["probability"] for row in found.cpt("b").to_pylist()}
    assert rows == {("yes", "0"): 0.1, ("yes", "1"): 0.9, ("no", "0"): 0.3, ("no", "1"): 0.7}
    model.remove_cpds("b")
    assert bnsl.Network.from_pgmpy(model).model is None


def test_the_model_of_another_package_is_left_as_it_is():
    pyagrum = pytest.importorskip("pyagrum")
    model = pyagrum.fastBN("a->b")
    model.cpt("a")[:] = [0.3, 0.7002]
    found = bnsl.Network.from_pyagrum(model)
    assert sum(found.cpt("a")["probability"].to_pylist()) == pytest.approx(1, abs=1e-15)
    assert model.cpt("a")[:].sum() == pytest.approx(1.0002)
    model.cpt("a")[:] = [0.3, 0.3]
    with pytest.raises(bnsl.DataError, match=r"variable 'a': the probabilities of the variable sum to 0\.6"):
        bnsl.Network.from_pyagrum(model)


@pytest.mark.parametrize("package", ["networkx", *PACKAGES])
def test_what_is_no_network_is_refused(package: str):
    pytest.importorskip(package)
    with pytest.raises(bnsl.UsageError, match=r"a str is no (DiGraph|BayesNet)"):
        back("alarm.bif", package)


@pytest.mark.parametrize("package", ["networkx", *PACKAGES])
def test_the_refusal_of_a_foreign_network_names_the_method_that_takes_it(package: str):
    model = there(reordered(), package)
    with pytest.raises(bnsl.UsageError, match=f"cannot be read: call bnsl.Network.from_{package}$"):
        bnsl.convert(model, to="dot")
    assert callable(getattr(bnsl.Network, f"from_{package}"))


def test_graphs_that_are_no_networks():
    with pytest.raises(bnsl.DataError, match="no variables"):
        bnsl.Network.from_networkx(networkx.DiGraph())
    with pytest.raises(bnsl.DataError, match="variable '1' comes twice"):
        bnsl.Network.from_networkx(networkx.DiGraph([("1", 1)]))
    with pytest.raises(bnsl.DataError, match="the arcs form a cycle: a -> b -> a"):
        bnsl.Network.from_networkx(networkx.DiGraph([("a", "b"), ("b", "a")]))
