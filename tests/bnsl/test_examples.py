"""The examples in docstrings run as they stand."""

from __future__ import annotations

import doctest
import importlib
import importlib.util

import pytest

import bnsl

MODULES = ["bnsl", "bnsl.commands", "bnsl.results", "bnsl.estimator"]


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_run(name: str):
    if name == "bnsl.estimator":
        pytest.importorskip("sklearn")
    found = doctest.testmod(importlib.import_module(name), extraglobs={"bnsl": bnsl})
    assert found.failed == 0 and found.attempted >= 2


def test_every_function_has_an_example():
    for name in bnsl.__all__:
        if name != "BayesianNetworkClassifier" or importlib.util.find_spec("sklearn"):
            value = getattr(bnsl, name)
            assert value.__doc__, name
            assert isinstance(value, type) or ">>> " in value.__doc__, name
