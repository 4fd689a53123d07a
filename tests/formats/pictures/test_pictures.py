"""SVG is sound XML with every box and arc; the page carries all it needs and no text of the data breaks out of it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from formats.data_records import Variable
from formats.graph_records import SCREENED_WORDS, Clusters, Drawing, Link, Probabilities
from formats.graphs.dot import dot_text
from formats.pictures.arrows import path
from formats.pictures.boxes import bars
from formats.pictures.curves import curve_at
from formats.pictures.html import TEMPLATE, html_text
from formats.pictures.svg import svg_text
from formats.records import Header, NetworkRecord, Parameters
from formats.wording import printable

HOSTILE = ("</script><b>", 'a"&<b>', "\x01\u2028x")


def drawing_of(total: float | None = -6.0) -> Drawing:
    variables = tuple(Variable(name, ("0", "1")) for name in HOSTILE)
    extra = {} if total is None else {"total": total}
    network = NetworkRecord(Header(variables, "bic", extra=extra), ((), (0,), (0, 1)), np.array([-1.0, -2.0, np.nan]))
    lines = (
        np.array([[0.0, 12.0], [0.0, 60.0]]),
        np.array([[5.0, 12.0], [30.0, 72.0], [10.0, 140.0]]),
        np.array([[0.0, 84.0], [3.0, 140.0]]),
    )
    x, y = np.array([0.0, 0.0, 5.0]), np.array([0.0, 72.0, 152.0])
    return Drawing(
        network,
        HOSTILE,
        x,
        y,
        np.full(3, 40.0),
        np.full(3, 24.0),
        ((0, 1), (0, 2), (1, 2)),
        (True, False, False),
        lines,
    )


def contents(page: str) -> dict:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_svg_has_every_box_and_arc():
    root = ElementTree.fromstring(svg_text(drawing_of()))
    arcs = [e for e in root.iter() if e.get("class") == "arc"]
    assert [bool(arc.get("marker-end")) for arc in arcs] == [False, True, True]
    labels = [e.text for e in root.iter() if e.get("class") == "label"]
    assert labels == ["</script><b>", 'a"&<b>', r"\x01\u2028x"]
    titles = [e.text for e in root.iter() if e.tag.endswith("title")]
    assert titles[0] == "Bayesian network: 3 variables, 3 arcs"
    assert "parents: </script><b>\nlocal score -2.00" in str(titles[2]) and "score" not in str(titles[3])


def test_a_network_without_variables_is_an_empty_picture():
    none = np.zeros(0)
    drawing = Drawing(NetworkRecord(Header(()), (), none), (), none, none, none, none, (), (), ())
    assert not list(ElementTree.fromstring(svg_text(drawing)).iter("rect"))


def test_screened_variables_are_dashed_and_the_legend_says_so():
    drawing = drawing_of()
    assert "screened" not in str([e.attrib for e in ElementTree.fromstring(svg_text(drawing)).iter()])
    drawing.network.header.extra["screened"] = [1]
    root = ElementTree.fromstring(svg_text(drawing))
    looks = [e.get("class") for e in root.iter() if (e.get("class") or "").startswith("box")]
    assert looks == ["box", "box screened", "box"]
    assert [e.text for e in root.iter() if e.get("class") == "note"][1] == SCREENED_WORDS
    assert contents(html_text(drawing))["screened"] == [1]
    assert '  label="dashed: ' in dot_text(drawing.network)
    assert dot_text(drawing.network).count("[style=dashed]") == 1


def test_svg_contains_what_it_draws():
    root = ElementTree.fromstring(svg_text(drawing_of()))
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    assert left <= -20 and top <= -12 and left + width >= 30 and top + height >= 164


def test_notes_stand_within_the_frame():
    """Whatever sans-serif typeface shows them: Verdana, a wide one, takes 6.3 pixels a character at 11 pixels."""
    drawing = drawing_of()
    drawing.network.header.extra["screened"] = [1]
    drawing.network.header.extra["strengths"] = [[], [[0.5, 0.9]], [[0.5, 0.9], [0.5, 0.9]]]
    root = ElementTree.fromstring(svg_text(drawing))
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    notes = [e for e in root.iter() if e.get("class") == "note"]
    assert len(notes) == 8
    for note in notes:
        assert left + width >= float(note.attrib["x"]) + 6.3 * len(str(note.text))
        assert top <= float(note.attrib["y"]) <= top + height


def test_the_page_holds_all_facts():
    held = contents(html_text(drawing_of()))
    assert held["names"] == list(map(printable, HOSTILE)) and held["states"] == [["0", "1"]] * 3
    assert held["scores"] == [-1.0, -2.0, None] and held["total"] == -6.0
    assert [arc[:3] for arc in held["arcs"]] == [[0, 1, 1], [0, 2, 0], [1, 2, 0]]
    assert contents(html_text(drawing_of(None)))["total"] is None


def test_the_page_is_named_and_says_what_is_known():
    page = html_text(replace(drawing_of(), title="a<b>.bif", facts=("bic -6.00", "Made by </p>")))
    assert "<title>a&lt;b&gt;.bif</title>" in page and "<h1>a&lt;b&gt;.bif</h1>" in page
    assert "</h1><p>bic -6.00</p><p>Made by &lt;/p&gt;</p></div>" in page
    assert "<title>Bayesian network</title>" in html_text(drawing_of())


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.1 defines it."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), linear))


PAIRS = [("ontop", role) for role in ("chosen", "parent", "child", "spouse")]
PAIRS += [("ink", ground) for ground in ("ground", "panel", "box")] + [("soft", "ground"), ("soft", "panel")]


def test_texts_stand_out_from_what_is_behind_them():
    style = TEMPLATE.with_name("network.css").read_text()
    for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL):
        colours = dict(re.findall(r"--(\w+): (#\w{6})", block))
        for pair in PAIRS:
            light, dark = sorted((luminance(colours[name]) for name in pair), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, pair


def with_probabilities(boxes: str) -> Drawing:
    drawing = drawing_of()
    tables = (np.array([0.25, 0.75]), np.array([[1.0, 0.0], [0.4, 0.6]]), np.full((2, 2, 2), 0.5))
    variables, states = drawing.network.header.variables, (("a<b", "c"), ("0", "1"), ("0", "1"))
    model = Parameters(variables, ((), (0,), (0, 1)), tables)
    marginals = (tables[0], np.array([0.55, 0.45]), np.array([0.5, 0.5]))
    shown = Probabilities(states, marginals, model, (0, 1, 2))
    width, height = np.full(3, 150.0), np.full(3, 90.0)
    return replace(drawing, probabilities=shown, boxes=boxes, width=width, height=height)


def test_bars_in_boxes():
    root = ElementTree.fromstring(svg_text(with_probabilities("bars")))
    filled = [float(e.attrib["width"]) for e in root.iter() if e.get("class") == "bar"]
    rooms = [float(e.attrib["width"]) for e in root.iter() if e.get("class") == "room"]
    assert [round(bar / room, 2) for bar, room in zip(filled, rooms)] == [0.25, 0.75, 0.55, 0.45, 0.5, 0.5]
    assert [e.text for e in root.iter() if e.get("class") == "cell"][:4] == ["a<b", "25.0 %", "c", "75.0 %"]


def test_tables_in_boxes():
    root = ElementTree.fromstring(svg_text(with_probabilities("tables")))
    cells = [e.text for e in root.iter() if e.get("class") == "cell"]
    assert cells[:4] == ["0", "1", "0.250", "0.750"]
    assert cells[4:13] == ["</script><b>", "0", "1", "0", "1.000", "0.000", "1", "0.400", "0.600"]


def test_bars_are_of_the_most_probable_states_in_their_order_and_of_all_others():
    shares = np.full(20, 0.02)
    shares[[4, 18]] = 0.39, 0.25
    rows = bars([f"s{i}" for i in range(20)], shares)
    assert [label for label, _ in rows] == ["s0", "s1", "s2", "s3", "s4", "s5", "s18", "13 others"]
    assert [share for _, share in rows] == pytest.approx([0.02, 0.02, 0.02, 0.02, 0.39, 0.02, 0.25, 0.26])
    assert len(bars([f"s{i}" for i in range(8)], np.full(8, 0.125))) == 8


def test_the_page_holds_probabilities():
    held = contents(html_text(with_probabilities("bars")))
    assert held["probabilities"]["marginals"][1] == [0.55, 0.45]
    assert held["probabilities"]["tables"][1] == [1, 0, 0.4, 0.6] and held["probabilities"]["order"] == [0, 1, 2]
    assert held["boxes"]["labels"][0] == held["states"][0] == ["a<b", "c"]
    assert contents(html_text(drawing_of()))["probabilities"] is None


def test_pictures_of_clusters():
    """Arcs between clusters are links; a picture larger than 2,000 pixels opens at that size; notes are in it."""
    drawing = drawing_of()
    one, link = np.array([0.0, 0.0]), np.array([[0.0, 100.0], [0.0, 3000.0]])
    clusters = Clusters(
        np.array([0, 0, 1]), one, np.array([0.0, 3100.0]), one + 200, one + 200, ("a", "b"), 20.0,
        (Link(0, 1, 2, 2.0, link),), 3,
    )  # fmt: skip
    drawing = replace(drawing, clusters=clusters)
    root = ElementTree.fromstring(svg_text(drawing))
    looks = [e.get("class") for e in root.iter()]
    assert looks.count("frame") == 2 and looks.count("link") == 1 and looks.count("arc") == 1
    assert float(root.attrib["height"]) == 2000
    assert "3 weaker links left out" in svg_text(drawing)
    held = contents(html_text(drawing))["clusters"]
    assert held["of"] == [0, 0, 1] and held["links"][0][:4] == [0, 1, 2, 1.0]


def test_the_page_needs_nothing_from_elsewhere():
    page = html_text(drawing_of())
    assert "{{" not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import|https?:|fetch\(|XMLHttp""", page)
    assert "default-src 'none'" in page


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(0, 0), (10, 30)], "M0,0L10,30"),
        ([(0, 0), (0, 30), (0, 60)], "M0,0C0,10 0,20 0,30C0,40 0,50 0,60"),
        ([(0, 0), (30, 30), (0, 60)], "M0,0C10,10 30,20 30,30C30,40 10,50 0,60"),
    ],
)
def test_curves(points, expected: str):
    assert path(np.array(points, dtype=float)) == expected


