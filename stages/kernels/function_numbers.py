"""Process-specific numbers of functions, needed because compiled code of all processes meets in one cache.

numba names a compiled function by its module, name, argument types and a number, which each process counts from 1.
Functions made within functions, such as the parts of a sorting routine for other keys, differ by that number alone.
Processes that fill a cache together would give one name to two such functions. LLVM keeps the first of two functions
of one name, so a later process would call the wrong one (numba issue 10486). Here each process counts from a random
number.
"""

import itertools
import os
import secrets

from numba.core.bytecode import FunctionIdentity

BITS = 62


def start() -> bool:
    """Count from a process-specific number, also in forks; False, and nothing may be stored, if this numba counts
    otherwise.
    """
    if not hasattr(FunctionIdentity, "_unique_ids"):
        return False
    _count_anew()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_count_anew)
    return True


def _count_anew() -> None:
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(BITS))
