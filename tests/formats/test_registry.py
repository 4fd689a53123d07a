"""Every format comes back as it was written: a walk over the registry, so that none is left out."""

from __future__ import annotations

import dataclasses
import inspect

import numpy as np
import pytest
from helpers.cases.arc_probabilities import arc_probabilities, assert_same_arc_probabilities
from helpers.cases.entropies import assert_same_entropies, entropy_table
from helpers.format_strategies import (
    bayesian_networks,
    headers,
    networks,
    parent_tuples,
    record_lists,
    renamed,
    same_network,
    words,
)
from helpers.parameter_files import open_parameters, write_parameters
from hypothesis import given
from hypothesis import strategies as st

from bnsl.files.targets import TARGETS, guess_target
from bnsl_cli.commands.formats import list_keys
from formats import (
    open_arc_probabilities,
    open_dataset,
    open_entropies,
    open_forest,
    open_network,
    open_parent_sets,
    open_table_writer,
    write_arc_probabilities,
    write_entropies,
    write_forest,
    write_network,
    write_parent_sets,
)
from formats.data_records import Variable
from formats.kinds import Format, Kind
from formats.proof_records import ClusterCut, HalfCut, Node, Proof, Step
from formats.records import Header, NetworkRecord, ParentSetTable, ScreeningForest
from formats.registry import FORMATS, find_format, load
from formats.schemas import JSONL_FORMATS


def parent_sets_come_back(row: Format, path: str, data: st.DataObject) -> None:
    header = data.draw(headers(words, words))
    records = data.draw(record_lists(header, st.just(False)))
    write_parent_sets(path, header, records, format=row.target)
    again, expected = open_parent_sets(path), ParentSetTable.from_records(header, records)
    for field in ("set_offsets", "scores", "parent_offsets", "parents"):
        assert np.array_equal(getattr(again, field), getattr(expected, field))


def arcs_by_name(network: NetworkRecord) -> set[tuple[str, str]]:
    names = network.header.names
    return {(names[p], names[child]) for child, parents in enumerate(network.parents) for p in parents}


def networks_come_back(row: Format, path: str, data: st.DataObject) -> None:
    network = data.draw(networks(words))
    write_network(path, network, row.target)
    if row.target == "arcs":  # it names no variable without arcs, and has an order of its own
        if network.n_arcs:
            assert arcs_by_name(open_network(path)) == arcs_by_name(network)
        return
    assert same_network(open_network(path), network)


def parameters_come_back(row: Format, path: str, data: st.DataObject) -> None:
    network = renamed(data.draw(bayesian_networks()), *(("X", "") if row.target == "uai" else ()))
    write_parameters(path, network, row.target)
    again = open_parameters(path)
    assert (again.variables, again.parents) == (network.variables, network.parents)
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(network.tables, again.tables))


def tables_come_back(row: Format, path: str, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.text("xyz", min_size=1, max_size=3), min_size=1, max_size=4, unique=True))
    states = st.lists(st.text("abcd", min_size=1, max_size=3), min_size=1, max_size=3, unique=True)
    variables = [Variable(name, tuple(data.draw(states))) for name in names]
    cells = [data.draw(st.lists(st.integers(0, len(v.known_states) - 1), min_size=4, max_size=4)) for v in variables]
    with open_table_writer(path, variables, row.target) as writer:
        writer.write(np.array(cells, dtype=np.uint8))
    again = open_dataset(path, variables=tuple(variables))
    assert again.names == tuple(names) and again.codes.tolist() == cells


def forests_come_back(row: Format, path: str, data: st.DataObject) -> None:
    n_variables = data.draw(st.integers(1, 6))
    chosen = {v: sets for v, sets in enumerate(data.draw(parent_tuples(n_variables))) if sets}
    header = Header(tuple(Variable(f"V{v}") for v in range(n_variables)))
    forest = ScreeningForest(header, chosen, {v: -float(v) for v in chosen if v % 2})
    write_forest(path, forest)
    again = open_forest(path)
    assert (again.parents, again.scores) == (forest.parents, forest.scores)


def entropies_come_back(row: Format, path: str, data: st.DataObject) -> None:
    table = entropy_table(data.draw(st.integers(1, 5)), data.draw(st.integers(0, 99)))
    write_entropies(path, table)
    assert_same_entropies(open_entropies(path), table)


def arc_probabilities_come_back(row: Format, path: str, data: st.DataObject) -> None:
    table = arc_probabilities(data.draw(st.integers(2, 5)), data.draw(st.integers(0, 99)))
    write_arc_probabilities(path, table)
    assert_same_arc_probabilities(open_arc_probabilities(path), table)


