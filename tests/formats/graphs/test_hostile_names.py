"""Names with line breaks, control and direction characters: written so that they are read back, or refused."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.parameter_files import write_parameters

from formats import open_network, write_drawing
from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.graph_records import Drawing
from formats.kinds import STRUCTURES
from formats.records import Header, NetworkRecord, Parameters
from formats.registry import formats_of

HOSTILE = (
    "new\nline", "car\rr", "both\r\n", "mid\r\ndle", "esc\x1b[31m", "bel\x07", "del\x7f", "turn\u202eed", "nel\x85l",
    "ls\u2028l", "nul\0l", "<script>&\"'", "a,b;c\td", "x|y [z:w]", "\\immediate\\write18{x}%", "]]>--", "\ufeffbom",
)  # fmt: skip
TARGETS = [row.target for row in formats_of(*STRUCTURES, written=True) if row.reader and row.target != "uai"]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
@pytest.mark.parametrize("target", TARGETS)
def test_a_name_is_kept_or_refused(tmp_path, target: str, name: str):
    variables = (Variable(name, ("p", name)), Variable("B", ("p", "q")))
    model = Parameters(variables, ((), (0,)), (np.array([0.25, 0.75]), np.full((2, 2), 0.5)))
    path = str(tmp_path / "n")
    try:
        write_parameters(path, model, target)
    except Inconsistent as error:
        assert "name" in error.message
        return
    read = open_network(path)
    by_name = {variable.name: read.parents[v] for v, variable in enumerate(read.header.variables)}
    assert set(by_name) == {name, "B"}
    assert [read.header.names[p] for p in by_name["B"]] == [name] and not by_name[name]
    states = {variable.name: variable.states for variable in read.header.variables}[name]
    assert states in (None, ("p", name))


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
@pytest.mark.parametrize("target", ["svg", "html"])
def test_pictures_show_no_control_characters(tmp_path, target: str, name: str):
    network = NetworkRecord(Header((Variable(name, (name, "q")),)), ((),), np.array([-1.0]))
    ones = np.ones(1)
    drawing = Drawing(network, (name,), ones, ones, ones, ones, (), (), ())
    path = tmp_path / "n"
    write_drawing(str(path), drawing, target)
    text = path.read_text(encoding="utf-8")
    assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]", text) and "<script>&" not in text
