"""``--states`` beside a network that lists the states of its variables: the same are taken, others refused."""

from __future__ import annotations

import pytest

import bnsl

LEVELS = {"dose": ["High", "Medium", "Low", "None"], "effect": ["High", "Medium", "Low", "None"]}
TABLE = {"dose": ["Medium", "Low", "None", "Low"], "effect": ["Medium", "Low", "None", "Medium"]}


@pytest.fixture
def network():
    return bnsl.optimize(data=TABLE, states=LEVELS, method="hc", seed=1)


def test_the_same_states_are_taken(network):
    fitted = bnsl.fit(network, TABLE, states=LEVELS)
    assert list(fitted.states["dose"]) == ["High", "Medium", "Low", "None"]
    assert repr(fitted.query({})) == repr(bnsl.fit(network, TABLE).query({}))


def test_other_states_are_refused(network):
    other = LEVELS | {"dose": ["Low", "Medium", "High", "None"]}
    with pytest.raises(bnsl.UsageError, match=r"gives 'dose' the states 'Low', .* lists 'High', 'Medium'"):
        bnsl.fit(network, TABLE, states=other)
    with pytest.raises(bnsl.UsageError, match="lists the states already"):
        bnsl.fit(network, TABLE, states="observed")


def test_states_of_further_columns_are_named(network, capsys):
    bnsl.fit(network, TABLE, states=LEVELS | {"x": ["a", "b"]})
    assert "lists states of columns that are not read: 'x'" in capsys.readouterr().err
