"""Selection of the columns of a table by name."""

from __future__ import annotations

import csv
import fnmatch
import io
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from ..errors import UnsuitableData
from ..wording import option_value

_WILD = frozenset("*?[")


def names_like(pattern: str, names: Collection[str]) -> list[str]:
    """The name itself if it is one of `names`; else all names that match it as a pattern with ``*``, ``?``,
    ``[...]``.
    """
    if pattern in names:
        return [pattern]
    return [name for name in names if fnmatch.fnmatchcase(name, pattern)] if _WILD & set(pattern) else []


def expanded_names(items: Iterable[str], names: Sequence[str]) -> list[str]:
    """The names that items (as in `matching_names`) stand for; items that match nothing stay as they are."""
    found = []
    for item in items:
        first, dots, last = item.partition("..")
        like = names_like(item, names)
        if not like and dots and first in names and last in names:
            like = list(names[names.index(first) : names.index(last) + 1])
        found += like or [item]
    return found


def matching_names(pattern: str, names: Sequence[str], option: str, noun: str = "column") -> list[str]:
    """The columns (or variables) that one item of a list selects, in the order of the table.

    - `pattern`: a name; else a pattern with ``*``, ``?`` or ``[...]``; else the first and the last name of a range,
      ``FIRST..LAST``.
    - `option`: the option that has the item, for messages.
    - `noun`: the word of messages for one of `names`.
    Raises `UnsuitableData`: it selects nothing.
    """
    found = expanded_names([pattern], names)
    if found != [pattern] or pattern in names:
        return found
    close = get_close_matches(pattern, names, n=3)
    some = ", ".join(map(repr, close or names[:5])) + (", ..." if len(close or names) > 5 else "")
    raise UnsuitableData(
        f"no {noun} {pattern!r}, which {option} names",
        remedy=f"{'similar' if close else f'its {noun}s'}: {some}; patterns (age*) and ranges (first..last) work too",
    )


def selected_positions(names: Sequence[str], columns: Sequence[str], drop: Sequence[str]) -> list[int]:
    """Positions of the columns that are kept, in the order of the table.

    `columns`, `drop`: items as in `matching_names`: the columns to keep (all if empty), and the columns to drop.
    Raises `UnsuitableData`: an item selects nothing, or no column is left.
    """
    kept = {name for item in columns for name in matching_names(item, names, "--columns")}
    gone = {name for item in drop for name in matching_names(item, names, "--drop")}
    positions = [p for p, name in enumerate(names) if (not columns or name in kept) and name not in gone]
    if not positions:
        raise UnsuitableData("--columns and --drop leave no column")
    return positions


def column_list(names: Iterable[str]) -> str:
    """Names as one value of an option that takes columns: commas between, quoted as in CSV where needed."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(names)
    return buffer.getvalue()


def drop_option(names: Iterable[str]) -> str:
    """The option that leaves these columns out, quoted for a shell."""
    return f"--drop {option_value(column_list(names))}"