def test_curves_do_not_overshoot():
    rng = np.random.default_rng(1)
    for _ in range(50):
        line = np.column_stack((rng.normal(0, 100, 6), np.cumsum(rng.uniform(5, 90, 6))))
        numbers = np.array([float(n) for n in re.findall(r"-?[\d.]+", path(line))]).reshape(-1, 2)
        for i in range(5):
            piece = numbers[3 * i : 3 * i + 4]
            assert (np.diff(piece[:, 1]) >= -0.1).all()
            assert np.ptp(piece[:, 0]) <= abs(piece[3, 0] - piece[0, 0]) + 0.3


def test_places_on_a_curve_are_those_of_its_cubics():
    rng = np.random.default_rng(2)
    line = np.column_stack((rng.normal(0, 100, 6), np.cumsum(rng.uniform(5, 90, 6))))
    numbers = np.array([float(n) for n in re.findall(r"-?[\d.]+", path(line))]).reshape(-1, 2)
    share = np.linspace(0, 1, 20)[:, None]
    for i in range(5):
        a, b, c, d = numbers[3 * i : 3 * i + 4]
        x, y = (
            (1 - share) ** 3 * a + 3 * (1 - share) ** 2 * share * b + 3 * (1 - share) * share**2 * c + share**3 * d
        ).T
        assert curve_at(line, y) == pytest.approx(x, abs=1.0)
