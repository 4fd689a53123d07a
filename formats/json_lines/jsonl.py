"""Reading the JSON-lines formats of bnsl: candidate parent sets, networks, screening forests.

The first line is a header, each further line holds the record of one variable, in all three formats. Reading goes
line by line over bytes, because lines may be long and streams slow. `jsonl_writer` makes the lines.
"""

# Imported where needed, since loading takes time: orjson
from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Collection, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent, Truncated, UnknownVersion
from ..graphs.network_claims import check_while_reading
from ..records import Header, ParentSetRecord
from ..schemas import FOREST, JSONL_FORMATS, NETWORK, PARENT_SETS, VARIABLE_KEYS, describe_type, key_problem
from ..sets.listed_sets import ListedSets
from ..sets.record_checks import RecordChecker, check_facts, content_digest, foreign_claims
from ..textlines import EMPTY_REMEDY, Lines
from ..wording import Warn, listed, plural
from .jsonl_writer import FACTS

_HEADER_FIELDS = {"format", "version", "shard", "records", *(f.name for f in dataclasses.fields(Header))} - {"extra"}
_RECORD_FIELDS = {"child", "parents", "scores", *(fact.name for fact in FACTS)}
PROBABILITIES = "probabilities"
"""Key of the records of a network with parameters."""

_TEXT_OR_LITERAL = re.compile(rb'"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)')
"""A text, or a number that JSON does not have."""

_MUST_AGREE = ("format", "variables", "score", "ess", "rows", "data", "records", "keep_mass", "arc_prior")


def load_object(lines: Lines, line: bytes) -> dict[str, Any]:
    """The JSON object in the line returned last by `lines`."""
    import orjson

    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        if literal := _no_number(line):
            lines.fail(f"{literal} is no JSON number; scores must be finite")
        if not lines.terminated:
            lines.fail("the stream ends inside a line", kind=Truncated)
        # The message of orjson may quote the line, which can be long.
        lines.fail(f"not valid JSON ({error.msg.split(':')[0][:80]}, column {error.colno})")
    if not isinstance(value, dict):
        lines.fail(f"expected a JSON object, got {describe_type(value)}")
    return value


def _no_number(line: bytes) -> str:
    """NaN or Infinity if numbers in their place would make the line valid JSON; empty if something else is wrong."""
    import orjson

    found: list[bytes] = []

    def replaced(match: re.Match[bytes]) -> bytes:
        if match[0].startswith(b'"'):
            return match[0]
        found.append(match[0])
        return b"0"

    corrected = _TEXT_OR_LITERAL.sub(replaced, line)
    if found:
        with contextlib.suppress(orjson.JSONDecodeError):
            orjson.loads(corrected)
            return found[0].removeprefix(b"-").decode()
    return ""


@dataclasses.dataclass(frozen=True)
class JsonlHeader:
    """A decoded header line: its format, the header, the number of records to follow, and all its keys."""

    format: str
    header: Header
    n_records: int
    fields: dict[str, Any]


def _read_variables(lines: Lines, items: list[Any]) -> tuple[Variable, ...]:
    """The variables of a header, checked for distinct names and states."""
    variables: list[Variable] = []
    seen: dict[str, int] = {}
    for index, item in enumerate(items):
        where = f"variable {index} of the header"
        if not isinstance(item, dict):
            lines.fail(f"{where} must be an object with a name, not {describe_type(item)}")
        if problem := key_problem(item, VARIABLE_KEYS):
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
    """Check a header object (the line returned last by `lines`) against the schema of its format."""
    if "format" not in fields:
        lines.fail(
            "the first line is not a header (no key 'format')",
            remedy="a file of parent sets begins with its header line; was it cut off?",
        )
    name = fields["format"]
    if not isinstance(name, str) or name not in JSONL_FORMATS:
        lines.fail(f"unknown format {name!r}; known are {', '.join(JSONL_FORMATS)}")
    spec, version = JSONL_FORMATS[name], fields.get("version")
    if version != spec.version or isinstance(version, bool):
        message = f"version {version} of {name}; this release reads version {spec.version}"
        is_older = isinstance(version, int) and version < spec.version
        remedy = "make the file anew with this release" if is_older else "use a newer release of bnsl"
        lines.fail(message, kind=UnknownVersion, remedy=remedy)
    if problem := key_problem(fields, spec.header):
        lines.fail(f"header: {problem}")
    if not all(isinstance(entry, dict) for entry in fields.get("by", ())):
        lines.fail("header: key 'by' must be a list of objects")
    if (fields.get("rows") or 0) < 0:
        lines.fail(f"header: {fields['rows']} rows")
    variables = _read_variables(lines, fields["variables"])
    n_records = fields["records"] if name == FOREST.name else len(variables)
    if not 0 <= n_records <= len(variables):
        announced = f"{plural(n_records, 'record')} for {plural(len(variables), 'variable')}"
        lines.fail(f"the header announces {announced}")
    header = Header(
        variables,
        fields.get("score", "unknown"),
        fields.get("rows"),
        fields.get("data"),
        fields.get("ess"),
        tuple(fields.get("by", ())),
        fields.get("created"),
        {key: value for key, value in fields.items() if key not in _HEADER_FIELDS},
    )
    return JsonlHeader(name, header, n_records, fields)


