"""Python callers read keywords, arguments and calls, in errors, in warnings and on standard error."""

from __future__ import annotations

import re
from typing import Any

import pandas
import pytest

import bnsl

OF_THE_SHELL = re.compile(
    r"--[a-z]|\b(?:DATA|SETS|NETWORK|TABLE)\b|NAME=STATE|\bbnsl (?:fit|optimize|parentsets|query)\b[^:]"
)
TABLE = {"a": ["x", "y"] * 30, "b": ["u", "u", "v"] * 20}


def _levels() -> Any:
    return pandas.DataFrame({"a": pandas.Categorical(["x", "y"] * 30, categories=["x", "y", "z"]), "b": TABLE["b"]})


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: bnsl.learn(_levels()), 'states="observed" leaves them out'),
        (lambda: bnsl.learn({"a": [*TABLE["a"][1:], None], "b": TABLE["b"]}, missing="drop"), "left out"),
        (lambda: bnsl.learn(TABLE, discretize="*=median"), ""),
        (lambda: bnsl.optimize(bnsl.parentsets(TABLE, time="1ms", quiet=True)), ""),
        (lambda: bnsl.entropy(TABLE | {"w": [2] * 60}, weights="w"), 'by weights="w"'),
    ],
)
def test_notes_speak_keywords(act: Any, said: str, capsys: pytest.CaptureFixture[str]):
    act()
    found = capsys.readouterr().err
    assert said in found and not OF_THE_SHELL.search(found)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: bnsl.sample(rows=3), "no input: give network (a path, or a table or a result)."),
        (lambda: bnsl.optimize(), "give sets"),
        (lambda: bnsl.optimize(bnsl.parentsets(TABLE, quiet=True), method="climb"), ""),
        (lambda: bnsl.query(bnsl.optimize(data=TABLE, quiet=True)), "fit(data)"),
        (
            lambda: bnsl.query(bnsl.optimize(data=TABLE, quiet=True), given="a"),
            "given needs separated or effect; in other questions evidence takes its place.",
        ),
        (lambda: bnsl.learn({"a": TABLE["a"], "hole": [None] * 60}), 'drop=["hole"]'),
        (lambda: bnsl.learn({"a": [str(row) for row in range(300)] * 2}), "discretize="),
    ],
)
def test_errors_speak_keywords(act: Any, said: str):
    with pytest.raises(bnsl.BnslError) as caught:
        act()
    assert said in str(caught.value) and not OF_THE_SHELL.search(str(caught.value))
    assert not isinstance(caught.value, bnsl.BugError)


@pytest.fixture(name="network", scope="module")
def _network() -> bnsl.Network:
    return bnsl.learn(
        {0: [0, 1] * 40, 1: [0, 1] * 40, "xray": ["no", "yes"] * 40}, method="hc", smoothing=1, quiet=True
    )


@pytest.mark.parametrize("name", bnsl.FUNCTIONS)
def test_help_speaks_keywords(name: str):
    text = str(getattr(bnsl, name).__doc__).partition("Examples\n---")[0]
    assert not re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)


def test_a_row_of_pandas_is_evidence(network: bnsl.Network):
    row = pandas.DataFrame({0: [1], "xray": ["yes"]}).iloc[0]
    found = network.query(row, variables=["1"]).to_pylist()
    assert found == network.query({0: 1, "xray": "yes"}, variables=["1"]).to_pylist()
    assert found[1]["probability"] > 0.9
    assert network.query(row[[]], probability=True)["probability"].to_pylist() == [1.0]
    assert network.do(row[["xray"]]).parents("xray") == ()


def test_a_state_as_a_keyword_is_explained(network: bnsl.Network):
    for ask in (network.query, lambda **options: bnsl.query(network, **options)):
        with pytest.raises(bnsl.UsageError, match=re.escape('query({"xray": "yes"})')):
            ask(xray="yes")
    with pytest.raises(bnsl.UsageError, match=r"Did you mean variables\?"):
        network.query(variable=["1"])


def test_numbers_are_names(network: bnsl.Network):
    assert network.parents(1) == network.parents("1") and network.children(0) == network.children("0")
    assert network.markov_blanket(1) == network.markov_blanket("1")
    assert network.cpt(1).column_names == network.cpt("1").column_names
    assert set(network.around(1).variables) == set(network.around([1]).variables)
    with pytest.raises(bnsl.UsageError, match="no variable 7"):
        network.parents(7)


def test_a_name_with_a_comma_is_one_name():
    table = {"c,d": ["x", "y"] * 30, "e": ["x", "y"] * 30, "f": ["x", "y"] * 30}
    assert bnsl.learn(table, columns=["c,d", "e"], quiet=True).variables == ("c,d", "e")
    assert bnsl.learn(table, drop=["c,d"], quiet=True).variables == ("e", "f")
    assert bnsl.learn(table, drop="e,f", quiet=True).variables == ("c,d",)
    assert bnsl.learn(table, drop='"c,d"', quiet=True).variables == ("e", "f")
    network = bnsl.learn(table, quiet=True, smoothing=1)
    assert network.predict(table, "c,d", keep=["e"]).column_names[:2] == ["e", "c,d"]
    assert set(network.query(variables=["c,d"])["variable"].to_pylist()) == {"c,d"}


@pytest.mark.parametrize("name", ["hole", "c,d"])
@pytest.mark.parametrize("function", ["learn", "parentsets", "entropy"])
def test_the_remedy_of_a_column_without_cells_works(name: str, function: str):
    table = {"it's": ["x", "y"] * 30, "b": ["x", None, "y"] * 20, name: [None] * 60}
    call = getattr(bnsl, function)
    with pytest.raises(bnsl.DataError) as caught:
        call(table, quiet=True)
    line = str(caught.value).splitlines()[-1]
    assert line.startswith(f"  For example: bnsl.{function}(data, ")
    eval(line.removeprefix("  For example: "), {"bnsl": bnsl, "data": table})
