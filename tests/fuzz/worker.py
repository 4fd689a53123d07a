"""The loop over inputs: makes each from its number, tries it within limits, saves what fails as a small file."""

from __future__ import annotations

import contextlib
import gc
import gzip
import hashlib
import json
import mmap
import os
import resource
import signal
import struct
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow

from .commands import KIND, Output, command_line, run_command, warming_lines
from .corpus import make_corpus, sound_files
from .grammars import GRAMMARS, sentence
from .mutations import mutate
from .readers import READERS, Nonsense, try_reader

SECONDS = 10
"""Most processor time that any input may take."""

MEMORY = 1 << 29
"""Most memory that inputs may take beyond what the process held at any time before them, bytes."""

LARGEST = 1 << 32, 1 << 30
"""Most memory that a worker gets, and its largest file, bytes."""

COMMAND_SHARE = 0.02
"""Share of the inputs that whole commands are run on by default; they take some twenty times as long."""

OTHERS_PER_TABLE = 6
"""Inputs of each other format for one of each format of data tables, which takes some five times as long."""

SOUND_SHARE = 0.4
"""Share of the commands that get a sound file: most others end in reading."""

INPUTS_PER_LOOK = 8
"""Inputs between two looks at the memory, which take as long as a small input."""

SHRINK_TRIES = 300
SHRINK_SECONDS = 20.0


class Hang(BaseException):
    """An input took too long."""


class Glutton(Exception):
    """An input took too much memory."""


class Case(NamedTuple):
    """One input: the format it is meant to be, its bytes, and the random stream of what is done with it."""

    number: int
    format: str
    data: bytes
    by_command: bool


