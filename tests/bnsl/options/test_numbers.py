"""Numbers on the command line: every option refuses NaN and infinities, and values that no result is sound for."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import click
import numpy as np
import pytest
from click.testing import CliRunner

from bnsl.options.shared import ESS_RANGE
from bnsl_cli.main import COMMANDS, cli
from stages.kernels.counting.score_tables import log_gamma_table
from stages.scoring.independent import FamilyCounts, dirichlet_score


def number_options() -> list[tuple[str, str]]:
    """Commands with the options that take a number which need not be whole."""
    context = click.Context(cli)
    found = [(name, cli.get_command(context, name)) for name in COMMANDS]
    return [
        (name, parameter.opts[0])
        for name, command in found
        for parameter in command.params
        if isinstance(parameter.type, (click.FloatRange, click.types.FloatParamType))
    ]


@pytest.mark.parametrize(("command", "option"), number_options())
@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_numbers_are_finite(command: str, option: str, value: str):
    result = CliRunner().invoke(cli, [command, f"{option}={value}"])
    assert result.exit_code == 2 and f"Invalid value for '{option}'" in result.stderr, result.stderr


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [(command, "--ess", ess) for command in ("parentsets", "evaluate") for ess in ("5e-324", "1e-13", "1e6", "1e308")]
    + [("optimize", "--alpha", "0"), ("optimize", "--alpha", "1"), ("optimize", "--alpha", "-0.0")],
)
def test_values_beyond_the_range_are_refused(command: str, option: str, value: str):
    result = CliRunner().invoke(cli, [command, option, value])
    assert result.exit_code == 2 and "is not in the range" in result.stderr, result.stderr


def exact_score(tables: list[list[int]], ess: float, q: int) -> Decimal:
    """BDeu of a family from the product form of rising factorials, to 60 digits; `tables` per configuration."""
    row = Decimal(ess) / q
    cell = row / len(tables[0])

    def log_rising(start: Decimal, count: int) -> Decimal:
        return sum(((start + i).ln() for i in range(count)), Decimal(0))

    parts = [sum(log_rising(cell, c) for c in table) - log_rising(row, sum(table)) for table in tables]
    return sum(parts, Decimal(0))


@pytest.mark.parametrize("ess", ESS_RANGE)
@pytest.mark.parametrize(("n_rows", "n_states", "q"), [(1, 2, 1), (1, 20, 8), (10, 2, 8), (300, 3, 1), (300, 3, 100)])
def test_scores_are_accurate_up_to_the_ends_of_the_range(ess: float, n_rows: int, n_states: int, q: int):
    rng = np.random.default_rng(n_rows)
    counts = np.zeros((q, n_states), dtype=np.int64)
    np.add.at(counts, (rng.integers(q, size=n_rows), rng.integers(n_states, size=n_rows)), 1)
    tables = counts[counts.any(axis=1)]
    with localcontext(prec=60):
        exact = float(exact_score(tables.tolist(), ess, q))
    cell, row = log_gamma_table(ess / q / n_states, n_rows), log_gamma_table(ess / q, n_rows)
    score = math.fsum(cell[tables].ravel()) - math.fsum(row[tables.sum(axis=1)])
    assert score == pytest.approx(exact, rel=1e-9, abs=0)
    joint, marginal = tables[tables > 0], np.repeat(tables.sum(axis=1), (tables > 0).sum(axis=1))
    family = FamilyCounts(joint, marginal, tables.sum(axis=1), n_rows, n_states, float(q))
    assert dirichlet_score(family, ess / q / n_states) == pytest.approx(exact, rel=1e-9, abs=0)
