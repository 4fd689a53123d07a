"""Both checkers say the same of a proof, its lists and its network, with any one field changed."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import io
import json
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from helpers.cases.proofs import local_table, proof_of
from hypothesis import settings
from naive.optimize.networks_search import random_table

from bnsl.files.network_inputs import read_networks
from bnsl.functions.evaluate import gap_to_proof, open_checked_proof
from formats import write_network, write_parent_sets, write_proof
from formats.errors import FormatError

from .test_proof_files import CHECKER, sealed

PER_EXAMPLE = 40
"""Changes for each example of the profile: 1,000 by default, 20,000 in `make test-long`."""

NAMES = ("s.jsonl", "p.jsonl", "n.jsonl")

VALUES = (-1, 0, 1, 2, 3, 0.5, -2.5, True, False, None, float("nan"), 1 << 61, 1 << 62, 1 << 64, 1e300, 1e-300)
ODD = ("", "x", "V0", [], [0], [[]], [1, 0], [0, 0], [-1], [0.0], [True], {}, {"name": "V0"}, "0" * 64)

NOT_READ = re.compile(
    r"set header (?!format|version|variables).*|network header (?!format|version|variables|total|bound$|gap).*"
    r"|(set|network) record (?!child|parents|scores).*|proof header (score|ess|rows|data|by|created).*"
    r"|\w+ header variables \* (?!name).*"
)
"""Kinds of places that the plain checker does not read: how lists and network came about, and what else is claimed.

