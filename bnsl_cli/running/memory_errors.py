"""Whether an exception means that memory is exhausted, and the message for the user.

Under a limit on address space (``ulimit -v``) libraries cannot be loaded, or threads not started, before any array is
too large; these are other exceptions than `MemoryError`.
"""

from __future__ import annotations

import errno
import re
import resource
from collections.abc import Iterator

_SIGNS = re.compile("failed to map segment|cannot allocate memory", re.IGNORECASE)
_SIGNS_UNDER_A_LIMIT = re.compile(
    "start new thread|launch worker thread|load shared object|open shared object|LLVM", re.IGNORECASE
)


def out_of_memory(error: BaseException) -> str | None:
    """The message if memory is exhausted; None if the exception means something else."""
    limit = _limit_on_addresses()
    if not any(_is_of_memory(each, limit) for each in _chain(error)):
        return None
    if limit is None:
        return "out of memory"
    return (
        f"out of memory: the limit on address space is {limit >> 20:,} MiB (ulimit -v)\n"
        "  Raise it: with its libraries bnsl takes about 900 MiB of addresses before any data."
    )


def _is_of_memory(error: BaseException, limit: int | None) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    text = str(error)
    return bool(_SIGNS.search(text) or (limit is not None and _SIGNS_UNDER_A_LIMIT.search(text)))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception, and those that it was raised from."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def _limit_on_addresses() -> int | None:
    """Bytes of address space that the process may have; None if there is no limit."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit
