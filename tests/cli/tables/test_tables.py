"""Tables on terminals of any width: lines fit, numbers stay whole, names stay apart."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from bnsl.options import shared
from bnsl_cli.tables import layout, measure_tables, network_tables, stage_results
from formats.data_records import Variable
from formats.records import EntropyTable, Header, NetworkRecord
from formats.schemas import Key

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
NAMES = [f"patient_measure_of_blood_pressure_{v}_systolic_mean" for v in range(9)]
WIDTHS = (200, 80, 60, 40, 20)
PLACE = shared.Target(output="-", format="table")


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The width of what seems to be a terminal on standard output."""
    monkeypatch.setattr(layout, "is_terminal", lambda target: target == "-")
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def shown(capfdbinary) -> list[str]:
    sys.stdout.flush()
    return ESCAPES.sub("", capfdbinary.readouterr().out.decode()).splitlines()


def network_of(names: list[str]) -> NetworkRecord:
    parents = tuple(tuple(range(max(0, v - 2), v)) for v in range(len(names)))
    header = Header(tuple(map(Variable, names)), "bic", extra={"total": -123456.789})
    return NetworkRecord(header, parents, -12345.25 - np.arange(len(names)))


def test_a_network_fits(width: int, capfdbinary):
    network_tables.show_network(PLACE, network_of(NAMES))
    lines = shown(capfdbinary)
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert all(f"-12,34{5 + v}.25" in text for v in range(5)) and "-123,456.7890" in " ".join(text.split())


def test_names_of_a_network_stay_apart(width: int, capfdbinary):
    short = layout.fitting_names("-", NAMES)
    assert len(set(short)) == len(NAMES) and max(map(len, short)) <= max(8, width * 2 // 7)
    network_tables.show_network(PLACE, network_of(NAMES))
    text = "\n".join(shown(capfdbinary))
    assert [name for name in short if name not in text] == []


@pytest.mark.parametrize("n_variables", [3, 9])
def test_entropies_fit(width: int, n_variables: int, capfdbinary):
    rng = np.random.default_rng(1)
    conditional = rng.uniform(0, 1, (n_variables, n_variables))
    variables = tuple(map(Variable, "abc" if n_variables == 3 else NAMES))
    states, entropy = np.full(n_variables, 2, dtype=np.int32), rng.uniform(0, 1, n_variables)
    stage_results.show_entropies("-", EntropyTable(variables, states, entropy, conditional, 300, "sha256:1"), None)
    lines = shown(capfdbinary)
    assert max(map(len, lines)) <= width
    is_matrix = "H(.|" in "".join(lines)
    assert is_matrix == (n_variables == 3 and width >= 60)
    figures = entropy if is_matrix else conditional[~np.eye(n_variables, dtype=bool)]
    assert all(f"{value:.4f}" in "\n".join(lines) for value in figures)


def test_wide_entropies_are_pairs_strongest_first(width: int, capfdbinary):
    rng = np.random.default_rng(2)
    n_variables = 50
    conditional = rng.uniform(0, 2, (n_variables, n_variables))
    variables = tuple(Variable(f"{name}{v}") for v in range(n_variables) for name in NAMES[:1])
    table = EntropyTable(
        variables, np.full(n_variables, 9, dtype=np.int32), np.full(n_variables, 2.0), conditional, 9, "sha256:1"
    )
    above = np.triu(2.0 - conditional, 1)
    pairs = sorted(zip(*np.triu_indices(n_variables, 1)), key=lambda pair: -above[pair])
    assert [(x, y) for x, y, _ in stage_results.strongest_pairs(table, 7)] == pairs[:7]
    assert [(x, y) for x, y, _ in stage_results.strongest_pairs(table, 10_000)] == pairs
    stage_results.show_entropies("-", table, 7)
    lines = shown(capfdbinary)
    text = " ".join(" ".join(lines).split())
    assert max(map(len, lines)) <= width and "1,218 weaker pairs" in text
    places = [text.index(f"{above[pair]:.4f}") for pair in pairs[:7]]
    assert places == sorted(places)


KEYS = [
    Key("arcs", "integer", "number of arcs"),
    Key("bic", "number", "BIC", unit="nats"),
    Key("treewidth_upper", "integer", "bound"),
    Key("shd", "integer", "distance"),
]


def test_networks_are_rows(width: int, capfdbinary):
    records = [
        {"network": f"runs/of_a_long_name_{seed}_and_more.net.jsonl", "arcs": 10 + seed, "bic": -1e6 - seed / 8}
        | {"treewidth_upper": 123_456_789, "shd": 7}
        for seed in range(3)
    ]
    measure_tables.show_measures(PLACE, records, KEYS)
    lines = shown(capfdbinary)
    text = "\n".join(lines)
    assert max(map(len, lines)) <= width or width == 20
    assert text.count("123,456,789") == 3
    assert all(f"-1,000,000.{decimals}" in text for decimals in ("0000", "1250", "2500"))
    if width >= 80:
        assert len({line.split()[0] for line in lines if "of_a" in line or "…" in line}) == 3


def test_one_network_has_meanings(width: int, capfdbinary):
    measure_tables.show_measures(PLACE, [{"network": "n.jsonl", "arcs": 12, "bic": -1234567.25}], KEYS)
    text = "\n".join(shown(capfdbinary))
    assert "-1,234,567.2500" in text and "nats" in text


def test_of_huge_figures_the_known_digits_are_shown(width: int, capfdbinary):
    keys = (Key("jointree_cells", "number", "cells"), Key("parameters", "integer", "free parameters"))
    measure_tables.show_measures(
        PLACE, [{"network": "n", "jointree_cells": 8.673617379884037e41, "parameters": 10**18}], keys
    )
    text = "".join(shown(capfdbinary))
    assert "8.67362e+41" in text and "1,000,000,000,000,000,000" in text


def test_files_have_names_in_full(tmp_path):
    target = tmp_path / "table.txt"
    place = shared.Target(output=str(target), format="table")
    network_tables.show_network(place, network_of([name[:30] for name in NAMES[:1]]))
    assert NAMES[0][:30] in target.read_text()


def test_omitted_rows_are_counted(width: int, capfdbinary):
    values = [[f"v{row}" for row in range(shared.TERMINAL_ROWS + 3)]]
    most = shared.Target(output="-").rows_shown
    stage_results.show_results("-", {"variable": "text"}, values, most, "done")
    text = " ".join(" ".join(shown(capfdbinary)).split())
    assert "... 3 more rows; --format table" in text and f"v{shared.TERMINAL_ROWS} " not in text