def read_header(lines: Lines) -> JsonlHeader:
    """Read the header line.

    Raises `Malformed`, `Truncated`, `UnknownVersion`: it is missing, cut, or of an unknown format or version.
    """
    line = next((line for line in lines if line.strip()), None)
    if line is None:
        lines.fail("the input is empty", remedy=EMPTY_REMEDY)
    try:
        fields = load_object(lines, line)
    except Truncated:
        lines.fail("the stream ends inside its header", kind=Truncated, remedy=EMPTY_REMEDY)
    return decode_header(lines, fields)


def disagreement(first: JsonlHeader, further: JsonlHeader) -> str | None:
    """The first difference between headers that must agree when files are concatenated; None if there is none."""
    for name in _MUST_AGREE:
        if name == "records" and first.format != FOREST.name:
            continue  # shards of one run differ in this key
        ours, theirs = first.fields.get(name), further.fields.get(name)
        if name == "variables":
            name, ours, theirs = _differing_variable(first.header.variables, further.header.variables)
        if ours != theirs:
            return f"{name!r}: {theirs!r}, before {ours!r}"
    return None


def _differing_variable(ours: tuple[Variable, ...], theirs: tuple[Variable, ...]) -> tuple[str, Any, Any]:
    if len(ours) != len(theirs):
        return "number of variables", len(ours), len(theirs)
    for index, (mine, other) in enumerate(zip(ours, theirs)):
        if mine != other:
            part = "name" if mine.name != other.name else "states"
            return f"variables[{index}].{part}", getattr(mine, part), getattr(other, part)
    return "variables", None, None


def require_agreement(lines: Lines, first: JsonlHeader, further: JsonlHeader) -> None:
    """Refuse a further header of a concatenated file that disagrees with the first one."""
    if difference := disagreement(first, further):
        lines.fail(
            f"a further header disagrees with the first in {difference}",
            kind=Inconsistent,
            remedy="only files made from the same data with the same score can be concatenated",
        )


def _decode_scores(lines: Lines, scores: list[Any], unknown_scores: bool) -> np.ndarray:
    # Exact types, since true and false are integers to `isinstance`.
    odd = set(map(type, scores)) - {float, int} - ({type(None)} if unknown_scores else set())
    if odd:
        index = next(i for i, value in enumerate(scores) if type(value) in odd)
        lines.fail(f"score {index + 1} is {describe_type(scores[index])}, not a number")
    return np.array(scores, dtype=np.float64)


def decode_record(lines: Lines, fields: dict[str, Any], unknown_scores: bool = False) -> ParentSetRecord:
    """One record object as arrays; types are checked here, the meaning by `RecordChecker`."""
    if problem := key_problem(fields, PARENT_SETS.record):
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
    listed = ListedSets.of_sizes(np.fromiter(map(len, sets), dtype=np.int64, count=len(sets)), parents)
    scores = _decode_scores(lines, fields["scores"], unknown_scores)
    return ParentSetRecord(fields["child"], listed, scores, **_decode_facts(lines, fields))


