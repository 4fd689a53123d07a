"""Process-specific numbers of functions, needed because compiled code of all processes meets in one cache.

numba names a compiled function by its module, name, argument types and a number, which each process counts from 1.
Functions made within functions, such as the parts of a sorting routine for other keys, differ by that number alone.
Processes that fill a cache together would give one name to two such functions. LLVM keeps the first of two functions
of one name, so a later process would call the wrong one (numba issue 10486). Here each process counts from a random
number.
"""

import hashlib
import itertools
import os
import secrets
import sys
from collections.abc import Mapping

from numba.core.bytecode import FunctionIdentity

SEED = "BNSL_FUNCTION_NUMBERS"
"""Setting for the build of a wheel, which has to be reproducible: numbers follow from it and from the command line.
Use it only for a build that runs each command once, and one command at a time.
"""

BITS = 62


def first_number(environment: Mapping[str, str], arguments: list[str]) -> int:
    """Where a process begins to count."""
    if SEED not in environment:
        return secrets.randbits(BITS)
    digest = hashlib.sha256(repr((environment[SEED], arguments)).encode()).digest()
    return int.from_bytes(digest, "big") >> (8 * len(digest) - BITS)


def start() -> bool:
    """Count from a process-specific number, also in forks; False, and nothing may be stored, if this numba counts
    otherwise.
    """
    if not hasattr(FunctionIdentity, "_unique_ids"):
        return False
    FunctionIdentity._unique_ids = itertools.count(first_number(os.environ, sys.argv[1:]))
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_start_in_fork)
    return True


def _start_in_fork() -> None:
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(BITS))
