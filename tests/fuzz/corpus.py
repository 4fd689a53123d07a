"""Sound files of every format: those of the tests, and random tables, lists and networks by our own writers."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from helpers.places import ROOT

from formats import open_table_writer, write_arc_probabilities, write_entropies, write_forest, write_proof
from formats.data_records import Variable
from formats.graph_records import ArcProbabilityTable
from formats.kinds import Kind
from formats.proof_records import ClusterCut, HalfCut, Node, Proof, Step
from formats.records import Header, NetworkRecord, Parameters, ParentSetRecord, ScreeningForest
from formats.registry import formats_of, load_writer
from stages.screening.entropies import compute_entropies

BY_HAND = {
    "names.jkl": "jkl",
    "bare.jkl": "jkl",
    "comments_everywhere.jkl": "jkl",
    "decimal_commas.jkl": "jkl",
    "scores.pss": "pss",
    "plain.bif": "bif",
    "quoted.bif": "bif",
    "graph.dot": "dot",
    "graph.graphml": "graphml",
    "modelstring.txt": "modelstring",
    "adjacency.csv": "adjacency",
    "adjacency_bare.csv": "adjacency",
    "arcs.csv": "arcs",
    "sets.v1.jsonl": "bnsl.parentsets",
    "network.v1.jsonl": "bnsl.network",
    "forest.v1.jsonl": "bnsl.forest",
    "entropies.v1.arrow": "bnsl.entropy",
}
N_RANDOM = 12
"""Random objects that each format is written of."""

N_ROWS = 20

_TETRAD = b"""/knowledge
addtemporal
1* a b
2 c
forbiddirect
c "a b"
requiredgroup
a
b
"""

_LABELS = ("0", "1", "2", "yes", "no", "<=12.25", "a b", "é", "(1,2]", "x,y", 'say "x"', "[0")
_NAMES = ("a", "b", "c", "V0", "type", "a b", "é", "x1", "Chest X-ray", "d")


def make_corpus(folder: Path) -> dict[str, list[bytes]]:
    """Files by the name of their format; `folder` holds what is written on the way."""
    corpus: dict[str, list[bytes]] = {}
    for name, format_name in BY_HAND.items():
        corpus.setdefault(format_name, []).append((ROOT / "tests/data/formats" / name).read_bytes())
    for number in range(N_RANDOM):
        rng = np.random.default_rng(number)
        variables = _plain_variables(int(rng.integers(1, 6))) if number % 2 else _variables(rng)
        for format_name, data in _random_files(rng, variables, folder):
            corpus.setdefault(format_name, []).append(data)
    corpus["tiers"] = [b"a\nb,c\n", b"# first\na b\nc\n", _TETRAD]
    corpus["arcs"] += [b"a,b\nb,c\n", b"a -> b\n", b'["a","b"]\n']
    for format_name in ("csv", "bnsl.parentsets", "bif"):
        corpus[format_name].append(gzip.compress(corpus[format_name][-1], mtime=0))
    return corpus


def sound_files(folder: Path) -> dict[str, bytes]:
    """Files of the same five variables, by the name of their format, for what a command reads besides."""
    return dict(_random_files(np.random.default_rng(0), _plain_variables(5), folder))


def _random_files(rng: np.random.Generator, variables: tuple[Variable, ...], folder: Path):
    parents = [tuple(sorted(rng.choice(i, min(i, 2), replace=False).tolist())) for i in range(len(variables))]
    codes = _codes(rng, variables)
    yield from _tables(variables, codes, folder)
    model = _model(rng, variables, parents)
    header = Header(variables, "bic", 100, "sha256:00", by=({"stage": "parentsets", "options": {"max_parents": 2}},))
    records = [_record(rng, child, len(variables)) for child in range(len(variables))]
    scores = -np.round(rng.uniform(1, 99, len(variables)), 3)
    extra = {"total": float(scores.sum()), "method": "asobs"}
    network = NetworkRecord(Header(variables, "bic", 100, extra=extra), tuple(parents), scores)
    for row in formats_of(Kind.PARENT_SETS, written=True):
        yield from _written(row.name, lambda write: b"".join(write(header, records)))
    for row in formats_of(Kind.PARAMETERS, written=True):
        held = replace(model, variables=_identifiers(variables)) if row.name == "xdsl" else model
        yield from _written(row.name, lambda write, held=held: write(held).encode())
    for row in formats_of(Kind.NETWORK, written=True):
        yield from _written(row.name, lambda write: write(network).encode())
    write = load_writer("network", Kind.NETWORK)
    bare = NetworkRecord(Header(variables), ((),) * len(variables), np.full(len(variables), np.nan))
    yield "networks", "".join(write(each) for each in (network, bare, network)[: rng.integers(1, 4)]).encode()
    strengths = _strengths(rng, header, parents)
    for format_name in ("arc-probabilities", "feather", "parquet", "csv"):
        write_arc_probabilities(str(folder / "p"), strengths, format_name)
        yield "bnsl.arc-probabilities", (folder / "p").read_bytes()
    forest = ScreeningForest(header, {i: p[:1] for i, p in enumerate(parents) if p}, {1: -2.5})
    write_forest(str(folder / "f"), forest)
    yield "bnsl.forest", (folder / "f").read_bytes()
    cuts = (ClusterCut((0,), 1), HalfCut((0,), (0,)))
    nodes = (Node(-1, (), (Step((0, 1), (5, 7)),)), Node(0, (0, 1), ()), Node(0, (1, 0), (), is_solved=True))
    write_proof(
        str(folder / "q"),
        Proof(Header(variables), "0" * 64, 40, -5, None, cuts, nodes[: 3 if len(variables) > 1 else 1]),
    )
    yield "bnsl.proof", (folder / "q").read_bytes()


def _written(name: str, make: Any):
    try:
        yield name, make(load_writer(name.removeprefix("bnsl."), *Kind))
    except (ValueError, Exception) as error:
        if type(error).__module__ != "formats.errors":  # some formats have no words for some names
            raise


def _plain_variables(count: int) -> tuple[Variable, ...]:
    """The first of the same few variables, so that files of different formats fit together."""
    return tuple(Variable(name, ("0", "1", "2")[: 2 + i % 2]) for i, name in enumerate(_NAMES[:count]))


def _variables(rng: np.random.Generator) -> tuple[Variable, ...]:
    names = rng.choice(_NAMES, int(rng.integers(1, 6)), replace=False).tolist()
    return tuple(
        Variable(name, tuple(rng.choice(_LABELS, int(rng.integers(1, 4)), replace=False).tolist())) for name in names
    )


def _identifiers(variables: tuple[Variable, ...]) -> tuple[Variable, ...]:
    """As many variables and states, with names that XDSL holds."""
    return tuple(
        Variable(f"v{i}", tuple(f"s{k}" for k in range(len(v.known_states)))) for i, v in enumerate(variables)
    )


def _codes(rng: np.random.Generator, variables: tuple[Variable, ...]) -> np.ndarray:
    rows = [rng.integers(0, len(v.known_states), N_ROWS) for v in variables]
    return np.ascontiguousarray(rows, dtype=np.uint8)


def _tables(variables: tuple[Variable, ...], codes: np.ndarray, folder: Path):
    from formats.data_records import Dataset

    for row in formats_of(Kind.DATA, written=True):
        with open_table_writer(str(folder / "t"), variables, row.name) as writer:
            writer.write(codes)
        yield row.name, (folder / "t").read_bytes()
    table = compute_entropies(Dataset(variables, codes, "sha256:00"))
    for format_name in ("entropy", "feather", "parquet"):
        write_entropies(str(folder / "t"), table, format_name)
        yield "bnsl.entropy", (folder / "t").read_bytes()


def _strengths(rng: np.random.Generator, header: Header, parents: list[tuple[int, ...]]) -> ArcProbabilityTable:
    pairs = np.array([(p, c) for c, given in enumerate(parents) for p in given], dtype=np.int32).reshape(-1, 2)
    probability = rng.uniform(0, 1, len(pairs))
    either = probability + (1 - probability) * rng.uniform(0, 1, len(pairs))
    features = {"ancestor": (either, 0 * either)} if rng.random() < 0.5 else {}
    return ArcProbabilityTable(header, pairs[:, 0], pairs[:, 1], probability, probability / 100, either, features)


def _record(rng: np.random.Generator, child: int, n_variables: int) -> ParentSetRecord:
    others = [v for v in range(n_variables) if v != child]
    sets = {()} | {
        tuple(sorted(rng.choice(others, min(len(others), int(k)), replace=False).tolist())) for k in (1, 1, 2)
    }
    pairs = sorted(((s, -float(rng.integers(1, 9)) / 2) for s in sets), key=lambda p: (-p[1], len(p[0]), p[0]))
    return ParentSetRecord.of(child, tuple(s for s, _ in pairs), tuple(score for _, score in pairs), evaluated=3)


def _model(rng: np.random.Generator, variables: tuple[Variable, ...], parents: list[tuple[int, ...]]) -> Parameters:
    tables = []
    for variable, given in zip(variables, parents):
        shape = [len(variables[p].known_states) for p in given]
        tables.append(rng.dirichlet(np.ones(len(variable.known_states)), size=shape))
    return Parameters(variables, tuple(parents), tuple(tables), "n")
