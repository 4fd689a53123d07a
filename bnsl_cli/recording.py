"""What commands add to results: their entry in the header, figures of the run, JSON lines."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formats.records import Header, ParentSetRecord


def used_options(options: Any, taken: Collection[str]) -> dict[str, Any]:
    """The values of an options record that the result depends on.

    Parameters
    ----------
    options : dataclass instance
    taken : collection of str
        Fields that the method reads. One that needs another is left out where that is not given, and the
        equivalent sample size where the score has none.
    """
    from stages.methods import own_options
    from stages.scoring.scores import recorded_ess

    values = {f.name: getattr(options, f.name) for f in dataclasses.fields(options) if f.name in taken}
    for name, about in own_options(type(options)).items():
        if about.needs and getattr(options, about.needs) is None:
            values.pop(name, None)
    if "ess" in values:
        values["ess"] = recorded_ess(options.score, options.ess)
    return values


def record_command(header: Header, stage: str, values: Mapping[str, Any]) -> Header:
    """The header with one more entry in ``by``: this command and its resolved options.

    Parameters
    ----------
    header : Header
    stage : str
        Name of the command.
    values : mapping
        Options. None stands for one that was not given and has no default.
    """
    from formats.provenance import append_command

    options = {name: value for name, value in values.items() if value is not None and value != ()}
    return append_command(header, stage, options)


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON that every reader takes: null stands for a number that is not finite."""
    return json.dumps(_finite(value), indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_stats(target: str | None, figures: Mapping[str, Any]) -> None:
    """Write the figures of a run as JSON for ``--stats``, if asked for."""
    if target is None:
        return
    from formats.streams import open_output

    with open_output(target) as stream:
        stream.write(json_text(figures, indent=1).encode() + b"\n")


class Tally:
    """Parent-set records passing by, counted for ``--stats``."""

    def __init__(self, records: Iterable[ParentSetRecord]):
        self._records = records
        self._started = time.monotonic()
        self.counts = {"variables": 0, "sets": 0, "evaluations": 0}

    def __iter__(self) -> Iterator[ParentSetRecord]:
        for record in self._records:
            self.counts["variables"] += 1
            self.counts["sets"] += len(record.parents)
            self.counts["evaluations"] += record.evaluated or 0
            yield record

    def figures(self) -> dict[str, Any]:
        """The counts and the seconds since the search began."""
        return {"seconds": time.monotonic() - self._started, **self.counts}


def write_json_lines(target: str, objects: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object per line."""
    from formats.streams import open_output

    with open_output(target) as stream:
        for fields in objects:
            stream.write(json_text(fields).encode() + b"\n")