class Fuzzer:
    """Tries inputs in a folder of its own.

    Parameters
    ----------
    seed : int
    folder : Path
        Where input and output files stand; fast if it is in memory.
    findings : Path
        Where what fails is saved.
    command_share : float
        Share of the inputs that whole commands are run on.
    """

    def __init__(self, seed: int, folder: Path, findings: Path, command_share: float = COMMAND_SHARE):
        self.seed, self.folder, self.findings = seed, folder, findings
        self.command_share = command_share
        findings.mkdir(parents=True, exist_ok=True)
        self.corpus = make_corpus(folder)
        self.formats = [name for name in READERS for _ in range(1 if KIND[name] == "data" else OTHERS_PER_TABLE)]
        self.path = folder / "input"
        self.sound = self._sound_files()
        self.counts: Counter[str] = Counter()
        self.output: Output | None = None
        self.peak = _peak_memory()

    def _sound_files(self) -> dict[str, str]:
        sound = sound_files(self.folder)
        files = {
            "csv": sound["csv"],
            "sets": sound["bnsl.parentsets"],
            "net": sound["bif"],
            "jkl": sound["jkl"],
            "strengths": sound["bnsl.arc-probabilities"],
        }
        places = {}
        for name, data in files.items():
            place = self.folder / f"sound.{name}"
            place.write_bytes(data)
            places[name] = str(place)
        return places

    def warm_up(self, output: Output) -> None:
        """Run every command and method on sound files, as long as it takes: inputs then cost no time of compiling."""
        self.output = output
        for line in warming_lines(self.sound):
            with contextlib.suppress(Nonsense):
                run_command(line, output)
        self.peak = _peak_memory()

    def rng(self, number: int, purpose: str) -> Random:
        """The random stream of one input for one purpose."""
        return Random(f"{self.seed} {number} {purpose}")

    def make(self, number: int) -> Case:
        """The input of a number."""
        rng = self.rng(number, "input")
        format_name = self.formats[number % len(self.formats)]
        by_command = rng.random() < self.command_share
        if by_command and rng.random() < SOUND_SHARE:
            data = rng.choice(self.corpus[format_name])
        elif format_name in GRAMMARS and rng.random() < 0.35:
            data = sentence(rng, format_name)
            if rng.random() < 0.3:
                data = mutate(rng, data, self.corpus[format_name])
        else:
            data = mutate(rng, rng.choice(self.corpus[format_name]), self.corpus[format_name])
        if rng.random() < 0.01:
            data = gzip.compress(data, 1, mtime=0)
            if rng.random() < 0.5:
                data = mutate(rng, data, [data])
        return Case(number, format_name, data, by_command)

    def run(self, case: Case) -> None:
        """Try one input; count it, and save it if it fails."""
        try:
            what, how = self._try(case)
        except (Exception, Hang) as error:
            self._keep(case, error)
            return
        self.counts[f"{case.format}\t{what}\t{how}"] += 1

    def _try(self, case: Case) -> tuple[str, str]:
        self.path.write_bytes(case.data)
        begun = time.process_time()
        with _time_limit():
            if case.by_command and self.output is not None:
                line = command_line(self.rng(case.number, "command"), case.format, self.path, self.sound)
                name, code = run_command(line, self.output)
                result = f"bnsl {name}", str(code)
            else:
                result = try_reader(case.format, self.path, self.rng(case.number, "reader"))
        if (taken := time.process_time() - begun) > SECONDS:  # within one compiled call, where no alarm is heard
            raise Hang(f"{taken:.1f} s")
        if case.number % INPUTS_PER_LOOK == 0 and (more := _peak_memory() - self.peak) > MEMORY:
            self.peak += more  # memory that was given back counts on
            raise Glutton(f"{more >> 20} MiB more, for this input or one of the {INPUTS_PER_LOOK} before")
        return result

    def _keep(self, case: Case, error: BaseException) -> None:
        signature = _signature(error)
        self.counts[f"{case.format}\tFINDING\t{signature}"] += 1
        digest = hashlib.sha256(f"{case.format} {signature}".encode()).hexdigest()[:12]
        base = self.findings / f"{case.format.replace('.', '-')}-{digest}"
        if not base.with_suffix(".txt").exists():
            how = (
                []
                if not case.by_command
                else command_line(self.rng(case.number, "command"), case.format, self.path, self.sound)
            )
            report = [f"seed {self.seed}, input {case.number}", " ".join(map(repr, how)), signature, ""]
            report += traceback.format_exception(error)
            base.with_suffix(".txt").write_text("\n".join(report), errors="backslashreplace")
            small = case.data if isinstance(error, Hang | Glutton) else self._shrink(case, signature)
            base.with_suffix(".bin").write_bytes(small)

    def _shrink(self, case: Case, signature: str) -> bytes:
        """Leave out ever smaller parts as long as it fails alike."""
        data, size = case.data, max(1, len(case.data) // 2)
        end, tries = time.monotonic() + SHRINK_SECONDS, 0
        while size and tries < SHRINK_TRIES and time.monotonic() < end:
            at = 0
            while at < len(data) and tries < SHRINK_TRIES and time.monotonic() < end:
                smaller, tries = data[:at] + data[at + size :], tries + 1
                try:
                    self._try(case._replace(data=smaller))
                    at += size
                except (Exception, Hang) as error:
                    data, at = (smaller, at) if _signature(error) == signature else (data, at + size)
            size //= 2
        return data


def _signature(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    folders = ("/formats/", "/stages/", "/bnsl/", "/bnsl_cli/")
    ours = [f for f in frames if any(folder in f.filename for folder in folders)]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else "the check"
    message = "" if isinstance(error, Hang | Glutton) else "".join(c for c in str(error)[:80] if not c.isdigit())
    return (
        f"{type(error).__name__} in {place}: {message!r}"
        if place == "the check"
        else f"{type(error).__name__} in {place}"
    )


def _peak_memory() -> int:
    """The most memory that this process ever held, bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _ring(number: int, frame: object) -> None:
    raise Hang(f"more than {SECONDS} s")


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    """Raise `Hang` when `SECONDS` of processor time are over."""
    previous = signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def main(
    seed: int, command_share: float, first: int, end: int, folder: Path, findings: Path, progress: mmap.mmap
) -> None:
    """Try every input from `first` to `end`; the shared `progress` holds the number under way."""
    for limit, most in zip((resource.RLIMIT_DATA, resource.RLIMIT_FSIZE), LARGEST):
        resource.setrlimit(limit, (most, most))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    pyarrow.set_cpu_count(1)
    warnings.simplefilter("error", RuntimeWarning)
    with contextlib.suppress(OSError):
        sys.stdin = open(os.devnull)  # noqa: SIM115
    fuzzer = Fuzzer(seed, folder, findings, command_share)
    if command_share:
        fuzzer.warm_up(Output(folder))
    gc.collect()
    gc.freeze()  # what was made until now is looked through no more
    number = first

    def save() -> None:
        (folder / "counts.json").write_text(json.dumps({"next": number, "counts": fuzzer.counts}))

    try:
        while number < end:
            progress[:8] = struct.pack("<q", number)
            case = fuzzer.make(number)
            number += 1
            fuzzer.run(case)
            if number % 500 == 0:
                save()
    finally:
        save()


def counted(folder: Path) -> dict[str, Any]:
    """What a worker saved last."""
    try:
        return json.loads((folder / "counts.json").read_text())
    except (OSError, ValueError):
        return {"next": None, "counts": {}}
