"""The version of the running code: what the installation wrote, and the commit that is checked out now."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.places import ROOT

import bnsl
from formats.provenance import append_command
from formats.records import Header
from formats.version import VERSION, checked_out_commit, noted_version, running_version

FIRST, SECOND = "0123456789abcdef" * 2 + "01234567", "fedcba9876543210" * 2 + "fedcba98"


def checkout(folder: Path, files: dict[str, str]) -> Path:
    """A checkout of this project with these files of git."""
    (folder / "pyproject.toml").write_text('name = "bnsl-cli"\n')
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_headers_and_the_package_say_the_same():
    assert append_command(Header(()), "s", {}).by[0]["version"] == VERSION == bnsl.__version__


@pytest.mark.parametrize(
    "files",
    [
        {".git/HEAD": f"{FIRST}\n"},
        {".git/HEAD": "ref: refs/heads/a/b\n", ".git/refs/heads/a/b": f"{FIRST}\n"},
        {".git/HEAD": "ref: refs/heads/a\n", ".git/packed-refs": f"{SECOND} refs/heads/b\n{FIRST} refs/heads/a\n"},
        {
            ".git": "gitdir: main/worktrees/w\n", "main/worktrees/w/HEAD": "ref: refs/heads/w\n",
            "main/worktrees/w/commondir": "../..\n", "main/refs/heads/w": f"{FIRST}\n",
        },
    ],
    ids=["detached", "branch", "packed", "worktree"],
)  # fmt: skip
def test_the_commit_that_is_checked_out(files: dict[str, str], tmp_path: Path):
    home = checkout(tmp_path, files)
    assert checked_out_commit(home) == FIRST
    assert running_version("0.2.0.dev5+g012345678", home) == "0.2.0.dev5+g012345678"
    assert running_version("0.2.0.dev5+g012345678.d20261127", home) == "0.2.0.dev5+g012345678.d20261127"
    assert running_version("0.2.0.dev4+gfedcba987", home) == "0.2.0.dev4+gfedcba987.head.g012345678"
    assert running_version("0+unknown", home) == "0+unknown.head.g012345678"
    assert running_version("0.2.0", home) == "0.2.0+head.g012345678"


@pytest.mark.parametrize(
    "files",
    [
        {},
        {".git/HEAD": "ref: refs/heads/none\n", ".git/packed-refs": ""},
        {".git/HEAD": "ref: refs/heads/.invalid\n"},  # as git's newer storage of branches has it
        {".git/HEAD": "nonsense"},
        {
            ".git/HEAD": f"{FIRST}\n",
            "pyproject.toml": 'name = "other"\n',
        },  # installed into the folder of another project
    ],
)
def test_without_a_commit_the_installed_version_holds(files: dict[str, str], tmp_path: Path):
    assert running_version("0.2.0.dev4+gfedcba987", checkout(tmp_path, files)) == "0.2.0.dev4+gfedcba987"


def test_it_agrees_with_git():
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    commit = done.stdout.strip() if (ROOT / ".git").exists() and done.returncode == 0 else None
    assert checked_out_commit(ROOT) == commit
    assert commit is None or commit[:7] in VERSION


def test_code_that_was_never_installed_says_so(tmp_path: Path):
    source = (ROOT / "formats" / "version.py").read_text()
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats" / "__init__.py").touch()
    (tmp_path / "formats" / "version.py").write_text(source)
    line = [sys.executable, "-c", "from formats.version import VERSION; print(VERSION)"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "0+unknown\n"


def test_a_cleaned_checkout_has_the_version_of_its_installation(tmp_path: Path, monkeypatch):
    noted = tmp_path / "site" / "bnsl_cli-0.2.0.dev5+g012345678.dist-info"
    noted.mkdir(parents=True)
    (noted / "METADATA").write_text("Name: bnsl-cli\nVersion: 0.2.0.dev5+g012345678\n")
    (noted / "direct_url.json").write_text(f'{{"dir_info": {{"editable": true}}, "url": "{tmp_path.as_uri()}"}}')
    monkeypatch.setattr(sys, "path", [str(noted.parent)])
    assert noted_version(tmp_path) == "0.2.0.dev5+g012345678"
    assert noted_version(tmp_path / "other") is None


def test_it_is_a_version_as_packages_spell_it():
    assert re.fullmatch(r"\d+(\.\d+)*(\.dev\d+)?(\+[a-z0-9]+(\.[a-z0-9]+)*)?", VERSION)
