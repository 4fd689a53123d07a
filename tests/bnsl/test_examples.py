"""The examples in docstrings run as they stand."""

from __future__ import annotations

import doctest
import importlib
import importlib.util

import pytest

import bnsl

MODULES = ["bnsl", "bnsl.networks", "bnsl.estimator"]


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_examples_of_modules_run(name: str):
    if name == "bnsl.estimator":
        pytest.importorskip("sklearn")
    found = doctest.testmod(importlib.import_module(name), extraglobs={"bnsl": bnsl})
    assert found.failed == 0 and found.attempted >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", bnsl.FUNCTIONS)
def test_examples_of_functions_run(name: str):
    examples = doctest.DocTestParser().get_doctest(getattr(bnsl, name).__doc__, {"bnsl": bnsl}, name, None, None)
    found = doctest.DocTestRunner().run(examples)
    assert found.failed == 0 and found.attempted >= 1


def test_every_name_has_its_documentation():
    for name in bnsl.__all__:
        if name != "BayesianNetworkClassifier" or importlib.util.find_spec("sklearn"):
            assert getattr(bnsl, name).__doc__, name
