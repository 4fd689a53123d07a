"""Packages that the command line leaves out, until a package of others is loaded."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from formats import idle_packages


def test_what_is_left_out_is_not_found_until_it_is_admitted(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    idle_packages.leave_out()
    idle_packages.leave_out()
    with pytest.raises(ModuleNotFoundError, match="pandas"):
        importlib.import_module("pandas")
    assert importlib.util.find_spec("json") is not None
    idle_packages.admit()
    idle_packages.admit()
    assert importlib.util.find_spec("pandas") is not None
