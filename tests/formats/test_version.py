"""The version of the running code is that of the installation."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from helpers.places import ROOT

import bnsl
from formats.provenance import append_command
from formats.records import Header
from formats.version import VERSION


def test_headers_and_the_package_say_what_was_installed():
    assert append_command(Header(()), "s", {}).by[0]["version"] == VERSION == bnsl.__version__
    assert metadata.version("bnsl-cli") == VERSION


def test_code_that_was_never_installed_says_so(tmp_path: Path):
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats" / "__init__.py").touch()
    shutil.copy(ROOT / "formats" / "version.py", tmp_path / "formats")
    # -S: without the packages that are installed.
    line = [sys.executable, "-S", "-c", "from formats.version import VERSION; print(VERSION)"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "0+unknown\n"


def test_it_is_a_version_as_packages_spell_it():
    assert re.fullmatch(r"\d+(\.\d+)*(\.dev\d+)?(\+[a-z0-9]+(\.[a-z0-9]+)*)?", VERSION)
