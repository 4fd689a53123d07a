"""A page as a person meets it, by eye, pointer and keyboard: in Chromium, where it is installed."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.cases.graphs import network_of
from helpers.places import EXAMPLE_DATA

import bnsl
from formats.data_records import Variable
from formats.graph_records import Probabilities
from formats.pictures.boxes import sizes_below
from formats.pictures.html import html_text
from formats.records import Parameters
from stages.drawing.network_drawing import draw_network

from .chromium import CHROMIUM, Chromium

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")

WRITTEN = r"""(() => {
  const written = {}, plain = pen.fillText;
  pen.fillText = (text, x, y) => {
    written[text] = parseFloat(/[\d.]+(?=px)/.exec(pen.font)[0]) * scale; plain.call(pen, text, x, y);
  };
  paint(); delete pen.fillText;
  return written;
})()"""
"""Paints; the texts with the sizes of their letters in pixels of the window."""
PHONE = (390, 844)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with Chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages of asia and alarm, and of a network of 12 clusters of 30 variables."""
    folder = tmp_path_factory.mktemp("pages")
    for name in ("asia", "alarm"):
        bnsl.convert(str(EXAMPLE_DATA / f"{name}.bif"), output=str(folder / f"{name}.html"))
    parents = [tuple({v - v % 30, v - 1} - {v}) if v % 30 else () for v in range(360)]
    network = network_of(parents, [f"variable {v}" for v in range(360)])
    (folder / "clusters.html").write_text(html_text(draw_network(network, network.header.names)))
    return folder


def address(pages: Path, name: str) -> str:
    return (pages / f"{name}.html").as_uri()


@pytest.mark.parametrize("name", ["asia", "alarm", "clusters"])
@pytest.mark.parametrize("size", [(1400, 900), PHONE])
def test_names_can_be_read_at_first_sight(browser: Chromium, pages: Path, name: str, size: tuple[int, int]):
    browser.open(address(pages, name), *size)
    written = browser.run(WRITTEN)
    named = browser.run("(clusters?.titles ?? net.labels)")
    first = browser.run("clusters ? [] : groups[0].slice(0, 3).map(item => net.labels[item.v])")
    readable = {text for text in named if written.get(text, 0) >= 5.5}
    assert readable >= set(first) and len(readable) >= (len(named) if size != PHONE else min(len(named), 8))
    assert browser.said == []


def test_a_name_that_passes_its_box_can_be_clicked(browser: Chromium, pages: Path):
    browser.open(address(pages, "alarm"), *PHONE)
    first, x, y = browser.run("""(() => {
      const { v } = groups[0][0], [x0, y0] = spots[v].place(sizeOf(v) / scale);
      return [v, x0 * scale + shiftX + 2, y0 * scale + shiftY + 2];
    })()""")
    top = browser.run("canvas.getBoundingClientRect().top")
    browser.point(x, y + top, "mousePressed", "mouseReleased")
    assert browser.run("chosen") == first


def test_titles_of_frames_are_above_their_boxes(browser: Chromium, pages: Path):
    browser.open(address(pages, "clusters"))
    assert browser.run("titled.every(f => f.place(11 / scale)[3] <= Math.min(...groups[f.c].map(i => i.corners[1])))")


def test_a_finding_is_set_by_the_keyboard(browser: Chromium, pages: Path):
    browser.open(address(pages, "asia"))
    browser.press("/", *"lung", "Enter", "Tab")
    assert browser.run("document.activeElement.textContent") == "yes5.5 %"
    browser.press("Enter")
    assert browser.run("document.activeElement.textContent") == "yes100.0 %"
    for row in bnsl.query(str(EXAMPLE_DATA / "asia.bif"), "lung=yes").to_pylist():
        own = f"net.names.indexOf('{row['variable']}')"
        shown = browser.run(f"marginals[{own}][net.states[{own}].indexOf('{row['state']}')]")
        assert shown == pytest.approx(row["probability"])
    browser.press("Tab", "Tab", "Tab", "Enter")
    assert browser.run("net.names[chosen]") == "smoke" and browser.run("document.activeElement.tagName") == "H2"
    browser.press("Escape")
    assert "Most arcs" in browser.run("facts.textContent") and browser.said == []


