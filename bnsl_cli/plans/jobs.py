"""What a plan runs: one command for every combination of values, and the command that puts the results together.

A command is a list of words in which ``{name}`` stands for a value. Words are plain where they hold one, so that
every kind of script can put its own variable there without quotes going wrong.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

PLAIN = re.compile(r"[\w@%+=:,./-]*")
"""A word that shells, make and workflow engines take as it is."""

PLACE = re.compile(r"\{(\w+)\}")

OUTPUT_OPTIONS = ("-o", "--output")


class PlanError(ValueError):
    """What is asked for cannot be planned; the message says what to change."""


@dataclass(frozen=True)
class Jobs:
    """Runs of one command.

    Attributes
    ----------
    words : tuple of str
        The command without ``bnsl`` and without its output.
    output : str
        The file of one run, with the place of every axis.
    axes : dict of str to tuple of str
        Values of every place; a run for each combination.
    collect : tuple of str
        Words of the command that makes one file of all outputs, which follow it, on standard output; nothing where
        they stay as they are.
    whole : str
        That file.
    seconds, memory_bytes : float or None, int or None
        Of one run, at most.
    threads : int
        Of one run.
    """

    words: tuple[str, ...]
    output: str
    axes: dict[str, tuple[str, ...]]
    collect: tuple[str, ...] = ()
    whole: str = ""
    seconds: float | None = None
    memory_bytes: int | None = None
    threads: int = 1

    @property
    def name(self) -> str:
        """What jobs and logs are called: the result without folder, places and endings."""
        stem = os.path.basename(PLACE.sub("", self.whole or self.output))
        return re.sub(r"\.+", ".", stem).split(".")[0].strip("-_.") or "bnsl"

    @property
    def n_runs(self) -> int:
        return math.prod(len(values) for values in self.axes.values())

    @property
    def inputs(self) -> list[str]:
        """Files that the command reads, as far as they are there now."""
        return [word for word in self.words[1:] if PLAIN.fullmatch(word) and os.path.isfile(word)]

    def command(self, value_of: Callable[[str], str], output: str | None = None) -> str:
        """The command of a run for a shell, with what `value_of` says in every place."""
        target = self.output if output is None else output
        return " ".join(self._quoted(word, value_of) for word in ("bnsl", *self.words, "-o", target))

    def file(self, value_of: Callable[[str], str]) -> str:
        """The output of a run likewise."""
        return self._quoted(self.output, value_of)

    def collecting(self, files: str, target: str) -> str:
        """The command that puts files together."""
        return (
            f"{' '.join(self.collect)} {files} > {target}"
            if self.collect[0] == "cat"
            else (f"{' '.join(self.collect)} {files} -o {target}")
        )

    def combinations(self) -> list[dict[str, str]]:
        """The values of every run, the last axis fastest."""
        return [dict(zip(self.axes, values)) for values in itertools.product(*self.axes.values())]

    def _quoted(self, word: str, value_of: Callable[[str], str]) -> str:
        if not PLACE.search(word):
            return shlex.quote(word)
        return PLACE.sub(lambda place: value_of(place[1]), word)


def plan_jobs(words: Sequence[str], axes: dict[str, tuple[str, ...]], parts: int | None) -> Jobs:
    """The runs of a command as the user typed it.

    Parameters
    ----------
    words : sequence of str
        Of the command, without ``bnsl``.
    axes : dict of str to tuple of str
    parts : int, optional
        A run of parent sets, or of replicates, in so many.

    Raises
    ------
    PlanError
    """
    rest, output = _split_output(words)
    for word in (*rest, output):
        _check_word(word, axes)
    missing = [name for name in axes if f"{{{name}}}" not in output]
    if missing:
        raise PlanError(f"the runs would all write {output}: put {{{missing[0]}}} into its name")
    jobs = Jobs(rest, output, axes)
    if parts is not None:
        jobs = _in_parts(jobs, parts)
    if not jobs.axes:
        raise PlanError("that is one run: give --parts N, or --each NAME=A,B,... and {NAME} in the command")
    if jobs.words[0] == "parentsets":
        jobs = replace(jobs, words=(*jobs.words, "--resume", jobs.output))
    return jobs


def _in_parts(jobs: Jobs, parts: int) -> Jobs:
    numbers = tuple(map(str, range(1, parts + 1)))
    if jobs.axes:
        raise PlanError("--parts and --each do not go together: plan the runs of one setting after the other")
    stem, dot, ending = _split_name(jobs.output)
    output = f"{stem}.{{part}}{dot}{ending}"
    if jobs.words[0] == "parentsets":
        words = (*jobs.words, "--shard", f"{{part}}/{parts}")
        return Jobs(words, output, {"part": numbers}, ("bnsl", "merge"), jobs.output)
    if jobs.words[0] == "optimize" and "--bootstrap" in jobs.words:
        place = jobs.words.index("--bootstrap") + 1
        replicates = jobs.words[place] if place < len(jobs.words) else ""
        if not replicates.isdigit() or int(replicates) % parts:
            raise PlanError(f"--bootstrap {replicates} cannot be shared evenly by {parts} parts")
        if "--seed" in jobs.words:
            raise PlanError("leave out --seed: the parts of a bootstrap have the seeds 1, 2, ..., one each")
        share = str(int(replicates) // parts)
        words = (*jobs.words[:place], share, *jobs.words[place + 1 :], "--seed", "{part}")
        return Jobs(words, output, {"part": numbers}, ("cat",), jobs.output)
    raise PlanError(
        "--parts are of parentsets, or of the replicates of optimize --bootstrap; for others give --each"
    )


def _split_name(path: str) -> tuple[str, str, str]:
    folder, name = os.path.split(path)
    stem, dot, ending = name.partition(".")
    return os.path.join(folder, stem), dot, ending


def _split_output(words: Sequence[str]) -> tuple[tuple[str, ...], str]:
    places = [place for place, word in enumerate(words) if word in OUTPUT_OPTIONS]
    if len(places) != 1 or places[0] + 1 == len(words):
        raise PlanError("the command needs -o FILE, once: runs elsewhere have no standard output to write to")
    (place,) = places
    return (*words[:place], *words[place + 2 :]), words[place + 1]


def _check_word(word: str, axes: Mapping[str, tuple[str, ...]]) -> None:
    for name in PLACE.findall(word):
        if name not in axes:
            raise PlanError(f"{word!r}: there is no --each {name}=...")
    bare = PLACE.sub("", word)
    if set(bare) & set("$\n{}") or (bare != word and not PLAIN.fullmatch(bare)):
        raise PlanError(f"{word!r} cannot be written into a script: use plain letters, digits and @%+=:,./-_")
