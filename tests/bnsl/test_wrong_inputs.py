"""Inputs of another kind than a function takes are refused by what they are, not reported as bugs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import bnsl

TABLE = {"a": [0, 1] * 20, "b": [1, 0] * 20}


class Made(NamedTuple):
    network: bnsl.Network
    sets: bnsl.ParentSets


@pytest.fixture(scope="module")
def made() -> Made:
    return Made(bnsl.learn(TABLE, quiet=True), bnsl.parentsets(TABLE, quiet=True))


WRONG: list[tuple[Callable[[Made], Any], str]] = [
    (lambda made: bnsl.optimize(made.network), "a Network is no list of parent sets"),
    (lambda made: bnsl.optimize(TABLE), "a dict is no list of parent sets"),
    (lambda made: bnsl.posterior(made.network), "a Network is no list of parent sets"),
    (lambda made: bnsl.learn(TABLE, start=made.sets), "a ParentSets is no network"),
    (lambda made: bnsl.learn(made.network), "a Network is no table"),
    (lambda made: bnsl.parentsets(TABLE, screen=made.network), "a Network is no screening forest"),
    (lambda made: bnsl.query(made.sets), "a ParentSets is no network"),
    (lambda made: bnsl.query(TABLE), "a dict is no network"),
    (lambda made: bnsl.fit(3, TABLE), "network=3: a int is nothing to read"),
    (lambda made: bnsl.sample(made.sets, rows=3), "a ParentSets is no network"),
    (lambda made: bnsl.average([made.sets, made.network]), "is no network"),
    (lambda made: bnsl.evaluate(made.sets, data=TABLE), "a ParentSets is no network"),
    (lambda made: bnsl.evaluate(made.network, proof="p.json"), "proof='p.json': a tuple of 2"),
    (lambda made: bnsl.evaluate(made.network, proof=(TABLE, made.sets)), "a dict is no proof"),
    (lambda made: bnsl.compare(made.network), "a Network is no list of measures"),
    (lambda made: bnsl.convert(made.network, to="jkl"), "a Network is no list of parent sets"),
    (lambda made: bnsl.convert(made.sets, to="bif"), "ParentSets is no network"),
    (lambda made: bnsl.convert(made.network, to="csv"), "a Network is no table"),
    (lambda made: bnsl.learn(TABLE, tiers=TABLE), "a dict is no file of tiers"),
    (lambda made: bnsl.learn(TABLE, require=3), "require=3: an arc such as"),
]


@pytest.mark.parametrize(("call", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_kinds_are_refused(call: Callable[[Made], Any], said: str, made: Made):
    with pytest.raises(bnsl.UsageError) as raised:
        call(made)
    assert said in str(raised.value)


def test_tables_become_text_and_measures_are_compared(made: Made):
    assert bnsl.convert(TABLE, to="csv", quiet=True).splitlines()[:2] == ["a,b", "0,1"]
    measures = made.network.evaluate(data=TABLE)
    rows = bnsl.compare({**measures, "network": "d.m.1"}, quiet=True)
    assert {row["method"] for row in rows if "method" in row} == {"m"}