A claim about treewidth or directions is not what a proof is about. In a proof they are names and times: of the score,
the data, the commands.
"""


def verdict_of_ours(folder: Path) -> tuple[float, float] | None:
    """Bound and score by `bnsl evaluate --proof`; None if it refuses."""
    sets, proof, network = (str(folder / name) for name in NAMES)
    try:
        found = [n.record for n in read_networks(network)]
        checked = open_checked_proof(proof, sets)
        gaps = [gap_to_proof(network, structure, *checked) for structure in found]
    except FormatError:
        return None
    return gaps[0]["proof_bound"], gaps[0]["proof_total"]


def verdict_of_plain(plain, folder: Path) -> tuple[float, float] | None:
    """The same by the checker of the examples."""
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            plain.main(*(str(folder / name) for name in NAMES))
    except SystemExit as end:
        assert str(end.code).startswith("not proved: ")
        return None
    bound, score = re.findall(r"scores (?:more than )?(-?[\d.]+)", output.getvalue())
    return float(bound), float(score)


def places_of(value, kind: str):
    """Every place below a value: its kind, the container, and the key."""
    if isinstance(value, dict):
        for key in value:
            yield f"{kind} {key}", value, key
            yield from places_of(value[key], f"{kind} {key}")
        yield f"{kind} other", value, None
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield f"{kind} *", value, index
            yield from places_of(item, f"{kind} *")


def changed_value(rng: Random, old):
    """Another value, often of the same type."""
    if type(old) in (int, float) and rng.random() < 0.5:
        return rng.choice((old + 1, old - 1, -old, 2 * old, old + 0.5, old * (1 << 16)))
    if isinstance(old, list) and rng.random() < 0.6:
        items = copy.deepcopy(old)
        if items and rng.random() < 0.7:
            which = rng.randrange(len(items))
            rng.choice((items.pop, lambda k: items.append(items[k]), lambda _: items.reverse()))(which)
        else:
            items.append(rng.choice((0, 1, 2, "x")))
        return items
    if isinstance(old, str) and rng.random() < 0.5:
        return old[::-1] + "1"
    return rng.choice(VALUES + ODD)


class Mutant:
    """The files of a proof, with one place at a time changed."""

    def __init__(self, folder: Path):
        self.whole = {name: (folder / name).read_bytes().splitlines(keepends=True) for name in NAMES}
        self.folder = folder

    def restore(self) -> None:
        for name, lines in self.whole.items():
            (self.folder / name).write_bytes(b"".join(lines))

    def change(self, rng: Random) -> str:
        """Change a place of one file, chosen by its kind; the kind."""
        name = rng.choice(("s.jsonl", "p.jsonl", "p.jsonl", "n.jsonl", "n.jsonl"))
        lines = [json.loads(line) for line in self.whole[name]]
        what = {"s": "set", "p": "proof", "n": "network"}[name[0]]
        if rng.random() < 0.05:
            kind, row = f"{what} line", rng.randrange(len(lines))
            if rng.random() < 0.5 or name == "s.jsonl":  # lists may have a line twice
                del lines[row]
            else:
                lines.insert(row, lines[row])
        else:
            by_kind: dict[str, list] = {}
            for row, line in enumerate(lines[: len(lines) - (name == "p.jsonl")]):
                where = "header" if row == 0 else "record" if "child" in line else "line"
                for kind, holder, key in places_of(line, f"{what} {where}"):
                    by_kind.setdefault(kind, []).append((holder, key))
            kind = rng.choice(sorted(by_kind))
            holder, key = rng.choice(by_kind[kind])
            if key is None:
                holder["other"] = rng.choice(VALUES)
            elif rng.random() < 0.1:
                del holder[key]
            else:
                holder[key] = changed_value(rng, holder[key])
        content = [json.dumps(line).encode() + b"\n" for line in lines]
        is_resealed = name == "p.jsonl" and kind != "proof line"
        (self.folder / name).write_bytes(sealed(content[:-1]) if is_resealed else b"".join(content))
        return kind


def load_plain():
    """The checker of the examples as a module."""
    spec = importlib.util.spec_from_file_location("plain_checker", CHECKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def plain():
    return load_plain()


def tables_and_options():
    yield local_table(5, 9, 3, 4), {}
    yield random_table(3, 6, max_parents=3), {}
    yield random_table(4, 6, max_parents=3), {"method": "ils", "treewidth": 2}


@pytest.mark.slow
def test_the_checkers_agree_on_every_change(plain, tmp_path, few_cuts, record_property):
    counts = verdicts_on_changes(plain, tmp_path, tables_and_options())
    for name, count in sorted(counts.items()):
        record_property(name, count)


def verdicts_on_changes(plain, tmp_path, tables) -> Counter[str]:
    """How often both checkers refuse or accept one changed place of the proofs of some lists, with options.

    What only one of them reads leaves the plain verdict as it was; ours may refuse it.
    """
    n_each = max(PER_EXAMPLE * settings().max_examples // 3, 20)
    counts: Counter[str] = Counter()
    for number, (table, options) in enumerate(tables):
        proof, network = proof_of(table, **options)
        write_parent_sets(str(tmp_path / NAMES[0]), table.header, table.records())
        write_proof(str(tmp_path / NAMES[1]), proof)
        write_network(str(tmp_path / NAMES[2]), network)
        mutant, rng = Mutant(tmp_path), Random(number)
        truth = verdict_of_ours(tmp_path)
        assert truth is not None and verdict_of_plain(plain, tmp_path) == pytest.approx(truth, abs=1e-6)
        for _ in range(n_each):
            mutant.restore()
            kind = mutant.change(rng)
            ours, theirs = verdict_of_ours(tmp_path), verdict_of_plain(plain, tmp_path)
            what = kind.split()[0]
            if NOT_READ.fullmatch(kind):
                assert ours in (None, truth), kind
                assert (ours is None and theirs is None) or theirs == pytest.approx(truth, abs=1e-6), kind
                counts[f"{what}: not read, {'refused by ours' if ours is None else 'accepted'}"] += 1
                continue
            assert (ours is None) == (theirs is None), (kind, ours, theirs)
            if ours is not None:
                assert theirs == pytest.approx(ours, abs=1e-6), kind
            counts[f"{what}: {'refused' if ours is None else 'accepted'} by both"] += 1
    assert counts["proof: refused by both"] > counts["proof: accepted by both"] > 0
    return counts
