"""Headers, producing commands, time and fingerprint."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest

from formats.data_records import Variable
from formats.errors import FormatError
from formats.provenance import append_command, fingerprint, timestamp
from formats.records import Header

VARIABLES = (Variable("a", ("0", "1")), Variable("b", ("x", "y", "z")))
CODES = np.array([[0, 1, 1], [2, 0, 1]], dtype=np.uint8)


def test_timestamp(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "951782400")
    assert timestamp() == "2000-02-29T00:00:00Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", timestamp())
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(FormatError, match="SOURCE_DATE_EPOCH is 'yesterday'"):
        timestamp()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "9" * 30)
    with pytest.raises(FormatError):
        timestamp()


def test_fingerprint_sees_names_states_and_codes():
    one = fingerprint(VARIABLES, CODES)
    assert re.fullmatch("sha256:[0-9a-f]{64}", one)
    assert one == fingerprint(VARIABLES, np.asfortranarray(CODES))
    by_hand = b'[[["a",["0","1"]],["b",["x","y","z"]]],[2,3]]' + bytes([0, 1, 1, 2, 0, 1])
    assert one == "sha256:" + hashlib.sha256(by_hand).hexdigest()
    others = [
        fingerprint((Variable("c", ("0", "1")), VARIABLES[1]), CODES),
        fingerprint((Variable("a", ("1", "0")), VARIABLES[1]), CODES),
        fingerprint(VARIABLES, CODES[:, ::-1]),
        fingerprint(VARIABLES[::-1], CODES[::-1]),
        # the same bytes in another shape
        fingerprint(VARIABLES, CODES.reshape(3, 2)),
    ]
    assert len({one, *others}) == 6


def entry_of(options):
    return append_command(Header(VARIABLES), "optimize", options).by[0]


def test_command_entry_is_sorted_and_plain():
    entry = entry_of({"tw": np.int64(5), "method": "asobs", "init": ("a", np.float64(0.5))})
    assert list(entry) == ["stage", "version", "options"]
    assert list(entry["options"].items()) == [("init", ["a", 0.5]), ("method", "asobs"), ("tw", 5)]
    assert [type(v) for v in entry["options"].values()] == [list, str, int]


def test_append_command_leaves_earlier_entries(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "60")
    first = Header(VARIABLES, by=({"stage": "x"},), created="before", extra={"k": 1})
    after = append_command(first, "optimize", {"seed": 1})
    assert after.by == ({"stage": "x"}, entry_of({"seed": 1}))
    assert after.created == "1970-01-01T00:01:00Z"
    assert (after.variables, after.extra) == (first.variables, first.extra)
    assert first.by == ({"stage": "x"},)
