"""Why a kernel refuses its arguments: each has one type, exactly."""

import numpy as np

NUMBERS = {
    "l": "int64", "i": "int32", "b": "int8", "L": "uint64", "I": "uint32", "B": "uint8", "d": "float64", "?": "bool",
}  # fmt: skip
"""Types of numbers by the letters that machine code has for them."""

PYTHON = {"l": int, "d": float, "?": bool}
"""Types of Python that are passed as such numbers."""


def why_refused(function, text, given):
    """The first argument that does not have its type, in words.

    Parameters
    ----------
    function : function
        The plain function of the kernel.
    text : str
        Types of its arguments, one after the other: a letter of `NUMBERS`, ``A``, a letter and a digit for an array
        of that many dimensions, ``(...)`` for a tuple, ``G`` for a generator, ``n`` for None.
    given : tuple
        The arguments.
    """
    name = f"{function.__module__}.{function.__name__}"
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    if len(given) != len(names):
        return f"{name} takes {len(names)} arguments, and {len(given)} were given"
    for argument, value in zip(names, given):
        text, found = _checked(text, value, argument)
        if found:
            return f"{name}: {found}"
    return f"{name}: an argument was refused"


def _checked(text, value, place):
    """The text behind the first type, and what is wrong with a value of that type."""
    letter, rest = text[0], text[1:]
    if letter == "(":
        return _checked_entries(rest, value, place)
    if letter == "A":
        kind, dimensions = NUMBERS[rest[0]], int(rest[1])
        fits = isinstance(value, np.ndarray) and value.dtype == kind and value.ndim == dimensions
        if fits and value.flags.carray:
            return rest[2:], None
        wanted = f"a writable, C-contiguous array of {kind} with {dimensions} dimension{'s' * (dimensions != 1)}"
        return rest[2:], f"{place} must be {wanted}, not {_described(value)}"
    if letter == "G":
        wanted, fits = "a numpy.random.Generator", isinstance(value, np.random.Generator)
    elif letter == "n":
        wanted, fits = "None", value is None
    else:
        wanted, fits = _number(letter), _is_number(letter, value)
    return rest, None if fits else f"{place} must be {wanted}, not {_described(value)}"


def _checked_entries(text, value, place):
    if not isinstance(value, tuple):
        return text, f"{place} must be a tuple, not {_described(value)}"
    names = getattr(value, "_fields", range(len(value)))
    for name, entry in zip(names, value):
        if text[0] == ")":
            return text, f"{place} has {len(value)} entries, which are too many"
        text, found = _checked(text, entry, f"{place}.{name}" if isinstance(name, str) else f"{place}[{name}]")
        if found:
            return text, found
    return text[1:], None if text[0] == ")" else f"{place} has {len(value)} entries, which are too few"


def _is_number(letter, value):
    if isinstance(value, np.generic):
        return value.dtype == NUMBERS[letter]
    return type(value) is PYTHON.get(letter) and (letter != "l" or -(2**63) <= value < 2**63)


def _number(letter):
    kinds = [PYTHON[letter].__name__] if letter in PYTHON else []
    return " or ".join([*kinds, f"numpy.{NUMBERS[letter]}"])


def _described(value):
    if not isinstance(value, np.ndarray):
        return (
            f"{type(value).__module__}.{type(value).__name__}" if isinstance(value, np.generic) else repr(value)[:80]
        )
    flags = [] if value.flags.writeable else ["read-only"]
    flags += [] if value.flags.c_contiguous else ["not contiguous"]
    flags += [] if value.flags.aligned else ["not aligned"]
    return ", ".join([f"an array of {value.dtype} of shape {value.shape}", *flags])
