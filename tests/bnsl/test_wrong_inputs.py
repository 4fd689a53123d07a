"""Inputs of another kind than a function takes are refused by what they are, not reported as bugs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
    (lambda made: bnsl.fit(3, TABLE), "network=3: an int cannot be read"),
    (lambda made: bnsl.sample(made.sets, rows=3), "a ParentSets is no network"),
    (lambda made: bnsl.average([made.sets, made.network]), "is no network"),
    (lambda made: bnsl.evaluate(made.sets, data=TABLE), "a ParentSets is no network"),
    (lambda made: bnsl.evaluate(made.network, proof="p.json"), "proof='p.json': a tuple of 2"),
    (lambda made: bnsl.evaluate(made.network, proof=(TABLE, made.sets)), "a dict is no proof"),
    (lambda made: bnsl.convert(made.network, to="jkl"), "a Network is no list of parent sets"),
    (lambda made: bnsl.convert(made.sets, to="bif"), "ParentSets is no network"),
    (lambda made: bnsl.convert(made.network, to="csv"), "a Network has no rows of data"),
    (lambda made: bnsl.convert(made.network, to="dot", index=2), "index=2 needs a stream"),
    (lambda made: bnsl.learn(TABLE, tiers=TABLE), "list of lists of names, not a dict"),
    (lambda made: bnsl.learn(TABLE, require=3), "require=3: an arc such as"),
    (lambda made: bnsl.learn(TABLE, require=[("a", "b", "c")]), "an arc has two ends, ('a', 'b'), not 3"),
    (
        lambda made: bnsl.learn(TABLE, discretize={"a": "median"}),
        "a text of the form [column=]method, such as median",
    ),
    (lambda made: bnsl.learn(TABLE, delimiter=5), "delimiter=5: a text of the form char"),
    (lambda made: bnsl.learn(TABLE, tiers=[[1], [0]]), "tiers: 1 is no variable"),
    (lambda made: bnsl.learn({"a": [1j, 2j], "b": [0, 1]}), "no table"),
    (lambda made: made.network.predict(TABLE, "a", keep=[1]), "no column '1', which keep names"),
    (lambda made: bnsl.convert(made.network, to="arcs", markov_blanket=0), "no variable '0', which markov_blanket"),
    (lambda made: bnsl.convert(made.network, output=b"n.bif"), "output=b'n.bif': a path, not a bytes"),
    *((partial(lambda made, path: bnsl.read(path), path=path), "a path, not ") for path in (b"x", TABLE, None, 5)),
    (lambda made: bnsl.Network.read(None), "path=None: a path, not None"),
    (lambda made: made.network.save(None), "path=None: a path, not None"),
    (lambda made: made.sets.save(5), "path=5: a path, not an int"),
]


@pytest.mark.parametrize(("call", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_kinds_are_refused(call: Callable[[Made], Any], said: str, made: Made):
    with pytest.raises((bnsl.UsageError, bnsl.DataError)) as raised:
        call(made)
    assert said in str(raised.value)


def test_tables_become_text():
    assert bnsl.convert(TABLE, to="csv", quiet=True).splitlines()[:2] == ["a,b", "0,1"]


def test_columns_of_frames_that_cannot_be_read_are_named():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame({"a": [0, 1], "z": [1j, 2j]})
    with pytest.raises(bnsl.UsageError, match="column 'z' has cells of complex128: make them numbers or texts"):
        bnsl.learn(frame, quiet=True)
    with pytest.raises(bnsl.UsageError, match="a LazyFrame cannot be read"):
        bnsl.learn(polars.LazyFrame(TABLE), quiet=True)
    with pytest.raises(bnsl.DataError, match="this is no table"):
        bnsl.learn(polars.Series("a", [0, 1]), quiet=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"draw": "x"}, "draw='x': a whole number"),
        ({"draw": 0}, "draw=0: at least 1"),
        ({"draw": 2, "seed": "x"}, "seed='x' is not a whole number"),
    ],
    ids=str,
)
def test_members_of_a_class_are_drawn_by_numbers(options, said):
    network = bnsl.optimize(data={"a": [0, 1] * 9, "b": [0, 1] * 9}, quiet=True)
    with pytest.raises(bnsl.UsageError, match=said):
        network.class_members(**options)
