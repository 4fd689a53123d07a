"""Where compiled kernels are stored, and whether that folder can be trusted.

Cached kernels are pickles: reading one runs code of whoever wrote it. So a folder is used only if nobody else can
have written to it; ssh applies the same rule to its files.
"""

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping


def cache_root(environment: Mapping[str, str]) -> str:
    """``NUMBA_CACHE_DIR``, else the folder ``bnsl`` in the user's cache; not absolute if the user has no home."""
    if folder := environment.get("NUMBA_CACHE_DIR"):
        return folder
    base = environment.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "bnsl")


def why_not_trusted(root: str, folder: str) -> str | None:
    """Create `folder` if it is absent, and give the reason why kernels must not be stored in or read from it.

    `root` must belong to the user, to root or to the owner of this program (whose code runs anyway), and nobody else
    may write to it. The same holds for every folder from `root` down to `folder`. A folder above that everybody can
    write to must be sticky, as ``/tmp`` is. Returns None if the folder can be trusted.
    """
    if not os.path.isabs(root):
        return f"{root} is not an absolute path"
    root, folder = os.path.realpath(root), os.path.realpath(folder)
    trusted = {0, os.geteuid(), os.stat(__file__).st_uid}
    try:
        _create(folder)
        for path in _with_parents(folder):
            status = os.stat(path)
            if len(path) >= len(root):
                if status.st_uid not in trusted:
                    return f"{path} belongs to another user"
                if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                    return f"others may write to {path}"
            elif status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
                return f"others may rename what is in {path}"
    except OSError as error:
        return f"{folder} cannot be used ({error.strerror})"
    return None


def _create(folder: str) -> None:
    """Make a folder and all folders above it, closed to others whatever the umask is."""
    if not os.path.isdir(folder):
        _create(os.path.dirname(folder))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def _with_parents(path: str) -> Iterator[str]:
    """A path and all folders above it."""
    yield path
    while path != os.path.dirname(path):
        path = os.path.dirname(path)
        yield path
