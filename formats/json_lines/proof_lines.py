"""Reading and writing proofs as our JSON lines: a header, the cuts, the nodes, a digest of all before it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from ..detection import require_format
from ..errors import Inconsistent, Truncated
from ..kinds import Kind
from ..proof_records import ClusterCut, HalfCut, Node, Proof, Step
from ..schemas import PARTS, PROOF, Key, key_problem
from ..streams import open_output
from ..textlines import Lines, as_lines
from .jsonl import decode_header, load_object
from .jsonl_writer import encode_fields, encode_header

MOST_BITS = 1000


def write_proof(target: str, proof: Proof) -> None:
    """Write a proof."""
    numbers: dict[str, Any] = {"sets": proof.sets, "bits": proof.bits, "bound": proof.bound}
    if proof.max_parents is not None:
        numbers["max_parents"] = proof.max_parents
    extra = numbers | {"cuts": len(proof.cuts), "nodes": len(proof.nodes)}
    lines = [encode_header(PROOF.name, replace(proof.header, extra=extra))]
    for cut in proof.cuts:
        if isinstance(cut, ClusterCut):
            lines.append(encode_fields({"cluster": cut.members, "demand": cut.demand}))
        else:
            lines.append(encode_fields({"half": cut.parts, "lowered": cut.lowered}))
    last: list[Step] = []
    for node in proof.nodes:
        values: dict[str, Any] = {"above": node.above}
        if node.pair:
            values["before"] = node.pair
        present, values["steps"] = _step_above(last, node.above), []
        for step in node.steps:
            values["steps"].append(_changes(present, step))
            present = step
        last.append(present)
        if node.is_solved:
            values["solved"] = True
        lines.append(encode_fields(values))
    content = b"".join(lines)
    with open_output(target) as stream:
        stream.write(content)
        stream.write(encode_fields({"sha256": hashlib.sha256(content).hexdigest()}))


def open_proof(source: str | BinaryIO | Lines) -> Proof:
    """Read a proof; `stages.evaluate.proof_checking` checks what it proves.

    Raises `FormatError`: with file and line; also when a line is missing or changed, or a number refers to a missing
    item.
    """
    with as_lines(source) as lines:
        require_format(lines, (Kind.PROOF,), "a proof")
        digest = hashlib.sha256()

        def next_object() -> dict[str, Any]:
            line = next(lines, None)
            if line is None:
                lines.fail("the proof ends early", kind=Truncated)
            found = load_object(lines, line)
            digest.update(line + b"\n")
            return found

        fields = next_object()
        header = decode_header(lines, fields).header
        n = header.n_variables
        _refuse_unknown(lines, fields, PROOF.header)
        if fields["cuts"] < 0 or fields["nodes"] < 1:
            lines.fail(f"{fields['cuts']} cuts, {fields['nodes']} nodes: expected 0 cuts or more and 1 node or more")
        bits, most = fields["bits"], fields.get("max_parents")
        if not 0 <= bits <= MOST_BITS or (most is not None and most < 0):
            lines.fail(f"bits {bits}, max_parents {most}: expected 0 to {MOST_BITS} bits, and parents from 0")
        cuts: list[ClusterCut | HalfCut] = []
        for _ in range(fields["cuts"]):
            cuts.append(_cut(lines, next_object(), n, len(cuts)))
        nodes: list[Node] = []
        last: list[Step] = []
        for _ in range(fields["nodes"]):
            node, present = _node(lines, next_object(), n, len(cuts), last)
            nodes.append(node)
            last.append(present)
        written = digest.hexdigest()
        ending = next_object()
        _check(lines, ending, ("sha256",))
        if ending.get("sha256") != written:
            lines.fail("the digest disagrees with the lines before it: the proof was changed", kind=Inconsistent)
        if next(lines, None) is not None:
            lines.fail("a line follows the digest, which ends the proof")
        return Proof(
            replace(header, extra={}), fields["sets"], bits, fields["bound"], most, tuple(cuts), tuple(nodes)
        )


def _cut(lines: Lines, fields: dict[str, Any], n_variables: int, n_before: int) -> ClusterCut | HalfCut:
    """A cut; `n_before` cuts come before it."""
    is_cluster = "cluster" in fields
    _check(lines, fields, ("cluster", "demand") if is_cluster else ("half", "lowered"))
    if is_cluster:
        members, demand = _numbers(lines, fields, "cluster", n_variables), fields.get("demand", 0)
        if not 1 <= demand <= len(members):
            lines.fail(f"a cluster of {len(members)} variables with demand {demand}")
        return ClusterCut(members, demand)
    return HalfCut(_numbers(lines, fields, "half", n_before), _numbers(lines, fields, "lowered", n_variables))


def _step_above(last: list[Step], above: int) -> Step:
    """The step relative to which the first step of a node is written; `last` has the last steps of all nodes before
    it.
    """
    return last[above] if above >= 0 else Step((), ())


def _changes(before: Step, step: Step) -> dict[str, Any]:
    """A step as the multipliers that differ from the step before, or as all multipliers if these are fewer."""
    then, now = (dict(zip(s.cuts, s.multipliers)) for s in (before, step))
    changed = {cut: now.get(cut, 0) for cut in sorted(now.keys() | then.keys()) if now.get(cut) != then.get(cut)}
    is_anew = len(now) < len(changed)
    if is_anew:
        changed = now
    # The number of trailing zero bits that all multipliers share.
    shift = min(((m & -m).bit_length() - 1 for m in changed.values() if m), default=0)
    values: dict[str, Any] = {"cuts": list(changed), "multipliers": [m >> shift for m in changed.values()]}
    if shift:
        values["shift"] = shift
    if is_anew:
        values["anew"] = True
    return values


def _node(lines: Lines, fields: dict[str, Any], n_variables: int, n_cuts: int, last: list[Step]) -> tuple[Node, Step]:
    """A node and its last step, or the last step of the node above; `last` has the last steps of earlier nodes."""
    _check(lines, fields, ("above", "before", "steps", "solved"))
    number, above = len(last), fields.get("above")
    pair = _numbers(lines, {"before": [], **fields}, "before", n_variables, ascending=False)
    is_right = len(pair) == 2 * (number > 0)
    if above is None or not (-1 if number == 0 else 0) <= above < max(number, 0) or not is_right:
        lines.fail(
            f"node {number} is neither the first, with all networks, nor of two variables below an earlier one"
        )
    steps, present = [], _step_above(last, above)
    for step in fields.get("steps", []):
        if not isinstance(step, dict) or key_problem(step, PARTS["steps"]) is not None:
            lines.fail("a step is an object with 'cuts' and 'multipliers'")
        _refuse_unknown(lines, step, PARTS["steps"])
        cuts, multipliers, shift = _numbers(lines, step, "cuts", n_cuts), step["multipliers"], step.get("shift", 0)
        if len(multipliers) != len(cuts) or not all(type(m) is int and m >= 0 for m in multipliers):
            lines.fail("a step needs one whole number, not negative, for each of its cuts")
        if not 0 <= shift <= MOST_BITS:
            lines.fail(f"shift {shift}: expected 0 to {MOST_BITS}")
        changed = {cut: m << shift for cut, m in zip(cuts, multipliers)}
        now = changed if step.get("anew") else dict(zip(present.cuts, present.multipliers)) | changed
        used = sorted(cut for cut, multiplier in now.items() if multiplier)
        present = Step(tuple(used), tuple(now[cut] for cut in used))
        steps.append(present)
    return Node(above, pair, tuple(steps), fields.get("solved", False)), present


def _check(lines: Lines, fields: dict[str, Any], names: Sequence[str]) -> None:
    """Refuse a line with other keys than these, or values of other types."""
    keys = tuple(key for key in PROOF.record if key.name in names)
    if problem := key_problem(fields, keys):
        lines.fail(problem)
    _refuse_unknown(lines, fields, keys)


def _refuse_unknown(lines: Lines, fields: dict[str, Any], keys: Sequence[Key]) -> None:
    """Refuse unknown keys: an unknown key could limit the claim."""
    if unknown := sorted(fields.keys() - {key.name for key in keys}):
        lines.fail(f"unknown key {unknown[0]!r}: a proof has no others than 'bnsl formats bnsl.proof' lists")


def _numbers(lines: Lines, fields: dict[str, Any], key: str, most: int, ascending: bool = True) -> tuple[int, ...]:
    """Different whole numbers from 0 below `most`."""
    values = fields.get(key)
    if values is None:
        lines.fail(f"no key {key!r}: expected a cut, a node, or the digest")
    if not all(type(value) is int and 0 <= value < most for value in values) or len(set(values)) < len(values):
        lines.fail(f"key {key!r}: expected different whole numbers from 0, below {most}")
    if ascending and list(values) != sorted(values):
        lines.fail(f"key {key!r}: the numbers must ascend")
    return tuple(values)
