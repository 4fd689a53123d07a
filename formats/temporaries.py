"""Temporary files beside a target, which replace it in one step when they are complete.

A temporary file is called ``.NAME.HOST-PID-RANDOM.tmp``, with at most 40 letters of the target's name. A killed
process leaves its temporary file behind; the next process to write the same target on the same host removes it.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from typing import BinaryIO

# Creates a new file or fails: never opens an existing file, nor the target of a link that someone has put there.
_MADE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

_unfinished: set[str] = set()
"""Temporary files of this process that are being written."""


@contextlib.contextmanager
def replacement(target: str) -> Iterator[BinaryIO]:
    """Open a stream whose bytes become the regular file `target` once all are written; on any exception the target
    stays unchanged.

    A link is followed. An existing file passes on its mode and group, and its owner if the process runs as root.
    """
    place = os.path.realpath(target)
    folder, name = os.path.split(place)
    host = re.sub(r"[^\w.]", "_", os.uname().nodename)[:24]
    beginning = f".{name[:40]}.{host}-"
    # The random part makes the name unique; from host and process a later run learns whether the maker has ended.
    _remove_abandoned(folder, beginning)
    temporary = os.path.join(folder, f"{beginning}{os.getpid()}-{os.urandom(8).hex()}.tmp")
    _unfinished.add(temporary)
    try:
        with open(temporary, "wb", opener=lambda path, _: _create(path, place)) as stream:
            yield stream
            stream.flush()
            # The bytes are written before the name changes, so a crash leaves the former file or the whole new one.
            os.fsync(stream.fileno())
        os.replace(temporary, place)
    finally:
        with contextlib.suppress(OSError):  # after a rename there is nothing to remove
            os.unlink(temporary)
        _unfinished.discard(temporary)


def remove_unfinished() -> None:
    """Remove the temporary files of this process, which ends at once."""
    for temporary in _unfinished:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _create(path: str, model: str) -> int:
    """The descriptor of a new file with the mode and group of another one, if that exists."""
    try:
        old = os.stat(model)
    except FileNotFoundError:
        return os.open(path, _MADE, 0o666)
    # Closed to all other users until it has the rights of the file that it replaces.
    descriptor = os.open(path, _MADE, 0o600)
    keep_access(descriptor, old)
    return descriptor


def keep_access(descriptor: int, old: os.stat_result) -> None:
    """Give an open file the mode and group of another one, and its owner if the process runs as root."""
    mode = stat.S_IMODE(old.st_mode)
    try:
        os.fchown(descriptor, old.st_uid if os.geteuid() == 0 else -1, old.st_gid)
    except OSError:  # not a member of that group: this user's group gets the rights of all others
        mode = mode & 0o707 | (mode & 0o007) << 3
    # After owner and group, since changing these may clear bits of the mode, and the group's rights are meant for the
    # new group.
    os.fchmod(descriptor, mode)


def _remove_abandoned(folder: str, beginning: str) -> None:
    """Remove the temporary files with this beginning of the name whose processes have ended."""
    pattern = re.compile(rf"{re.escape(beginning)}(\d+)-[0-9a-f]+\.tmp")
    with contextlib.suppress(OSError):
        for found in filter(None, map(pattern.fullmatch, os.listdir(folder))):
            if not _is_running(int(found[1])):
                os.unlink(os.path.join(folder, found[0]))


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    # The process runs and belongs to another user.
    except PermissionError:
        pass
    return True
