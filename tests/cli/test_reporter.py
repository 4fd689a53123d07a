"""Progress in the middle of a pipe: plain lines where a person looks, silence elsewhere."""

from __future__ import annotations

import sys

import pytest

from bnsl_cli import reporter


@pytest.mark.parametrize(
    ("on_terminal", "verbosity", "lines"), [(True, 0, 1), (False, 0, 0), (False, 1, 1), (True, -1, 0)]
)
def test_plain_progress(monkeypatch, capsys, on_terminal: bool, verbosity: int, lines: int):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: on_terminal, raising=False)
    monkeypatch.setattr(reporter, "PLAIN_INTERVAL", 0.0)
    reporter.Reporter("bnsl test", verbosity).progress(1, 3)
    assert capsys.readouterr().err.count("bnsl test: 1/3") == lines
