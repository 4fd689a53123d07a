"""Measures of runs from each kind of file."""

from __future__ import annotations

import gzip
import json

import pytest

from formats.errors import FormatError
from formats.json_lines.run_measures import open_measures

NETWORK = (
    '{"format":"bnsl.network","version":1,"score":"bic","total":-3.5,"gap":0.25,"method":"ils",'
    '"variables":[{"name":"a"},{"name":"b"}]}\n'
    '{"child":0,"parents":[[]],"scores":[-1.5]}\n{"child":1,"parents":[[0]],"scores":[-2.0]}\n'
)


def read(tmp_path, text: str, name: str = "x.json"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return open_measures(str(path))


def test_networks_give_numbers_of_their_headers(tmp_path):
    (found,) = read(tmp_path, NETWORK, "d.ils.1.net.jsonl")
    path = found.pop("network")
    assert path.endswith("d.ils.1.net.jsonl")
    assert found == {"variables": 2, "arcs": 1, "total": -3.5, "gap": 0.25, "method": "ils"}


def test_networks_of_a_stream_are_numbered(tmp_path):
    found = read(tmp_path, NETWORK + NETWORK, "d.ils.net.jsonl")
    assert [(record["index"], record["total"]) for record in found] == [(1, -3.5), (2, -3.5)]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("name", ["d.ils.1.stats.json", "d.json.gz"])
def test_objects_on_one_line_or_several(tmp_path, indent, name: str):
    (found,) = read(tmp_path, json.dumps({"seconds": 2.5, "summary": {"n": 3}}, indent=indent) + "\n", name)
    assert found.pop("network").endswith(name)
    assert found == {"seconds": 2.5, "summary": {"n": 3}}


def test_json_lines_name_their_networks(tmp_path):
    text = '{"network":"a.x.1","bic":-1.0}\n\n{"network":"b.x.1","bic":null}\n'
    assert read(tmp_path, text) == [{"network": "a.x.1", "bic": -1.0}, {"network": "b.x.1", "bic": None}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("a,b\n1,2\n", "JSON object"),
        ('{"network":"a"}\n[1]\n', ":2: expected a JSON object"),
        ('{"network":"a"\n', "not valid JSON"),
        ("{\n", "not valid JSON"),
        (NETWORK.replace("-3.5", "-9.5"), "total"),
        ("[A][B|A]\n", "looks like a model string"),
        (NETWORK.replace("bnsl.network", "bnsl.parentsets"), "looks like a parent-set file"),
    ],
)
def test_other_files_are_refused(tmp_path, text: str, message: str):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text)
