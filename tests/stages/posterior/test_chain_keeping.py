"""Chains that are saved and continued draw what unbroken ones draw."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists

from formats.chain_records import SavedChains
from formats.errors import Malformed, UnknownVersion
from formats.saved_chains import open_chains, write_chains
from stages.posterior import PosteriorOptions, sampling
from stages.posterior.chain_keeping import ChainKeeper
from stages.posterior.sampling import draw_samples
from stages.runtime.budgets import Budget
from stages.runtime.errors import StageError
from stages.runtime.reporting import NullReporter

TABLE = as_table(random_lists(3, 7, 3.0, most_parents=2))


def drawn(keeper=None, budget=None, table=TABLE, **changes):
    options = PosteriorOptions(**{"method": "sampled", "seed": 1, "samples": 400, "chains": 2, "rungs": 2} | changes)
    return draw_samples(table, options, budget or Budget(), NullReporter(), keeper)


def states(tmp_path, **changes):
    """The states that a run saves, each as it is read from a file."""
    found = []

    def keep(chains):
        write_chains(str(tmp_path / "c.part"), chains)
        found.append(open_chains(str(tmp_path / "c.part")))

    drawn(ChainKeeper(0.0, keep), **changes)
    return found


@pytest.fixture
def short_rounds(monkeypatch):
    monkeypatch.setattr(sampling, "ROUND_SECONDS", 1e-4)


@pytest.mark.usefixtures("short_rounds")
def test_a_continued_run_equals_an_unbroken_one(tmp_path):
    whole = drawn()
    saved = states(tmp_path)
    assert len(saved) > 2
    for state in saved[:: max(1, len(saved) // 4)]:
        found = drawn(ChainKeeper(1e9, saved.append, state))
        assert np.array_equal(found.sets, whole.sets) and np.array_equal(found.totals, whole.totals)
        assert found.n_moves == whole.n_moves
    longer = drawn(ChainKeeper(1e9, saved.append, saved[0]), samples=700)
    assert np.array_equal(longer.sets, drawn(samples=700).sets)


@pytest.mark.usefixtures("short_rounds")
def test_a_stopped_run_saves_its_chains_and_a_whole_one_does_not():
    saved: list[SavedChains] = []
    stop = threading.Event()

    def keep(chains):
        saved.append(chains)
        stop.set()

    keeper = ChainKeeper(0.0, keep)
    drawn(keeper, Budget(stop=stop), samples=100_000)
    assert keeper.is_unfinished and len(saved) == 2
    further = ChainKeeper(1e9, saved.append, saved[-1])
    there = 2 * saved[-1].arrays["totals"].shape[1]
    assert drawn(further, samples=there, burn_in=0.0).n_samples == there
    assert not further.is_unfinished and len(saved) == 2


@pytest.mark.usefixtures("short_rounds")
def test_other_inputs_and_settings_are_refused(tmp_path):
    state = states(tmp_path)[-1]
    keeper = ChainKeeper(1e9, lambda chains: None, state)
    other = replace(TABLE, scores=TABLE.scores - 1.0)
    for changes, text in (
        ({"table": other}, "other parent sets"),
        ({"seed": 2}, "--seed 1, not 2"),
        ({"chains": 3}, "--chains 2, not 3"),
        ({"rungs": 1}, "--rungs 2, not 1"),
        ({"samples": 2}, "ask for more samples"),
    ):
        with pytest.raises(StageError, match=text):
            drawn(keeper, **changes)


@pytest.mark.usefixtures("short_rounds")
@pytest.mark.parametrize("name", ["chosen", "children", "n_children"])
def test_states_that_are_no_networks_are_refused(tmp_path, name):
    state = states(tmp_path)[0]
    facts = {key: value for key, value in state.facts.items() if key != "generators"}
    for changed in (
        state._replace(facts=facts),
        state._replace(arrays={**state.arrays, "sets": state.arrays["sets"] + 999}),
    ):
        with pytest.raises(StageError, match="damaged"):
            drawn(ChainKeeper(1e9, lambda chains: None, changed))
    wrong = state.arrays[name].copy()
    wrong[...] = -1
    for array in (wrong, state.arrays[name][:, :0], state.arrays[name].astype(np.float32)):
        changed = state._replace(arrays={**state.arrays, name: array})
        with pytest.raises(StageError, match="damaged"):
            drawn(ChainKeeper(1e9, lambda chains: None, changed))


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "c.part"
    write_chains(str(path), SavedChains({"seed": 1}, {"sets": np.zeros(3, dtype=np.int32)}))
    whole = path.read_bytes()
    assert open_chains(str(path)).facts["seed"] == 1
    for wrong in (b"", b"x,y\n1,2\n", whole[: len(whole) // 2], whole.replace(b"bnsl.chains", b"bnsl.chainz")):
        path.write_bytes(wrong)
        with pytest.raises(Malformed):
            open_chains(str(path))
    path.write_bytes(whole)
    np.savez(path.open("wb"), facts=np.frombuffer(b'{"format": "bnsl.chains", "version": 1}', dtype=np.uint8))
    with pytest.raises(UnknownVersion):
        open_chains(str(path))