def test_bars_are_of_the_states_most_probable_given_the_findings(browser: Chromium, tmp_path: Path):
    """Of ten states; the first state of the parent makes 0 to 6 probable, the second one 3 to 9."""
    names, wide = ("parent", "child"), tuple(f"s{i}" for i in range(10))
    variables = (Variable("parent", ("no", "yes")), Variable("child", wide))
    likely = np.array([[0.135] * 7 + [0.055 / 3] * 3, [0.055 / 3] * 3 + [0.135] * 7])
    model = Parameters(variables, ((), (0,)), (np.array([0.9, 0.1]), likely))
    shown = Probabilities((variables[0].states, wide), (model.tables[0], model.tables[0] @ likely), model, (1, 0))
    drawing = draw_network(network_of(model.parents, names), names, below=sizes_below(shown, "bars", names))
    page = tmp_path / "page.html"
    page.write_text(html_text(replace(drawing, probabilities=shown, boxes="bars")))
    browser.open(page.as_uri())
    assert browser.run("barsOf(1)") == [*([i] for i in range(7)), [7, 8, 9]]
    browser.run("observe(0, 1)")
    assert browser.run("barsOf(1)") == [*([i] for i in range(3, 10)), [0, 1, 2]]
    assert "3 others" in browser.run(WRITTEN) and browser.said == []


def test_any_name_behind_the_address(browser: Chromium, pages: Path):
    browser.open(address(pages, "asia") + "#%E0%A4%A")
    assert browser.run("chosen") == -1
    for name, chosen in (("tub", "tub"), ("%62ronc", "bronc"), ("50%", None), ("", None)):
        browser.run(f"location.hash = '{name}'")
        browser.wait()
        assert browser.run("net.names[chosen]") == chosen
    assert browser.said == []


def test_a_phone_shows_the_probabilities_of_what_is_chosen(browser: Chromium, pages: Path):
    browser.open(address(pages, "alarm") + "#VENTLUNG", *PHONE)
    rows = "[...document.querySelectorAll('.bars > button')].map(row => row.getBoundingClientRect())"
    panel = "document.querySelector('aside').getBoundingClientRect()"
    assert browser.run(f"{rows}.length === 4 && {rows}.every(r => r.top > 0 && r.bottom < {panel}.bottom)")


def test_a_tooltip_goes_away_at_a_click(browser: Chromium, pages: Path):
    browser.open(address(pages, "asia"))
    x, y = browser.run("[net.x[0] * scale + shiftX, (net.y[0] - half[0] + 8) * scale + shiftY]")
    browser.point(x, y)
    assert not browser.run("tip.hidden")
    browser.point(x, y, "mousePressed", "mouseReleased")
    browser.point(x + 2, y)
    assert browser.run("tip.hidden") and browser.run("chosen") == 0


def test_print_is_of_vectors_in_the_colours_of_paper(browser: Chromium, pages: Path):
    browser.open(address(pages, "alarm"), scheme="dark")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    texts = browser.run("[...sheet.querySelectorAll('text')].map(text => text.textContent)")
    assert set(browser.run("net.labels")) <= set(texts)
    printed = base64.b64decode(browser.ask("Page.printToPDF", printBackground=True)["data"])
    assert b"/Subtype /Image" not in printed and b"/Font" in printed
    assert len(re.findall(rb"/Type /Page\b", printed)) == 1
    browser.ask("Emulation.setEmulatedMedia", media="print", features=[])
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("[...document.querySelectorAll('#zoom, #search, #weak')].every(e => !e.offsetWidth)")
    assert browser.said == []
