"""The module can be explored where scikit-learn, an extra, is not installed."""

from __future__ import annotations

import subprocess
import sys

import bnsl

HIDDEN = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sklearn", "pandas", "polars", "networkx", "pgmpy", "pyagrum"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Finder())
"""


def _run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", HIDDEN + code], capture_output=True, text=True, check=True).stdout


def test_help_lists_all_names():
    text = _run("import bnsl, pydoc; print(pydoc.render_doc(bnsl, renderer=pydoc.plaintext))")
    assert "class BayesianNetworkClassifier" in text and "pip install scikit-learn" in text
    assert "impute(" in text


def test_all_names_can_be_imported():
    code = "from bnsl import *\nimport bnsl, inspect\nprint(Network.__name__, *dict(inspect.getmembers(bnsl)))"
    assert _run(code).split() == ["Network", *bnsl.__all__]


def test_the_classifier_says_what_to_install():
    code = "import bnsl\ntry: bnsl.BayesianNetworkClassifier()\nexcept ImportError as error: print(error)"
    assert _run(code).strip() == "BayesianNetworkClassifier needs scikit-learn: pip install scikit-learn"
