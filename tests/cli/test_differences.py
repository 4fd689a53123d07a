"""`convert --compare`: two networks as one picture, each kind of arc with a look and a word in the legend."""

from __future__ import annotations

import inspect
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from helpers.processes import run_here

import bnsl
from formats.graph_records import MARKS

FIRST = "digraph { a -> b; b -> c; c -> d; d -> e; a -> e; f }"
SECOND = "digraph { a -> b; c -> b; d -> c; e -> a; f -> a; e -> f; d -> e }"
"""Together they have the cycle a, b, c, d, e."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "one.dot").write_text(FIRST)
    (tmp_path / "two.dot").write_text(SECOND)
    return tmp_path


def drawn(text: str) -> dict[str, str]:
    """The class of the line of each arc, by its tooltip."""
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    groups = [group for group in root.iter(f"{space}g") if group.find(f"{space}path") is not None]
    return {group.findtext(f"{space}title", ""): group.find(f"{space}path").get("class", "") for group in groups}  # type: ignore[union-attr]


def test_arcs_in_both_missing_added_and_reversed(place: Path):
    done = run_here("convert", "one.dot", "--compare", "two.dot", "-o", "d.svg", cwd=place)
    assert done.returncode == 0, done.stderr
    assert done.stderr.decode() == (
        "bnsl convert: 2 arcs in both, 0 only in one.dot, 2 only in two.dot, 3 reversed\n"
    )
    text = (place / "d.svg").read_text()
    assert drawn(text) == {
        "a \u2192 b: in both": "arc",
        "d \u2192 e: in both": "arc",
        "b \u2192 c: reversed; the head is as in one.dot": "arc reversed",
        "c \u2192 d: reversed; the head is as in one.dot": "arc reversed",
        "a \u2192 e: reversed; the head is as in one.dot": "arc reversed",
        "f \u2192 a: only in two.dot": "arc missing",
        "e \u2192 f: only in two.dot": "arc missing",
    }
    legend = re.findall(r'<path class="(arc[^"]*)" d="M[^"]*h36"/>\n<text class="note"[^>]*>([^<]*)<', text)
    assert legend == [
        ("arc", "in both"),
        ("arc missing", "only in two.dot"),
        ("arc reversed", "reversed; the head is as in one.dot"),
    ]


def test_each_mark_has_its_colour_and_its_line():
    from formats.pictures import svg

    looks = {mark: re.search(rf"\.{mark} \{{ stroke: (#\w+); ([^}}]*)\}}", svg._STYLE_OF_MARKS) for mark in MARKS}
    assert all(looks.values())
    assert len({found[1] for found in looks.values()}) == len({found[2] for found in looks.values()}) == len(MARKS)  # type: ignore[index]


def test_an_arc_against_the_layout_has_its_head_where_it_points(place: Path):
    text = bnsl.convert(str(place / "one.dot"), compare=str(place / "two.dot"), to="svg", quiet=True)
    heights = {label: float(y) for y, label in re.findall(r'class="label" x="[^"]*" y="([^"]*)">(\w)<', text)}
    found = re.findall(r'<title>(\w) \u2192 (\w): [^<]*</title><path class="[^"]*" d="M[-\d.]+,([-\d.]+)[^"]*"/>'
                       r'<path class="head[^"]*" d="M[-\d.]+,([-\d.]+)L', text)  # fmt: skip
    assert len(found) == 7
    ups = 0
    for tail, head, start, tip in found:
        assert abs(float(start) - heights[tail]) < abs(float(start) - heights[head])
        assert abs(float(tip) - heights[head]) < abs(float(tip) - heights[tail])
        ups += heights[tail] > heights[head]
    assert ups  # the graphs together have a cycle


def test_undecided_arcs_have_no_head(place: Path):
    data = {"a": [0, 1] * 20, "b": [1, 0] * 20, "c": [0, 0, 1, 1] * 10}
    learnt = bnsl.optimize(data=data, quiet=True)
    other = bnsl.optimize(data=data, require="a->b", quiet=True)
    text = str(learnt.plot(other))
    assert list(drawn(text).items()) == [("a - b: in both, with a direction in one of them", "arc one-sided")]
    assert 'class="head"' not in text.partition("</style>")[2].replace(
        '<path class="head" d="M0,0L10,4L0,8L2.5,4Z"/>', ""
    )
    assert list(drawn(str(learnt.plot(learnt)))) == [
        "a - b: in both"
    ] and "neither data nor knowledge" in learnt.plot(learnt)
    assert list(drawn(str(learnt.plot(other, cpdag=False)))) in (
        ["b \u2192 a: reversed; the head is as in the first network"],
        ["a \u2192 b: in both"],
    )


def test_what_is_no_network_is_refused_by_the_name_of_its_argument():
    learnt = bnsl.optimize(data={"a": [0, 1] * 20}, quiet=True)
    _, argument, *_ = inspect.signature(bnsl.Network.plot).parameters
    with pytest.raises(bnsl.UsageError, match=f"^{argument}=3: an int cannot be read"):
        learnt.plot(3)


def test_essential_graphs_are_compared(place: Path):
    (place / "cpdag.dot").write_text("digraph { a -> b [dir=none]; c; d; e; f }")
    done = run_here("convert", "one.dot", "--compare", "cpdag.dot", "-o", "d.svg", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "a - b: in both, with a direction in one of them" in (place / "d.svg").read_text()


def test_a_part_of_the_differences(place: Path):
    text = bnsl.convert(
        str(place / "one.dot"), compare=str(place / "two.dot"), to="svg", neighbourhood=["f"], quiet=True
    )
    assert set(drawn(text)) == {
        "f \u2192 a: only in two.dot",
        "e \u2192 f: only in two.dot",
        "a \u2192 e: reversed; the head is as in one.dot",
    }


def test_a_page_has_marks_and_words(place: Path):
    page = bnsl.convert(str(place / "one.dot"), compare=str(place / "two.dot"), to="html", quiet=True)
    held = json.loads(re.findall(r'type="application/json">(.*?)</script>', page)[0])
    names, found = held["names"], held["differences"]
    arcs = {f"{names[arc[0]]}{names[arc[1]]}": mark for arc, mark in zip(held["arcs"], found["marks"])}
    assert arcs == {
        "ab": "",
        "de": "",
        "bc": "reversed",
        "cd": "reversed",
        "ae": "reversed",
        "fa": "missing",
        "ef": "missing",
    }
    assert found["words"]["missing"] == "only in two.dot" and "function differences(" in page
    assert "<title>Differences of one.dot and two.dot<" in page
    assert "<p>2 arcs in both, 0 only in one.dot, 2 only in two.dot, 3 reversed</p>" in page
    plain = bnsl.convert(str(place / "one.dot"), to="html", quiet=True)
    assert json.loads(re.findall(r'type="application/json">(.*?)</script>', plain)[0])["differences"] is None


def test_files_of_one_name_are_told_by_their_folders(place: Path):
    (place / "new").mkdir()
    (place / "new" / "one.dot").write_text(SECOND)
    done = run_here("convert", "one.dot", "--compare", "new/one.dot", "-o", "d.svg", cwd=place)
    assert done.stderr.decode() == (
        "bnsl convert: 2 arcs in both, 0 only in one.dot, 2 only in new/one.dot, 3 reversed\n"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("one.dot --compare two.dot -o x.dot", "--compare draws a picture (svg, html, pdf, png), not dot"),
        ("one.dot --compare two.dot --boxes bars -o x.svg", "--boxes bars cannot be combined with --compare"),
        ("one.dot --compare three.dot -o x.svg", "three.dot lacks variables of the network"),
        ("- --compare - -o x.svg", "can be read only once"),
    ],
)
def test_refusals(place: Path, line: str, message: str):
    (place / "three.dot").write_text("digraph { a -> b }")
    done = run_here("convert", *line.split(), cwd=place)
    assert done.returncode != 0 and message in " ".join(done.stderr.decode().split())


def test_a_notebook_shows_the_picture(place: Path):
    network = bnsl.read(str(place / "one.dot"))
    shown = network.plot(boxes="names", neighbourhood=["f"])
    assert shown._repr_svg_() == shown and shown.startswith("<?xml") and "Bayesian network: 1 variable" in shown
