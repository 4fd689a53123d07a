"""The three JSON-lines formats of bnsl: candidate parent sets, networks, screening forests.

Line 1 is a header, each further line holds one variable; the grammar is the same for all three. This module
reads and checks lines, `jsonl_writer` makes them; users call `parent_sets`, `networks` and `forests`. Reading goes
line by line over bytes, for lines may be long and streams slow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent, Truncated, UnknownVersion
from ..graphs.network_claims import check_while_reading
from ..records import Header
from ..schemas import FOREST, JSONL_FORMATS, NETWORK, PARENT_SETS, VARIABLE_KEYS, describe_type, key_problem
from ..sets.list_claims import check_block, foreign_claims
from ..sets.setblocks import BlockChecker, SetBlock
from ..textlines import EMPTY_REMEDY, Lines
from ..wording import plural

_HEADER_FIELDS = {"format", "version", "score", "rows", "variables", "data", "ess", "by", "created"}
_RECORD_FIELDS = {
    "child",
    "parents",
    "scores",
    "evaluated",
    "fixed",
    "complete",
    "unlisted",
    "left_out",
    "required",
}
_SHARD_FIELDS = {"shard", "records"}
_MUST_AGREE = ("format", "variables", "score", "ess", "rows", "data", "records", "keep_mass")


def load_object(lines: Lines, line: bytes) -> dict[str, Any]:
    """The JSON object in the line returned last by `lines`."""
    import orjson

    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        for literal in (b"NaN", b"Infinity"):
            if literal in line:
                lines.fail(f"{literal.decode()} is no JSON number; scores must be finite")
        if not lines.terminated:
            lines.fail("the stream ends inside a line", kind=Truncated)
        # orjson's message may quote the line, which can be long, and ends in the position
        lines.fail(f"not valid JSON ({error.msg.split(':')[0][:80]}, column {error.colno})")
    if not isinstance(value, dict):
        lines.fail(f"expected a JSON object, got {describe_type(value)}")
    return value


@dataclasses.dataclass(frozen=True)
class JsonlHeader:
    """A decoded header line: which format, the record for our own use, how many records must follow."""

    format: str
    header: Header
    n_records: int
    fields: dict[str, Any]


def read_variables(lines: Lines, items: list[Any]) -> tuple[Variable, ...]:
    """The variables of a header, each with a name of its own and different states."""
    variables: list[Variable] = []
    seen: dict[str, int] = {}
    for index, item in enumerate(items):
        where = f"variable {index} of the header"
        if not isinstance(item, dict):
            lines.fail(f"{where} must be an object with a name, not {describe_type(item)}")
        problem = key_problem(item, VARIABLE_KEYS)
        if problem:
            lines.fail(f"{where}: {problem}")
        name, states = item["name"], item.get("states")
        if not name:
            lines.fail(f"{where} has no name")
        if seen.setdefault(name, index) != index:
            lines.fail(f"variables {seen[name]} and {index} of the header have the same name {name!r}")
        if states is not None:
            if not states or not all(isinstance(state, str) for state in states):
                lines.fail(f"{where} ({name!r}): states must be a list of strings, at least one")
            if len(set(states)) < len(states):
                lines.fail(f"{where} ({name!r}): two states have the same label")
        variables.append(Variable(name, None if states is None else tuple(states)))
    if not variables:
        lines.fail("the header declares no variables")
    return tuple(variables)


def decode_header(lines: Lines, fields: dict[str, Any]) -> JsonlHeader:
    """Check a header object (the line returned last by `lines`) against the schema."""
    if "format" not in fields:
        lines.fail(
            "the first line is not a header (no key 'format')",
            remedy="a file of parent sets begins with its header line; was it cut off?",
        )
    name = fields["format"]
    if not isinstance(name, str) or name not in JSONL_FORMATS:
        lines.fail(f"unknown format {name!r}; known are {', '.join(JSONL_FORMATS)}")
    spec = JSONL_FORMATS[name]
    version = fields.get("version")
    if version != spec.version or isinstance(version, bool):
        lines.fail(
            f"version {version} of {name}; this release reads version {spec.version}",
            kind=UnknownVersion,
            remedy="use a newer release of bnsl",
        )
    problem = key_problem(fields, spec.header)
    if problem:
        lines.fail(f"header: {problem}")
    if not all(isinstance(entry, dict) for entry in fields.get("by", ())):
        lines.fail("header: key 'by' must be a list of objects")
    if (fields.get("rows") or 0) < 0:
        lines.fail(f"header: {fields['rows']} rows")
    variables = read_variables(lines, fields["variables"])
    n_records = fields["records"] if name == FOREST.name else len(variables)
    if not 0 <= n_records <= len(variables):
        lines.fail(
            f"the header announces {plural(n_records, 'record')} for {plural(len(variables), 'variable')}"
        )
    known = _HEADER_FIELDS | _SHARD_FIELDS
    header = Header(
        variables,
        fields.get("score", "unknown"),
        fields.get("rows"),
        fields.get("data"),
        fields.get("ess"),
        tuple(fields.get("by", ())),
        fields.get("created"),
        {key: value for key, value in fields.items() if key not in known},
    )
    return JsonlHeader(name, header, n_records, fields)


def read_header(lines: Lines) -> JsonlHeader:
    """Read the header line.

    Raises
    ------
    Malformed, Truncated, UnknownVersion
        There is none, it is cut, or of an unknown format or version.
    """
    for line in lines:
        if line.strip():
            break
    else:
        lines.fail("the input is empty", remedy=EMPTY_REMEDY)
    try:
        fields = load_object(lines, line)
    except Truncated:
        lines.fail("the stream ends inside its header", kind=Truncated, remedy=EMPTY_REMEDY)
    return decode_header(lines, fields)


def disagreement(first: JsonlHeader, further: JsonlHeader) -> str | None:
    """In what two headers differ that must agree when files are concatenated; None if in nothing."""
    for name in _MUST_AGREE:
        if name == "records" and first.format != FOREST.name:
            continue  # shards of one run differ in it
        ours, theirs = first.fields.get(name), further.fields.get(name)
        if name == "variables":
            ours, theirs = first.header.variables, further.header.variables
        if ours != theirs:
            if name == "variables":
                name, ours, theirs = _differing_variable(ours, theirs)
            return f"{name!r}: {theirs!r}, before {ours!r}"
    return None


def require_agreement(lines: Lines, first: JsonlHeader, further: JsonlHeader) -> None:
    """A concatenated file: its header must say the same as the first one."""
    difference = disagreement(first, further)
    if difference:
        lines.fail(
            f"a further header disagrees with the first in {difference}",
            kind=Inconsistent,
            remedy="only files made from the same data with the same score can be concatenated",
        )


def _differing_variable(ours, theirs) -> tuple[str, Any, Any]:
    if len(ours) != len(theirs):
        return "number of variables", len(ours), len(theirs)
    index = next(i for i, pair in enumerate(zip(ours, theirs)) if pair[0] != pair[1])
    mine, other = ours[index], theirs[index]
    part = "name" if mine.name != other.name else "states"
    return f"variables[{index}].{part}", getattr(mine, part), getattr(other, part)


def _decode_scores(lines: Lines, scores: list[Any], unknown_scores: bool) -> np.ndarray:
    odd = set(map(type, scores)) - {float, int}
    if unknown_scores:
        odd.discard(type(None))
    if odd:
        index = next(i for i, value in enumerate(scores) if type(value) in odd)
        lines.fail(f"score {index + 1} is {describe_type(scores[index])}, not a number")
    return np.array(scores, dtype=np.float64)


def decode_record(lines: Lines, fields: dict[str, Any], unknown_scores: bool = False) -> SetBlock:
    """One record object as arrays; types are checked here, meaning by `BlockChecker`."""
    problem = key_problem(fields, PARENT_SETS.record)
    if problem:
        lines.fail(problem)
    sets = fields["parents"]
    if set(map(type, sets)) - {list}:
        index = next(i for i, value in enumerate(sets) if type(value) is not list)
        lines.fail(f"parent set {index + 1} is {describe_type(sets[index])}, not a list of indices")
    flat = list(chain.from_iterable(sets))
    if set(map(type, flat)) - {int}:
        value = next(value for value in flat if type(value) is not int)
        lines.fail(f"parent index {value!r} is {describe_type(value)}, not an integer")
    try:
        parents = np.array(flat, dtype=np.int64)
    except OverflowError:
        lines.fail(f"parent index {max(flat, key=abs)} is out of range")
    unlisted, left_out = fields.get("unlisted"), fields.get("left_out")
    if left_out is not None and left_out < 0:
        lines.fail(f"key 'left_out' is {left_out}, less than nothing", kind=Inconsistent)
    return SetBlock(
        fields["child"],
        np.fromiter(map(len, sets), dtype=np.int64, count=len(sets)),
        parents,
        _decode_scores(lines, fields["scores"], unknown_scores),
        fields.get("evaluated"),
        fields.get("fixed", False),
        fields.get("complete", False),
        None if unlisted is None else float(unlisted),
        {key: value for key, value in fields.items() if key not in _RECORD_FIELDS} if len(fields) > 3 else {},
        _decode_required(lines, fields.get("required", [])),
        None if left_out is None else float(left_out),
    )


def _decode_required(lines: Lines, required: list[Any]) -> tuple[int, ...]:
    if not all(type(parent) is int for parent in required):
        lines.fail("key 'required' must be a list of indices")
    return tuple(required)


def read_blocks(
    lines: Lines, head: JsonlHeader, *, partial: bool = False, unknown_scores: bool = False
) -> Iterator[SetBlock]:
    """Yield the checked records that follow the header, in the order of the file, each child once.

    Parameters
    ----------
    lines : Lines
        Stands behind the header.
    head : JsonlHeader
    partial : bool
        Accept a stream that ends early.
    unknown_scores : bool
        Read null scores as NaN.

    Raises
    ------
    FormatError
        With file and line: see the contract of the format; `Truncated` when records are missing at the end.
    """
    checker = BlockChecker(
        head.header.names,
        single_choice=head.format != PARENT_SETS.name,
        unknown_scores=unknown_scores,
    )

    def fail(message: str):
        lines.fail(message, kind=Inconsistent)

    seen: dict[int, tuple[bytes, int]] = {}
    torn = None
    last = head.header
    while True:
        try:
            line = next(lines, None)
            if line is None:
                break
            if not line.strip():
                continue
            fields = load_object(lines, line)
        except Truncated as error:
            torn = error.message
            break
        if "format" in fields:
            further = decode_header(lines, fields)
            require_agreement(lines, head, further)
            last = further.header
            continue
        block = checker.check(decode_record(lines, fields, unknown_scores), fail)
        check_block(block, last, fail)
        first_digest, first_line = seen.setdefault(block.child, (block.digest(), lines.number))
        if first_line == lines.number:
            if last.limits != head.header.limits:
                # What it says of sets not listed goes by other limits than those of the first header.
                block.complete, block.unlisted, block.left_out = False, None, None
            yield block
        elif first_digest != block.digest():
            name = head.header.names[block.child]
            fail(f"variable {name!r} comes twice with different content (first in line {first_line})")
    _require_whole(lines, head, len(seen), torn, partial)


def _require_whole(lines: Lines, head: JsonlHeader, n_seen: int, torn: str | None, partial: bool) -> None:
    if n_seen > head.n_records:
        message = f"{n_seen} records but the header announces {head.n_records}"
        raise Inconsistent(message, source=lines.source)
    if partial or (n_seen == head.n_records and torn is None):
        return
    raise Truncated(
        f"{torn or 'the stream ends early'}: {n_seen} of {head.n_records} variables arrived",
        source=lines.source,
        line=lines.number or None,
        remedy="run the command that made it again, or use --partial to go on with what arrived",
    )


def read_parent_sets(
    lines: Lines, *, partial: bool = False, warn: Callable[[str], None] | None = None
) -> tuple[Header, Iterator[SetBlock]]:
    """Read a parent-set file, or a network file as one; `warn` is told of header keys that speak of a network."""
    head = read_header(lines)
    blocks = read_blocks(lines, head, partial=partial)
    if head.format == NETWORK.name:
        blocks = check_while_reading(lines, head.header, blocks)
    elif warn is not None and (warning := foreign_claims(head.header)) is not None:
        warn(f"{lines.source}: {warning}")
    return head.header, blocks