def _decode_facts(lines: Lines, fields: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {fact.name: fields[fact.name] for fact in FACTS if fact.name in fields}
    if not all(type(parent) is int for parent in facts.get("required", ())):
        lines.fail("key 'required' must be a list of indices")
    facts["required"] = tuple(sorted(set(facts.get("required", ()))))
    for bound in ("unlisted", "left_out"):
        if facts.get(bound) is not None:
            facts[bound] = float(facts[bound])
    if (facts.get("left_out") or 0) < 0:
        lines.fail(f"key 'left_out' is {fields['left_out']}, less than nothing", kind=Inconsistent)
    return facts | {"extra": {key: value for key, value in fields.items() if key not in _RECORD_FIELDS}}


def read_entries(
    lines: Lines, head: JsonlHeader, *, unknown_scores: bool = False, one_network: bool = False
) -> Iterator[JsonlHeader | ParentSetRecord]:
    """Yield what follows the header, in the order of the file: further headers, which agree, and checked records.

    Parameters as in `read_records`. Raises `Truncated` where the stream ends inside a line.
    """
    checker = RecordChecker(
        head.header.names, single_choice=head.format != PARENT_SETS.name, unknown_scores=unknown_scores
    )

    def fail(message: str):
        lines.fail(message, kind=Inconsistent)

    most = head.n_records if one_network and head.format == NETWORK.name else None
    for line in islice((line for line in lines if line.strip()), most):
        fields = load_object(lines, line)
        is_network = fields.get("format") == NETWORK.name and isinstance(fields.get("variables"), list)
        if one_network and is_network:
            lines.push_back([(lines.number, line, lines.terminated)])
            lines.number -= 1
            return
        if "format" in fields:
            further = decode_header(lines, fields)
            require_agreement(lines, head, further)
            yield further
        else:
            yield checker.check(decode_record(lines, fields, unknown_scores), fail)


def read_records(
    lines: Lines, head: JsonlHeader, *, partial: bool = False, unknown_scores: bool = False, one_network: bool = False
) -> Iterator[ParentSetRecord]:
    """Yield the checked records that follow the header, in the order of the file, each child once.

    - `partial`: accept a stream that ends early.
    - `unknown_scores`: read null scores as NaN.
    - `one_network`: for a network, consume as many records as its header announces, or all records before the next
    network. Raises `FormatError`: with file and line; `Truncated` when records are missing at the end.
    """

    def fail(message: str):
        lines.fail(message, kind=Inconsistent)

    seen: dict[int, tuple[bytes, int]] = {}
    torn, last = None, head.header
    entries = read_entries(lines, head, unknown_scores=unknown_scores, one_network=one_network)
    while True:
        try:
            record = next(entries, None)
        except Truncated as error:
            torn = error.message
            break
        if record is None:
            break
        if isinstance(record, JsonlHeader):
            last = record.header
            continue
        check_facts(record, last, fail)
        digest = content_digest(record)
        first_digest, first_line = seen.setdefault(record.child, (digest, lines.number))
        # The child's first record; later ones with the same content, as in overlapping parts, are skipped.
        if first_line == lines.number:
            if last.limits != head.header.limits:
                # Its claims about unlisted sets hold within other limits than the first header's.
                record = dataclasses.replace(record, complete=False, unlisted=None, left_out=None)
            yield record
        elif first_digest != digest:
            name = head.header.names[record.child]
            fail(f"variable {name!r} comes twice with different content (first in line {first_line})")
    _require_whole(lines, head, seen, torn, partial)


def _require_whole(lines: Lines, head: JsonlHeader, seen: Collection[int], torn: str | None, partial: bool) -> None:
    n_seen, names = len(seen), head.header.names
    if n_seen > head.n_records:
        message = f"{n_seen} records but the header announces {head.n_records}"
        raise Inconsistent(message)
    if not partial and (n_seen < head.n_records or torn is not None):
        missing = [name for child, name in enumerate(names) if child not in seen]
        # A forest has records of some variables, and none tells which.
        without = f", without {listed(missing)}" if missing and head.n_records == len(names) else ""
        lines.fail(
            f"{torn or 'the stream ends early'}: {n_seen} of {head.n_records} variables arrived{without}",
            kind=Truncated,
            remedy="make the stream again, or use --partial to go on with what arrived",
        )


def without_probabilities(record: ParentSetRecord) -> ParentSetRecord:
    """The record of a network, converted to a record of parent sets."""
    extra = {key: value for key, value in record.extra.items() if key != PROBABILITIES}
    return record if len(extra) == len(record.extra) else dataclasses.replace(record, extra=extra)


def read_parent_sets(
    lines: Lines, *, partial: bool = False, warn: Warn | None = None
) -> tuple[Header, Iterator[ParentSetRecord]]:
    """Read a parent-set file, or a network file as one; `warn` is called about header keys of networks."""
    head = read_header(lines)
    records = read_records(lines, head, partial=partial)
    if head.format == NETWORK.name:
        records = map(without_probabilities, check_while_reading(lines, head.header, records))
    elif warn is not None and (warning := foreign_claims(head.header)) is not None:
        warn(f"{lines.source}: {warning}")
    return head.header, records
