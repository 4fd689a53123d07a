"""What a notebook shows of a network."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from helpers.places import EXAMPLE_DATA

import bnsl
from bnsl import notebook_html

HOSTILE = ["</summary><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a&lt;b"]


class Parts(HTMLParser):
    """The elements of a text with their attributes, and its words; all elements must be closed in order."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.words, self.open = "", []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data + "\n"

    def names(self) -> set[str]:
        return {tag for tag, _ in self.found}


def picture(parts: Parts) -> ElementTree.Element:
    [source] = [attributes["src"] for tag, attributes in parts.found if tag == "img"]
    return ElementTree.fromstring(base64.b64decode(source.removeprefix("data:image/svg+xml;base64,")))


def test_picture_arcs_claim_and_past():
    table = {"a": [0, 1] * 20, "b": [1, 0] * 20, "c": [0, 1, 2, 1] * 10}
    learnt = bnsl.optimize(data=table, seed=1, quiet=True)
    parts = Parts(learnt._repr_html_())
    assert parts.words.startswith(f"bic {learnt.score:.4f}, 3 variables") and learnt.claim in parts.words
    assert "by optimize (" in parts.words and "seed 1" in parts.words and "fit" not in parts.words
    assert "".join(picture(parts).itertext()).count("parents: ") == sum(map(bool, learnt.record.parents))
    assert "details" not in parts.names() and parts.words.count("\nneither\n") == len(learnt.arcs)
    fitted = Parts(learnt.fit(table, smoothing=1, quiet=True)._repr_html_())
    assert "then fit (smoothing 1)" in fitted.words and "3 tables of probabilities" in fitted.words
    assert "a given b" in fitted.words or "b given a" in fitted.words
    assert [tag for tag, _ in fitted.found].count("details") == 1 + 3


def test_names_and_states_are_words_only():
    table = {HOSTILE[0]: HOSTILE * 10, HOSTILE[1]: HOSTILE * 10, HOSTILE[2]: HOSTILE * 10}
    network = bnsl.learn(table, smoothing=1, quiet=True)
    parts = Parts(network._repr_html_())
    allowed = {"p", "div", "img", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
    assert parts.names() <= allowed and len([tag for tag, _ in parts.found if tag == "img"]) == 1
    assert {name for _, attributes in parts.found for name in attributes} <= {"style", "src", "alt"}
    assert all(name in parts.words for name in HOSTILE)


def test_strong_arcs_come_first():
    table = {"a": [0, 1] * 20, "b": [1, 0] * 18 + [0, 1] * 2, "c": [0, 1, 1, 1] * 10}
    networks = bnsl.optimize(data=table, bootstrap=5, seed=1, quiet=True)
    consensus = bnsl.average(networks, threshold=0.1, quiet=True)
    parts = Parts(consensus._repr_html_())
    assert parts.words.startswith("consensus of 5 networks")
    cells = re.findall(r"<tr>(?:<td>[^<]*</td>){3}<td>([^<]*)</td>", consensus._repr_html_())
    assert len(cells) == len(consensus.arcs) and [*map(float, cells)] == sorted(map(float, cells), reverse=True)


def test_large_networks_are_bounded(monkeypatch: pytest.MonkeyPatch):
    alarm = bnsl.read(str(EXAMPLE_DATA / "alarm.bif"))
    whole = alarm._repr_html_()
    monkeypatch.setattr(notebook_html, "MOST_TABLES", 5)
    monkeypatch.setattr(notebook_html, "MOST_DRAWN", 37 + 46 - 1)
    less = Parts(alarm._repr_html_())
    assert "Too large to be drawn" in less.words and "img" not in less.names() and "32 more" in less.words
    assert [tag for tag, _ in less.found].count("details") == 1 + 5
    monkeypatch.setattr(notebook_html, "MOST_DRAWN", 37 + 46)
    assert picture(Parts(alarm._repr_html_())) is not None and len(whole) < 100_000
