"""--boxes: bars and tables in pictures, probabilities of parts of networks, refusals that say what goes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers.places import EXAMPLE_DATA

import bnsl

ASIA, RANDOM = str(EXAMPLE_DATA / "asia.bif"), str(EXAMPLE_DATA / "random80.bif")


def data_of(page: str) -> dict:
    return json.loads(re.findall(r'type="application/json">(.*?)</script>', page)[0])


def test_bars_and_tables():
    bars = bnsl.convert(ASIA, to="svg", boxes="bars", quiet=True)
    assert bars.count('class="bar"') == 16 and "43.6 %" in bars
    tables = bnsl.convert(ASIA, to="svg", boxes="tables", quiet=True)
    assert "0.990" in tables and 'class="bar"' not in tables
    assert 'class="cell"' not in bnsl.convert(ASIA, to="svg", quiet=True)


def test_a_page_is_named_by_a_file_and_tells_its_facts(tmp_path: Path):
    assert "<h1>asia.bif</h1><p>8 variables, 8 arcs</p></div>" in bnsl.convert(ASIA, to="html", quiet=True)
    assert "<title>Part of asia.bif</title>" in bnsl.convert(ASIA, to="html", neighbourhood=["xray"], quiet=True)
    network, page = bnsl.read(ASIA), tmp_path / "lungs.html"
    assert "<title>Bayesian network</title>" in bnsl.convert(network, to="html", quiet=True)
    bnsl.convert(network, output=str(page), quiet=True)
    assert "<title>lungs.html</title>" in page.read_text()


def test_pages_show_bars_in_small_networks():
    assert data_of(bnsl.convert(ASIA, to="html", quiet=True))["boxes"] is not None
    held = data_of(bnsl.convert(ASIA, to="html", boxes="names", quiet=True))
    assert held["boxes"] is None and held["probabilities"] is None
    large = data_of(bnsl.convert(RANDOM, to="html", quiet=True))
    assert large["boxes"] is None and len(large["probabilities"]["marginals"]) == 80


def test_a_part_shows_probabilities_in_the_whole_network():
    whole = data_of(bnsl.convert(ASIA, to="html", quiet=True))
    part = data_of(bnsl.convert(ASIA, to="html", neighbourhood=["xray"], quiet=True))
    of = [whole["names"].index(name) for name in part["names"]]
    assert part["probabilities"]["marginals"] == [whole["probabilities"]["marginals"][v] for v in of]
    assert part["probabilities"]["order"] is None and "lacks parents" in part["probabilities"]["note"]
    with pytest.raises(bnsl.BnslError, match="lacks a parent"):
        bnsl.convert(ASIA, to="svg", boxes="tables", neighbourhood=["xray"], quiet=True)
    # A part with all its parents answers by itself.
    assert data_of(bnsl.convert(ASIA, to="html", neighbourhood=["tub"], radius=1, quiet=True))["names"]


def test_refusals(tmp_path: Path):
    with pytest.raises(bnsl.BnslError, match=r"needs a picture that shows probabilities"):
        bnsl.convert(ASIA, to="dot", boxes="bars", quiet=True)
    with pytest.raises(bnsl.BnslError, match="when you click on the variable"):
        bnsl.convert(ASIA, to="html", boxes="tables", quiet=True)
    path = tmp_path / "n.dot"
    path.write_text("digraph { a -> b }")
    with pytest.raises(bnsl.BnslError, match=r"no parameters"):
        bnsl.convert(str(path), to="svg", boxes="bars", quiet=True)
