"""The version of the running code, for headers of files, ``--version`` and workers elsewhere.

Installation writes it from git into ``_version.py`` (setuptools-scm; `pyproject.toml`): the next release, the number
of commits, the commit. In a checkout installed for editing, the commit may have changed since; then it is read from
git's files, without a process.
"""

from __future__ import annotations

import re
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
"""The folder of the packages."""

SHOWN = 9
"""Hexadecimal digits of a commit, as many as setuptools-scm writes."""


def installed_version() -> str:
    """Version at the time of installation; ``0+unknown`` if this code was never installed.

    Cleaning a checkout removes ``_version.py``; what an installation for editing noted beside the packages stays.
    """
    try:
        from . import _version
    except ImportError:
        return noted_version(HOME) or "0+unknown"
    return _version.VERSION


def noted_version(home: Path) -> str | None:
    """The version that was noted when `home` was installed for editing; None if it was not."""
    import json
    from importlib import metadata

    for found in metadata.distributions(name="bnsl-cli"):
        if json.loads(found.read_text("direct_url.json") or "{}").get("url") == home.as_uri():
            return found.version
    return None


def running_version(installed: str, home: Path) -> str:
    """The installed version, followed by ``.head.gCOMMIT`` if `home` is a checkout that is now at another commit."""
    commit = checked_out_commit(home)
    at_installation = re.search(r"[+.]g([0-9a-f]+)", installed)
    if commit is None or (at_installation and commit.startswith(at_installation[1])):
        return installed
    return f"{installed}{'.' if '+' in installed else '+'}head.g{commit[:SHOWN]}"


def checked_out_commit(home: Path) -> str | None:
    """The commit that is checked out in `home`; None if there is none, or git stores it otherwise."""
    try:
        if 'name = "bnsl-cli"' not in (home / "pyproject.toml").read_text():
            return None
        folder = home / ".git"
        if folder.is_file():  # a worktree or a submodule
            folder = home / folder.read_text().removeprefix("gitdir:").strip()
        head = (folder / "HEAD").read_text().strip()
        found = _commit_of(folder, head.removeprefix("ref:").strip()) if head.startswith("ref:") else head
    except (OSError, ValueError):
        return None
    return found if found and re.fullmatch("[0-9a-f]{40,64}", found) else None


def _commit_of(folder: Path, branch: str) -> str | None:
    """The commit that a branch points to; worktrees share the branches of the repository."""
    shared = folder / "commondir"
    common = folder / shared.read_text().strip() if shared.exists() else folder
    if (common / branch).exists():
        return (common / branch).read_text().strip()
    packed = re.search(rf"(?m)^([0-9a-f]+) {re.escape(branch)}$", (common / "packed-refs").read_text())
    return packed[1] if packed else None


VERSION = running_version(installed_version(), HOME)
"""Version of this program, as PEP 440 spells it."""