def proofs_come_back(row: Format, path: str, data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 6))
    several = st.lists(st.integers(0, n - 1), min_size=1, unique=True).map(lambda found: tuple(sorted(found)))
    cuts: list[ClusterCut | HalfCut] = [
        ClusterCut(found, len(found)) for found in data.draw(st.lists(several, min_size=1))
    ]
    cuts.append(HalfCut((0,), data.draw(several)))
    whole = st.integers(0, 2**62)
    # A multiplier of zero is not written: its cut is not in the step.
    multipliers = st.dictionaries(st.integers(0, len(cuts) - 1), st.integers(1, 2**20) | st.integers(1, 2**62))
    step = multipliers.map(lambda found: Step(tuple(sorted(found)), tuple(found[cut] for cut in sorted(found))))
    steps = st.lists(step, max_size=3).map(tuple)
    nodes = (
        Node(-1, (), data.draw(steps)),
        Node(0, (0, 1), data.draw(steps)),
        Node(0, (1, 0), (), is_solved=data.draw(st.booleans())),
        Node(2, (0, 1), data.draw(steps)),
    )
    header = Header(tuple(Variable(f"V{v}") for v in range(n)))
    most = data.draw(st.none() | st.integers(0, n))
    proof = Proof(header, "0" * 64, data.draw(st.integers(0, 60)), -data.draw(whole), most, tuple(cuts), nodes)
    load(row.writer)(path, proof)
    assert load(row.reader)(path) == proof


ROUND_TRIPS = {
    Kind.PARENT_SETS: parent_sets_come_back,
    Kind.NETWORK: networks_come_back,
    Kind.PARAMETERS: parameters_come_back,
    Kind.DATA: tables_come_back,
    Kind.FOREST: forests_come_back,
    Kind.PROOF: proofs_come_back,
    Kind.ENTROPIES: entropies_come_back,
    Kind.ARC_PROBABILITIES: arc_probabilities_come_back,
}
"""How a file of each kind is written, read and compared; a format of a new kind fails until it has an entry."""


@pytest.mark.parametrize("row", [row for row in FORMATS if row.reader and row.writer], ids=lambda row: row.name)
@given(data=st.data())
def test_round_trip(tmp_path_factory, row: Format, data: st.DataObject):
    path = str(tmp_path_factory.getbasetemp() / "round_trip")
    ROUND_TRIPS[row.kind](row, path, data)


# ---- the rows themselves


def test_names_are_distinct():
    assert len({row.name for row in FORMATS}) == len({row.target for row in FORMATS}) == len(FORMATS)
    for row in FORMATS:
        assert find_format(row.name) is find_format(row.target) is row
        assert set(row.takes) - {other.name for other in FORMATS} <= {"json", "xml", "binary"}
    with pytest.raises(ValueError, match=r"unknown format 'gif'; known are parentsets, .*, modelstring"):
        find_format("gif")


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.name)
def test_rows_are_whole(row: Format):
    assert row.help and row.called and row.suffixes
    assert row.reader or row.writer
    for place in filter(None, (row.reader, row.writer)):
        assert inspect.getdoc(load(place)), f"{place} needs a docstring"


def test_every_written_exchange_format_is_a_target():
    shown = {
        row.target
        for row in FORMATS
        if row.writer
        and row.kind not in (Kind.FOREST, Kind.ENTROPIES, Kind.TRACE, Kind.ARC_PROBABILITIES, Kind.PROOF)
    }
    assert set(TARGETS) == shown | {"table"}


def test_suffixes_mean_one_target():
    expected = {
        ".sets.jsonl": "parentsets",
        ".net.jsonl": "network",
        ".gv": "dot",
        ".bifxml": "xmlbif",
        ".feather": "feather",
        ".arrow": "feather",
        ".arrows": "arrow",
    }
    expected |= {
        f".{name}": name
        for name in ("jkl", "pss", "bif", "net", "dot", "graphml", "svg", "html", "xmlbif", "xdsl", "uai")
    }
    expected |= {f".{name}": name for name in ("pdf", "png")}
    expected |= {f".{name}": name for name in ("parquet", "tsv")}
    for suffix, target in expected.items():
        assert guess_target(f"X{suffix.upper()}") == target


def test_our_formats_have_a_schema():
    ours = {row.name for row in FORMATS if row.name.startswith("bnsl.")}
    assert ours == {*JSONL_FORMATS, "bnsl.entropy"}


# ---- what `bnsl formats` explains


def test_all_that_is_explained_is_listed():
    for name, spec in JSONL_FORMATS.items():
        listed = {(row["where"], row["key"]) for row in list_keys(name)}
        assert listed >= {("header", key.name) for key in spec.header}
        assert listed >= {("by", "stage"), ("by", "options"), ("variables", "states")}
        assert ("record", "child" if name != "bnsl.proof" else "cluster") in listed
    assert ("treewidth", "elimination") in {(row["where"], row["key"]) for row in list_keys("network")}
    assert dataclasses.asdict(find_format("dot"))["kind"] == "network"
