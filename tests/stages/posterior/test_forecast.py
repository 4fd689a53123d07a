"""Forecasts of probabilities of arcs."""

from __future__ import annotations

import pytest
from naive.optimize.networks_search import random_table

from stages.posterior import PosteriorOptions, forecast
from stages.posterior.exact import exact_bytes
from stages.posterior.forecast import forecast_run


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(forecast, "PACE_SECONDS", 0.02)
    found = random_table(5, 6, max_parents=2, n_sets=6)
    return found.__class__(**{**vars(found), "header": found.header.__class__(found.header.variables, score="bdeu")})


def test_exact_sums_are_run(table):
    found = forecast_run(table, PosteriorOptions(), 3600.0, 0.5, 100 << 30)
    assert (found.method, found.variables, found.rows, found.sets) == ("exact", 6, None, table.n_sets)
    assert found.first_seconds == found.seconds is not None and found.reading_seconds == 0.5
    assert found.memory_bytes == (100 << 30) + exact_bytes(6) and found.proves.startswith("exact")


@pytest.mark.parametrize(("samples", "seconds"), [(4000, None), (None, 7.0)])
def test_the_pace_of_chains_is_scaled_up(table, samples: int | None, seconds: float | None):
    options = PosteriorOptions(method="sampled", samples=samples, chains=2, seed=1)
    found = forecast_run(table, options, seconds, 0.0, 1)
    assert found.first_seconds is not None and found.seconds is not None and found.seconds >= found.first_seconds
    assert seconds is None or found.seconds == seconds
    assert found.proves.startswith("estimates")
