"""What a page computes at a click is what `bnsl query` answers: its own script, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from helpers.cases.inference import chain_of_small_numbers, random_evidence, small_network
from helpers.places import EXAMPLE_DATA

import bnsl
from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.pictures.html import TEMPLATE
from formats.records import Parameters
from stages.inference import shown_probabilities as shown
from stages.inference.junction_trees import Engine
from stages.inference.queries import marginals

NODE = shutil.which("node")


def answered(model: Parameters, questions: list[tuple[dict[int, int], list[int]]], most: float = 20e6) -> list:
    """Answers to evidence and wanted variables; `most` cells in place of the limit."""
    if NODE is None:
        pytest.skip("needs node")
    found = shown.shown_probabilities(model)
    assert not isinstance(found, str) and found.order is not None
    told = {
        "sizes": [len(states) for states in found.states],
        "parents": model.parents,
        "tables": [table.ravel().tolist() for table in model.tables],
        "order": found.order,
    }
    rows = [[list(evidence.items()), wanted] for evidence, wanted in questions]
    text = json.dumps({"model": told, "questions": rows, "most": most})
    script = [str(NODE), str(Path(__file__).with_name("answers.js")), str(TEMPLATE.with_name("answers.js"))]
    done = subprocess.run(script, input=text, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def check(model: Parameters, evidence: list[dict[int, int]], step: int = 1) -> None:
    """All variables at once; and alone the ones whose number is a multiple of `step`, for which less is computed."""
    engine, variables = Engine(model), range(len(model.variables))
    wanted = [[*variables], *([v] for v in variables[::step])]
    found = iter(answered(model, [(row, asked) for row in evidence for asked in wanted]))
    for row in evidence:
        try:
            right = marginals(engine, row, variables)
        except Inconsistent:
            assert [next(found) for _ in wanted] == [None] * len(wanted)
            continue
        for asked, own in zip(wanted, found):
            assert own["log"] == pytest.approx(right.log_probability, abs=1e-9)
            for v in asked:
                np.testing.assert_allclose(own["marginals"][v], right.found[v], atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_small_networks(seed: int):
    """With zeros among the parameters, so some evidence is impossible."""
    model = small_network(seed, zeros=0.2)
    check(model, [{}, *(random_evidence(model, number) for number in range(5))])


@pytest.mark.parametrize("name", ["asia", "alarm"])
def test_bundled_networks(name: str):
    model = bnsl.read(str(EXAMPLE_DATA / f"{name}.bif")).model
    check(model, [{}, *(random_evidence(model, number, 0.2) for number in range(4))], 5)


def test_many_small_probabilities_do_not_vanish():
    model = chain_of_small_numbers()
    check(model, [dict.fromkeys(range(1, 701), 1)], 350)


def diamond() -> Parameters:
    variables = tuple(Variable(f"X{i}", ("0", "1")) for i in range(4))
    tables = tuple(np.full((2,) * k, 0.5) for k in (1, 2, 2, 3))
    return Parameters(variables, ((), (0,), (0,), (1, 2)), tables)


def test_too_many_cells_for_one_question_leave_others():
    """Of all four variables; of the first one, below which nothing counts; of both ends, where X3 is observed."""
    questions = [({}, [0, 1, 2, 3]), ({}, [0]), ({0: 0}, [1]), ({3: 1}, [0])]
    found = answered(diamond(), questions, most=4)
    assert found[0] == {"marginals": [], "log": None, "cells": found[0]["cells"]} and found[0]["cells"] >= 8 + 4 + 2
    assert found[1]["cells"] == found[2]["cells"] == 2 and found[2]["marginals"] == [None, [0.5, 0.5]]
    assert found[3]["marginals"] == []


def test_beyond_the_limits_marginals_remain_and_the_note_says_why(monkeypatch: pytest.MonkeyPatch):
    model = diamond()
    monkeypatch.setattr(shown, "PAGE_CELLS", 2 + 4 + 4 + 8)
    found = shown.shown_probabilities(model)
    assert not isinstance(found, str) and found.model is model and found.order is not None and not found.note
    monkeypatch.setattr(shown, "PAGE_CELLS", 2 + 4 + 4 + 8 - 1)
    found = shown.shown_probabilities(model)
    assert not isinstance(found, str) and found.model is None and found.order is None and len(found.marginals) == 4
    assert found.note.startswith("Findings cannot be set here: the network has 18 parameters, more than the 17")
    monkeypatch.setattr(shown, "MOST_CELLS", 8)
    assert "the junction tree of a greedy" in str(shown.shown_probabilities(model))
    monkeypatch.setattr(shown, "MOST_CELLS", 7)
    assert "a clique of a greedy" in str(shown.shown_probabilities(model))
    monkeypatch.setattr(shown, "MOST_CELLS", 18)
    assert not isinstance(shown.shown_probabilities(model, (0, 1, 2, 3)), str)


def test_the_page_says_why_there_are_no_probabilities(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(shown, "MOST_CELLS", 7)
    page = tmp_path / "page.html"
    bnsl.convert(str(EXAMPLE_DATA / "asia.bif"), output=str(page))
    assert "Probabilities are left out" in capsys.readouterr().err
    assert '"absent":"Probabilities are left out: a clique' in page.read_text()


def test_boxes_of_names_ask_for_no_probabilities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shown, "MOST_CELLS", 7)
    page = tmp_path / "page.html"
    bnsl.convert(str(EXAMPLE_DATA / "asia.bif"), output=str(page), boxes="names")
    assert '"probabilities":null,"absent":""' in page.read_text()


def test_cells_of_buckets():
    """A chain of 2, 3 and 4 states, eliminated from its start: buckets over 2 x 3, 3 x 4 and 4 cells."""
    variables = tuple(Variable(f"X{i}", tuple("abcd"[: i + 2])) for i in range(3))
    tables = (np.ones(2) / 2, np.ones((2, 3)) / 3, np.ones((3, 4)) / 4)
    model = Parameters(variables, ((), (0,), (1,)), tables)
    assert shown.bucket_cells(model, (0, 1, 2)) == 6 + 12 + 4
    assert shown.bucket_cells(model, (1, 0, 2)) == 24 + 8 + 4
