"""Tables without rows get empty answers; a variable with the name of an answer's column is refused."""

from __future__ import annotations

import pytest

import bnsl


@pytest.fixture(scope="module")
def network() -> bnsl.Network:
    return bnsl.learn({"a": ["u", "v"] * 20, "b": ["v", "u"] * 20}, smoothing=1, quiet=True)


def test_no_rows(network):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["u"], "b": ["v"]})[:0]
    found = network.predict(frame, "b")
    assert found.column_names == ["b", "P(b=u)", "P(b=v)", "log_probability"] and len(found) == 0
    assert len(network.query(table=frame)) == 0
    assert network.predict({"a": []}, "b").column_names == found.column_names
    assert network.impute(frame).to_pandas().shape == (0, 2)


@pytest.mark.parametrize("name", ["log_probability", "P(b=u)"])
def test_a_variable_with_the_name_of_an_answer(name):
    model = bnsl.learn({name: ["u", "v"] * 20, "b": ["v", "u"] * 20}, smoothing=1, quiet=True)
    predicted = [name, "b"] if name.startswith("P") else name
    with pytest.raises(bnsl.UsageError, match="two columns named"):
        model.query(table={"b": ["u"]}, predict=predicted)
    assert len(model.predict({name: ["u"]}, "b")) == 1
