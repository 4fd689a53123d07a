"""Packages that the command line leaves out."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from formats import idle_packages


def test_what_is_left_out_is_not_found(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    assert importlib.util.find_spec("pandas") is not None
    idle_packages.leave_out()
    idle_packages.leave_out()
    with pytest.raises(ModuleNotFoundError, match="pandas"):
        importlib.import_module("pandas")
    assert importlib.util.find_spec("json") is not None
