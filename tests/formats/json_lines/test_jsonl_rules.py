"""The three JSON-lines formats: every rule of the contract, broken once, and files put together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.jsonl import HEADER, RECORDS, changed, message_of, read, stream_of

from formats.data_records import Variable
from formats.errors import FormatError, Inconsistent, Malformed, Truncated, UnknownVersion
from formats.graphs.network_files import open_network, write_network
from formats.json_lines.screening_forests import open_forest
from formats.records import Header, NetworkRecord
from formats.sets.parent_sets import open_parent_set_stream, open_parent_sets

# ---- the rules of the contract, each broken once


@pytest.mark.parametrize(
    "index, changes, expected",
    [
        (0, {"child": 4}, "child index 4 but the header declares 4 variables (0-3)"),
        (0, {"child": -1}, "child index -1 but"),
        (0, {"parents": [[1, 4], [1], []]}, "parent index 4 but the header declares 4 variables (0-3)"),
        (0, {"parents": [[1, -2], [1], []]}, "parent index -2 but"),
        (0, {"parents": [[1, 2**70], [1], []]}, "parent index"),
        (0, {"parents": [[1, 2**63], [1], []]}, "parent index 9223372036854775808 is out of range"),
        (0, {"parents": [[0, 1], [1], []]}, "variable 'a' is among its own parents"),
        (0, {"parents": [[1, 1], [1], []]}, "parent set 1 names a parent twice (b, b)"),
        (0, {"parents": [[1, 3], [3, 1], []]}, "lists the set {b, d} twice (as sets 1 and 2)"),
        (0, {"parents": [[], [1], []]}, "lists the set {} twice (as sets 1 and 3)"),
        (0, {"parents": [[1, 3], [1], [2]]}, "variable 'a' does not list the empty parent set"),
        (0, {"parents": [[1], []]}, "2 parent sets but 3 scores"),
        (0, {"parents": [], "scores": []}, "lists no parent set"),
        (0, {"scores": [-1.5, None, -3.5]}, "score 2 is null, not a number"),
        (0, {"scores": [-1.5, "-2", -3.5]}, "score 2 is string, not a number"),
        (0, {"scores": [-1.5, True, -3.5]}, "score 2 is boolean, not a number"),
        (0, {"parents": [[1, 2.0], [1], []]}, "parent index 2.0 is number, not an integer"),
        (0, {"parents": [[True], [1], []]}, "parent index True is boolean, not an integer"),
        (0, {"parents": [["1"], [1], []]}, "parent index '1' is string, not an integer"),
        (0, {"parents": [1, [1], []]}, "parent set 1 is integer, not a list"),
        (0, {"parents": {"0": 1}}, "key 'parents' must be of type list, not object"),
        (0, {"child": None}, "no key 'child'"),
        (0, {"child": "0"}, "key 'child' must be of type integer, not string"),
        (0, {"child": True}, "key 'child' must be of type integer, not boolean"),
        (0, {"scores": None}, "no key 'scores'"),
        (0, {"fixed": 1}, "key 'fixed' must be of type boolean, not integer"),
        (0, {"left_out": -0.5}, "key 'left_out' is -0.5, less than nothing"),
        (0, {"unlisted": "low"}, "key 'unlisted' must be of type number, not string"),
        (0, {"fixed": True}, "3 parent sets; a fixed record lists exactly one"),
        (3, {"fixed": False}, "variable 'd' does not list the empty parent set"),
    ],
)
def test_broken_records(index, changes, expected):
    message = message_of(FormatError, HEADER, *changed(index, **changes))
    assert expected in message
    assert message.startswith(f"<stream>:{index + 2}: ")


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_non_finite_literals(literal):
    message = message_of(Malformed, HEADER, f'{{"child":0,"parents":[[]],"scores":[{literal}]}}', *RECORDS[1:])
    assert message.startswith("<stream>:2: ") and "must be finite" in message


def test_scores_too_large_for_a_double():
    text = '{"child":0,"parents":[[]],"scores":[-1e999]}'
    message_of(FormatError, HEADER, text, *RECORDS[1:])


@pytest.mark.parametrize(
    "changes, expected",
    [
        ({"format": None}, "the first line is not a header"),
        ({"format": "bnsl.parentset"}, "unknown format 'bnsl.parentset'"),
        ({"format": ["bnsl.parentsets"]}, "unknown format ['bnsl.parentsets']"),
        ({"variables": None}, "no key 'variables'"),
        ({"variables": []}, "declares no variables"),
        ({"variables": ["a"]}, "variable 0 of the header must be an object"),
        ({"variables": [{"states": None}]}, "variable 0 of the header: no key 'name'"),
        ({"variables": [{"name": "a"}, {"name": "a"}]}, "have the same name 'a'"),
        ({"rows": -1}, "header: -1 rows"),
        ({"variables": [{"name": ""}]}, "variable 0 of the header has no name"),
        ({"variables": [{"name": "a", "states": ["0", "0"]}]}, "two states have the same label"),
        ({"variables": [{"name": "a", "states": [0, 1]}]}, "states must be a list of strings"),
        ({"variables": [{"name": "a", "states": []}]}, "states must be a list of strings"),
        ({"score": 3}, "key 'score' must be of type string"),
        ({"rows": "10"}, "key 'rows' must be of type integer"),
        ({"by": [3]}, "'by' must be a list of objects"),
    ],
)
def test_broken_headers(changes, expected):
    header = {k: v for k, v in (HEADER | changes).items() if v is not None}
    message = message_of(Malformed, header, *RECORDS)
    assert expected in message
    assert message.startswith("<stream>:1: ")


@pytest.mark.parametrize("version", [0, 2, "1", True, 1.5])
def test_unknown_versions(version):
    message = message_of(UnknownVersion, HEADER | {"version": version}, *RECORDS)
    assert f"version {version} of bnsl.parentsets; this release reads version 1" in message


def test_network_rules():
    header = HEADER | {"format": "bnsl.network"}
    records = [{"child": c, "parents": [[(c + 1) % 4]], "scores": [-1]} for c in range(4)]
    with pytest.raises(Inconsistent, match=r"the arcs form a cycle: "):
        open_network(stream_of(header, *records))
    two_sets = {"child": 3, "parents": [[0], []], "scores": [-1, -2]}
    with pytest.raises(Inconsistent, match="has 2 parent sets; a network lists exactly one"):
        open_network(stream_of(header, *records[:3], two_sets))
    assert open_parent_sets(stream_of(header, *records)).n_sets == 4


def test_unknown_scores_of_a_network(tmp_path):
    network = NetworkRecord(Header((Variable("a"), Variable("b"))), ((), (0,)), np.array([math.nan, -2.0]))
    write_network(str(tmp_path / "n"), network)
    assert '"scores":[null]' in (tmp_path / "n").read_text()
    again = open_network(str(tmp_path / "n"))
    assert np.array_equal(again.scores, network.scores, equal_nan=True)
    with pytest.raises(FormatError, match="score 1 is null"):
        open_parent_sets(str(tmp_path / "n"))


def test_forest_rules():
    header = HEADER | {"format": "bnsl.forest", "records": 2}
    records = [{"child": 0, "parents": [[1]], "scores": [-1]}, {"child": 1, "parents": [[0]], "scores": [-1]}]
    with pytest.raises(Inconsistent, match="the arcs form a cycle: "):
        open_forest(stream_of(header, *records))
    with pytest.raises(FormatError, match="variable 'b' has no parent; a forest leaves roots out"):
        open_forest(stream_of(header, records[0], {"child": 1, "parents": [[]], "scores": [-1]}))
    with pytest.raises(Truncated, match="1 of 2 variables arrived"):
        open_forest(stream_of(header, records[0]))
    with pytest.raises(Inconsistent, match="2 records but the header announces 1"):
        open_forest(stream_of(header | {"records": 1}, records[0], {**records[1], "parents": [[2]]}))
    with pytest.raises(Malformed, match="announces 9 records for 4 variables"):
        open_forest(stream_of(header | {"records": 9}))
    with pytest.raises(Malformed, match="no key 'records'"):
        open_forest(stream_of(HEADER | {"format": "bnsl.forest"}))


# ---- concatenation


def test_concatenated_shards():
    whole = read(HEADER, *RECORDS)
    joined = read(HEADER, *RECORDS[:2], HEADER | {"created": "later"}, *RECORDS[2:])
    assert np.array_equal(whole.scores, joined.scores)
    assert np.array_equal(whole.parents, joined.parents)


def test_the_same_child_twice():
    assert read(HEADER, *RECORDS, HEADER, *RECORDS).n_sets == 7
    reordered = {**RECORDS[0], "parents": [[], [1, 3], [1]], "scores": [-3.5, -1.5, -2.5]}
    assert read(HEADER, *RECORDS, reordered).n_sets == 7
    message = message_of(Inconsistent, HEADER, *RECORDS, {**RECORDS[0], "scores": [-1.5, -2.5, -3.6]})
    assert message == "<stream>:6: variable 'a' comes twice with different content (first in line 2)"
    message_of(Inconsistent, HEADER, *RECORDS, {**RECORDS[0], "complete": True})
    _, records = open_parent_set_stream(stream_of(HEADER, *RECORDS, *RECORDS))
    assert [record.child for record in records] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"score": "aic"}, "'score'"),
        ({"rows": 11}, "'rows'"),
        ({"data": None}, "'data'"),
        ({"ess": 1.0}, "'ess'"),
        ({"format": "bnsl.network"}, "'format'"),
        ({"variables": HEADER["variables"][:3]}, "'number of variables'"),
        ({"variables": [*HEADER["variables"][:3], {"name": "e"}]}, "'variables[3].name'"),
        ({"variables": [{"name": "a"}, *HEADER["variables"][1:]]}, "'variables[0].states'"),
    ],
)
def test_further_header_must_agree(changes, field):
    message = message_of(Inconsistent, HEADER, *RECORDS, HEADER | changes, *RECORDS)
    assert message.startswith(f"<stream>:6: a further header disagrees with the first in {field}")


def test_what_is_complete_within_other_limits_is_not_so_within_those_of_the_first_header():
    by = [{"stage": "parentsets", "options": {"max_parents": most}} for most in (2, 3, 2)]
    headers = [{**HEADER, "by": [entry]} for entry in by]
    records = [{**record, "complete": True} for record in RECORDS]
    assert read(headers[0], *records[:2], headers[2], *records[2:]).complete.all()
    narrow = read(headers[0], *records[:2], headers[1], *records[1:])
    assert narrow.complete.tolist() == [True, True, False, False]
    unknown = read(headers[0], *records[:2], HEADER, *records[2:])
    assert unknown.complete.tolist() == [True, True, False, False]


# ---- claims of headers and records


@pytest.mark.parametrize(
    "index, changes, expected",
    [
        (0, {"complete": True, "ended": "time"}, "variable 'a' is marked complete, and as cut short"),
        (0, {"complete": True, "interrupted": True}, "is marked complete, and as cut short"),
        (1, {"evaluated": -3}, "variable 'b' has -3 scores evaluated"),
    ],
)
def test_records_that_belie_header_or_marks_are_refused(index, changes, expected):
    message = message_of(Inconsistent, HEADER, *changed(index, **changes))
    assert expected in message
    assert f":{index + 2}:" in message or f"line {index + 2}" in message


@pytest.mark.parametrize("options", [{"max_parents": 1}, {"max_parents": 7, "treewidth": 1}])
def test_sets_larger_than_the_header_says_are_refused(options):
    header = HEADER | {"by": [{"stage": "optimize", "options": options}]}
    assert "lists a set of 2 parents; the header says that they are 1 at most" in message_of(
        Inconsistent, header, *RECORDS
    )
    # Records go by the header before them.
    again = HEADER | {"by": [{"stage": "parentsets", "options": {"max_parents": 2}}]}
    assert read(header, *RECORDS[1:3], again, RECORDS[0], RECORDS[3]).n_sets == 7


def test_network_keys_in_headers_of_sets_cause_a_warning():
    warnings = []
    read(HEADER | {"total": -1.0, "gap": 0.0}, *RECORDS, warn=warnings.append)
    assert len(warnings) == 1
    assert "'total', 'gap' describe a network, not these sets" in warnings[0]


def test_keys_about_one_network_are_those_of_the_schema():
    from formats.records import OF_ONE_NETWORK
    from formats.schemas import NETWORK_HEADER_KEYS

    # `unscored` and `screened` go with the lists: they lack these variables, or have one set for them.
    of_schema = {key.name for key in NETWORK_HEADER_KEYS}
    assert of_schema - {"unscored", "screened"} | {"interrupted"} == OF_ONE_NETWORK
