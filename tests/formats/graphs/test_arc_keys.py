"""An arc as a JSON object has the keys of its ends and no other."""

from __future__ import annotations

import io

import pytest

from formats.errors import FormatError
from formats.graphs.arc_files import read_arcs


def test_other_keys_are_refused():
    index = {"a": 0, "b": 1}
    assert [group.arcs() for group in read_arcs(io.BytesIO(b'{"from": "a", "to": "b"}\n'), index)] == [[(0, 1)]]
    with pytest.raises(FormatError, match=":2: an arc has the keys of its two ends alone, not 'weight'"):
        read_arcs(io.BytesIO(b'{"from": "a", "to": "b"}\n{"from": "a", "to": "b", "weight": 1}\n'), index)
