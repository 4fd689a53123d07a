"""A fitted network in a file is the learnt one: claims, directions, pictures, answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bnsl
from formats.version import VERSION


@pytest.fixture(scope="module")
def table() -> dict[str, list[str]]:
    """The direction between `a` and `b` is not decided; the directions into `d` are."""
    rng = np.random.default_rng(1)
    b, c, e = rng.integers(0, 2, (3, 400))
    a = np.where(rng.random(400) < 0.1, 1 - b, b)
    d = np.where(rng.random(400) < 0.9, c | e, 1 - (c | e))
    return {name: column.astype(str).tolist() for name, column in zip("abcde", (a, b, c, d, e))}


def test_saved_and_read(tmp_path: Path, table):
    learnt = bnsl.optimize(data=table, forbid="c->a", seed=1, quiet=True)
    fitted = learnt.fit(table, smoothing=1, quiet=True)
    fitted.save(tmp_path / "m.net.jsonl")
    again = bnsl.read(tmp_path / "m.net.jsonl")
    for found in (fitted, again):
        assert found.arcs == learnt.arcs and found.directions == learnt.directions
        assert (found.score, found.gap, found.claim) == (learnt.score, learnt.gap, learnt.claim)
        ours, theirs = learnt.record.header, found.record.header
        assert theirs.data == ours.data and theirs.by[:-1] == ours.by
        assert theirs.by[-1] == {"stage": "fit", "version": VERSION, "options": {"smoothing": 1.0}}
        assert bnsl.convert(found, to="svg", quiet=True) == bnsl.convert(learnt, to="svg", quiet=True)
    assert learnt.claim is not None and set(again.directions.values()) == {"data", "neither"}
    assert again.states == fitted.states
    assert again.query({"a": "1"}).to_arrow() == fitted.query({"a": "1"}).to_arrow()
    assert again.fit(table, quiet=True).claim == learnt.claim


def test_a_part_that_lost_a_parent_is_written_without_parameters(tmp_path: Path, table):
    fitted = bnsl.optimize(data=table, require=["c->d", "e->d"], seed=1, quiet=True).fit(table, quiet=True)
    bnsl.convert(fitted, neighbourhood=["c"], output=str(tmp_path / "part.net.jsonl"), quiet=True)
    part = bnsl.read(tmp_path / "part.net.jsonl")
    assert part.model is None and part.score is None


def test_the_record_of_expectation_maximisation_and_of_a_foreign_structure(tmp_path: Path, table):
    (tmp_path / "m.csv").write_text("from,to\na,b\n")
    holes = {"a": [None, *table["a"][1:]], "b": table["b"]}
    fitted = bnsl.fit(str(tmp_path / "m.csv"), holes, missing="em", iterations=3, quiet=True)
    options = {"iterations": 3, "missing": "em", "restarts": 1, "seed": 0, "tolerance": 1e-6}
    assert [entry["options"] for entry in fitted.record.header.by] == [options]
