"""Proofs in files: both checkers, and what becomes of changed ones."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.cases.proofs import local_table, proof_of
from helpers.places import ROOT
from helpers.processes import run_forked, script_server
from naive.optimize.networks_search import make_table

from formats import open_parent_sets, open_proof, write_network, write_parent_sets, write_proof
from formats.data_records import Variable
from formats.errors import FormatError, Inconsistent
from formats.records import Header
from stages.evaluate.proof_checking import check_proof

CHECKER = ROOT / "examples" / "proof" / "check.py"


def plain_check(*files) -> subprocess.CompletedProcess:
    """The checker of the examples, in a process that has none of our modules loaded."""
    words = [str(word) for word in (CHECKER, *files)]
    result = run_forked(words, b"", str(Path.cwd()), {"PATH": os.environ["PATH"]}, server=script_server())
    result.stdout, result.stderr = result.stdout.decode(), result.stderr.decode()
    return result


def sealed(lines: list[bytes]) -> bytes:
    """Lines of a proof with the right digest behind them."""
    content = b"".join(lines)
    return content + json.dumps({"sha256": hashlib.sha256(content).hexdigest()}).encode() + b"\n"


@pytest.fixture
def files(tmp_path, few_cuts):
    """Lists, a proof with branches, its network."""
    table = local_table(5)
    proof, network = proof_of(table)
    assert len(proof.nodes) > 2
    sets, target, net = (str(tmp_path / name) for name in ("s.jsonl", "p.jsonl", "n.jsonl"))
    write_parent_sets(sets, table.header, table.records())
    write_proof(target, proof)
    write_network(net, network)
    return sets, target, net


def test_written_proofs_are_read_and_checked_by_both_checkers(files):
    sets, target, net = files
    proof, table = open_proof(target), open_parent_sets(sets)
    check_proof(proof, table)
    plain = plain_check(sets, target, net)
    assert plain.returncode == 0 and plain.stdout.startswith("proved: no network of these lists scores more than")


def test_the_plain_checker_names_the_order_of_its_files(files):
    sets, proof, network = files
    plain = plain_check(proof, sets, network)
    assert plain.returncode != 0 and "SETS is first" in plain.stderr and "Traceback" not in plain.stderr


@pytest.mark.slow
def test_changed_proofs_are_refused(files, tmp_path):
    """A changed byte or a missing line by the digest; with a new digest the claim must still be true."""
    sets, target, net = files
    table = open_parent_sets(sets)
    lines = Path(target).read_bytes().splitlines(keepends=True)
    truth = open_proof(target).bound_in_nats
    rng = np.random.default_rng(1)
    changed = tmp_path / "changed.jsonl"
    n_refused = n_true = 0
    for trial in range(60):
        mutated = lines[:-1]
        row = int(rng.integers(len(mutated)))
        if trial % 3 == 0:
            del mutated[row]
        else:
            digits = [k for k, byte in enumerate(mutated[row]) if 48 <= byte <= 57]
            place = digits[rng.integers(len(digits))]
            other = (mutated[row][place] - 48 + int(rng.integers(1, 10))) % 10 + 48
            mutated[row] = mutated[row][:place] + bytes([other]) + mutated[row][place + 1 :]
        changed.write_bytes(b"".join([*mutated, lines[-1]]))
        with pytest.raises(FormatError):
            open_proof(str(changed))
        changed.write_bytes(sealed(mutated))
        try:
            proof = open_proof(str(changed))
            check_proof(proof, table)
        except FormatError:
            n_refused += 1
        else:
            n_true += 1
            assert proof.bound_in_nats >= truth - 1e-6
        if trial < 8:
            plain = plain_check(sets, changed, net)
            assert plain.returncode != 0 or float(plain.stdout.split(" than ")[1].split()[0]) >= truth - 1e-5
    assert n_refused > 20


@pytest.mark.slow
def test_steps_are_changes_of_the_step_before(files, tmp_path):
    """Both checkers take a change for what it is: without `anew`, or with another `shift`, the proof is another."""
    sets, target, net = files
    table, truth = open_parent_sets(sets), open_proof(target)
    lines = [json.loads(line) for line in Path(target).read_bytes().splitlines()[:-1]]
    first = 1 + lines[0]["cuts"]
    written = [step for node in lines[first:] for step in node["steps"]]
    n_full = sum(len(step.cuts) for node in truth.nodes for step in node.steps)
    assert sum(len(step["cuts"]) for step in written) < n_full
    assert any("anew" in step for step in written) and any("shift" in step for step in written)
    changed = tmp_path / "changed.jsonl"
    for step in written:
        kept = dict(step)
        for key, value in (("anew", not step.get("anew", False)), ("shift", step.get("shift", 0) + 1)):
            step[key] = value
            changed.write_bytes(sealed([json.dumps(line).encode() + b"\n" for line in lines]))
            proof = open_proof(str(changed))
            plain = plain_check(sets, changed, net)
            try:
                check_proof(proof, table)
            except Inconsistent:
                assert plain.returncode != 0
            else:
                assert plain.returncode == 0
            step.clear()
            step.update(kept)


LISTS = ("a", "b"), {0: {(1,): -1.0, (): -3.0}, 1: {(0,): -2.0, (): -3.0}}


def small_files(folder: Path, header=None, parents=((1,), ()), names=("a", "b")) -> tuple[str, str, str]:
    """Lists of two variables, each the better with the other; their proof, and a network; `header` of the proof."""
    named, tables = LISTS
    table = make_table(tables, header=Header(tuple(map(Variable, named))))
    sets, target, net = (str(folder / name) for name in ("s.jsonl", "p.jsonl", "n.jsonl"))
    write_parent_sets(sets, table.header, table.records())
    proof, _ = proof_of(table, method="ils")
    write_proof(target, proof)
    lines = [json.loads(line) for line in Path(target).read_bytes().splitlines()[:-1]]
    lines[0] |= header or {}
    Path(target).write_bytes(sealed([json.dumps(line).encode() + b"\n" for line in lines]))
    head = {"format": "bnsl.network", "version": 1, "variables": [{"name": name} for name in names]}
    records = [{"child": v, "parents": [own], "scores": [None]} for v, own in enumerate(parents)]
    Path(net).write_text("".join(json.dumps(line) + "\n" for line in [head, *records]))
    return sets, target, net


@pytest.mark.parametrize("most", [-1, 0.5, True, float("nan"), "1", 0])
def test_a_limit_that_is_no_count_or_is_exceeded_is_refused(tmp_path, most):
    plain = plain_check(*small_files(tmp_path, {"max_parents": most}))
    assert plain.returncode != 0 and plain.stderr.startswith("not proved: ")


def test_a_cycle_is_refused(tmp_path):
    plain = plain_check(*small_files(tmp_path, parents=((1,), (0,))))
    assert plain.returncode != 0 and "the arcs form a cycle" in plain.stderr


def test_variables_go_by_name(tmp_path):
    assert "scores -4.0" in plain_check(*small_files(tmp_path)).stdout
    swapped = plain_check(*small_files(tmp_path, names=("b", "a")))
    assert "scores -5.0" in swapped.stdout and "gap 1," in swapped.stdout
    assert plain_check(*small_files(tmp_path, names=("b", "c"))).returncode != 0


@pytest.mark.parametrize("change", [{"other": 1}, {"nodes": 0}, {"cuts": -1}])
def test_what_is_no_part_of_the_claim_is_refused(tmp_path, change):
    sets, target, net = small_files(tmp_path, change)
    with pytest.raises(FormatError):
        open_proof(target)
    assert plain_check(sets, target, net).returncode != 0


def test_nothing_follows_the_digest(tmp_path):
    sets, target, net = small_files(tmp_path)
    with open(target, "ab") as stream:
        stream.write(Path(target).read_bytes().splitlines(keepends=True)[-1])
    with pytest.raises(FormatError, match="follows the digest"):
        open_proof(target)
    assert plain_check(sets, target, net).returncode != 0
