"""Whole command lines, run in this process through the program's own entry."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import click

from bnsl_cli.main import COMMANDS, cli
from bnsl_cli.running.click_types import OutputPath
from formats.kinds import Kind
from formats.registry import formats_of
from stages.scoring.scores import SCORES

from .mutations import NUMBERS, TOKENS
from .readers import Nonsense

ALLOWED = {0, 1, 2, 65}
"""Exit codes that a command may end with when nobody interrupts it."""

TEMPLATES: dict[str, tuple[str, ...]] = {
    "sets": (
        "convert {f} --to parentsets", "convert {f} --to jkl", "convert {f} --to pss", "convert {f} --to table",
        "optimize {f} --evaluations 5", "optimize {f} --exact", "optimize {f} --asobs --evaluations 3",
        "optimize {f} --tw 2 --evaluations 3", "optimize {f} --obs --evaluations 3",
        "parentsets {csv} --extend {f} --evaluations 5", "optimize {sets} --start {f} --evaluations 3",
        "parentsets {csv} --resume {f} --evaluations 5", "optimize {f} --data {csv} --evaluations 3",
        "posterior {f} --exact", "posterior {f} --exact --prior orders --features ancestors,blankets",
        "posterior {f} --sampled --samples 8 --chains 2", "posterior {f} --samples 6 --format table",
        "posterior {f} --sampled --samples 4 --features ancestors,blankets --dags {out} --seed 1",
        "optimize {f} --evaluations 3 --stats {out}", "discretize {csv} --like {f}",
        "optimize {f} --tw 2 --max-table 9 --evaluations 3",
        "optimize {f} --kmax --tw 2 --max-table 9 --evaluations 3", "explain {net} --data {csv} --sets {f}",
        "effects {f} --data {csv} --draws 4 --seed 1",
        "effects {f} --data {csv} --sampled --samples 4 --draws 4 --seed 1",
    ),
    "network": (
        "convert {f} --to network", "convert {f} --to dot",
        "convert {f} --to table", "convert {f} --to bif", "convert {f} --to adjacency", "evaluate {f}",
        "evaluate {f} {net}", "evaluate {f} --data {csv}", "evaluate {f} --reference {net}", "fit {f} {csv}",
        "sample {f} --rows 5", "parentsets {csv} --near {f} --evaluations 5",
        "query {f}", "query {f} --mpe", "query {f} --data {csv} --smoothing 1 --probability", "query {f} --samples 3",
        "query {f} --evidence {csv}", "explain {f} --data {csv}", "explain {f} --data {csv} --target a",
        "explain {f} --data {csv} --strengths {strengths}",
        "effects {f} --data {csv} --draws 4 --seed 1 --measure strength",
        "optimize {sets} --start {f} --evaluations 3", "evaluate {net} --reference {f}", "convert {f} --to net",
        "convert {f} --to svg", "convert {f} --to html", "convert {f} --to arcs --cpdag", "convert {f} --to graphml",
        "convert {f} --to dot --markov-blanket a", "convert {f} --to svg --neighbourhood {w} --radius 2",
        "average {f}", "average {f} {net}", "average {f} {f} --cpdag --seed 1",
        "average {f} {net} --tw 1 --evaluations 3",
        "average {f} --strengths {out} --format table", "evaluate --strengths {strengths} --reference {f}",
        "convert {f} --strengths {strengths} --to arcs", "convert {f} --strengths {strengths} --to svg",
        "evaluate {f} --data {csv} --test {csv} --folds 2", "discretize {csv} --like {f}",
    ),
    "networks": (
        "average {f}", "average {f} --partial", "average {f} --cpdag --threshold 0.4", "average {f} {net}",
        "average {f} --tw 1 --evaluations 3", "average {f} --strengths {out}", "evaluate {f}",
        "convert {f} --to network", "convert {f} --index 2 --to arcs", "convert {f} --index best --to svg",
        "evaluate {f} --data {csv}", "effects {f} --data {csv} --draws 4 --seed 1 --measure contrast",
    ),
    "strengths": (
        "average {f}", "average {f} --threshold 0.5", "average {f} --tw 1 --evaluations 3", "average {f} --cpdag",
        "average {f} --format table", "evaluate --strengths {f} --reference {net}",
        "explain {net} --data {csv} --strengths {f}",
        "convert {f} --to svg", "convert {f} --to table", "convert {f} --threshold 0.5 --to html",
        "convert {net} --strengths {f} --to dot", "convert {net} --strengths {f} --to graphml",
        "evaluate --strengths {f} --reference {net} --json", "evaluate {net} --strengths {f} --reference {net}",
    ),
    "forest": ("convert {f} --to table", "parentsets {csv} --screen {f} --evaluations 5", "evaluate {f}"),
    "proof": ("evaluate --proof {f} {sets} {net}", "convert {f} --to table", "evaluate {f}"),
    "entropy": ("screen {f} --eps 0.1", "screen {f} --curve", "screen {f} --roots 0.5", "entropy {f}"),
    "data": (
        "query {net} --data {csv} --smoothing 1 --evidence {f}", "explain {net} --data {f}",
        "effects {net} --data {f} --draws 4 --seed 1",
        "query {net} --data {csv} --evidence {f} --fill best", "query {net} --data {csv} --evidence {f} --predict a",
        "entropy {f}", "screen {f} --eps 0.1", "parentsets {f} --evaluations 5 --max-parents 2",
        "discretize {f} --discretize median",
        "parentsets {f} --sequential --max-parents 2 --evaluations 50", "parentsets {f} --score bdeu --evaluations 5",
        "optimize --data {f} --evaluations 3", "convert {f} --to csv", "convert {f} --to parquet", "fit {net} {f}",
        "evaluate {net} --data {f}", "convert {f} --to tsv --missing state", "parentsets {f} --indep --evaluations 9",
        "optimize --data {f} --hc --evaluations 9", "convert {f} --to csv --discretize median", "discretize {f}",
        "parentsets {f} --dry-run --max-parents 2 --evaluations 9", "convert {jkl} --names {f} --to parentsets",
        "parentsets {f} --keep-mass 0.01 --evaluations 9",
        "parentsets {f} --score k2 --keep-mass 1e-3 --max-parents 2",
        "parentsets {f} --sequential --score bdeu --dry-run", "discretize {f} --discretize hartemink:2",
        "optimize --data {f} --bootstrap 2 --evaluations 3", "optimize --data {f} --hc --bootstrap 2 --evaluations 5",
        "evaluate {net} --data {csv} --test {f}", "discretize {csv} --like {f}", "discretize {f} --like {csv}",
        "sample {net} --rows 3 -o {out}",
        "entropy {f} --missing pairs", "screen {f} --missing pairs --eps 0.1",
        "fit {net} {f} --missing em --iterations 2", "evaluate {net} --data {csv} --test {f} --missing em",
        "optimize --data {f} --missing em --hc --evaluations 9 --rounds 2",
        "optimize --data {f} --tw 2 --max-table 9 --evaluations 3",
    ),
    "knowledge": (
        "parentsets {csv} --require @{f} --evaluations 5", "parentsets {csv} --forbid @{f} --evaluations 5",
        "parentsets {csv} --tiers {f} --evaluations 5", "optimize --data {csv} --tiers {f} --evaluations 3",
        "posterior {sets} --exact --tiers {f}", "posterior {sets} --sampled --samples 4 --require @{f}",
        "posterior {sets} --exact --forbid @{f}", "optimize {sets} --forbid @{f} --evaluations 3",
        "optimize --data {csv} --allow @{f} --evaluations 3", "posterior {sets} --exact --allow @{f}",
    ),
    "words": (
        "help {w}", "help -k {w}", "formats {w}", "formats --json", "help {topic}", "formats bnsl.{topic}",
        "data x{w}",
    ),
}  # fmt: skip
"""Command lines by what the fuzzed file {f} is meant to be; others are sound, {out} is written, {w} is any word."""

_TOPICS = ("gaps", "memory", "cluster", "methods", "network", "parentsets", "entropy", "arc-probabilities", "nothing")
_EVERYWHERE = (
    "optimize {sets} --method {m} --evaluations 3", "optimize {sets} --method {m} --tw 2 --evaluations 3",
    "optimize --data {csv} --method {m} --evaluations 3", "optimize --data {csv} --method {m} --tw 2 --evaluations 3",
)  # fmt: skip

_BY_KIND = {
    Kind.PARENT_SETS: "sets", Kind.NETWORK: "network", Kind.PARAMETERS: "network", Kind.DATA: "data",
}  # fmt: skip
KIND = {row.name: _BY_KIND[row.kind] for row in formats_of(*_BY_KIND)} | {
    "bnsl.forest": "forest", "bnsl.proof": "proof", "bnsl.entropy": "entropy", "bnsl.arc-probabilities": "strengths",
    "networks": "networks", "arcs": "knowledge", "tiers": "knowledge",
}  # fmt: skip

_WORKS_LONG = (
    "--time", "--evaluations", "--restarts", "--rows", "--orders", "-j", "--bootstrap", "--chains", "--samples",
)  # fmt: skip
"""Options whose large values ask for work that takes long, or for many processes; they get small ones."""

_UNTRIED = {"--debug", "--help", "--help-all"}
"""--debug shows a traceback on purpose."""


def warming_lines(sound: dict[str, str]) -> Iterator[list[str]]:
    """Command lines on sound files that together run each method in all its ways; some are refused."""
    from stages.optimize import METHODS as SEARCHES
    from stages.parentsets import METHODS as SELECTIONS

    words = {"w": "a", "topic": "gaps", "out": sound["sets"] + ".written"}
    for kind, name in (("sets", "sets"), ("network", "net"), ("strengths", "strengths"), ("data", "csv")):
        for template in TEMPLATES[kind]:
            yield template.format(f=sound[name], **words, **sound).split(" ")
    for template in _EVERYWHERE:
        for name, spec in SEARCHES.items():
            method = f"{name} --target a" if "target" in spec.options else name
            yield template.format(m=method, **sound).split(" ")
    for method in SELECTIONS:
        for score in SCORES:
            yield f"parentsets {sound['csv']} --method {method} --score {score} --evaluations 9".split(" ")


def command_line(rng: Random, format_name: str, path: Path, sound: dict[str, str]) -> list[str]:
    """A command line about a file, now and then with options that make no sense."""
    kind = KIND[format_name] if rng.random() < 0.93 else rng.choice(list(TEMPLATES))
    words = {"w": _word(rng), "topic": rng.choice(_TOPICS), "out": path.with_name("written")}
    arguments = [part.format(f=path, **words, **sound) for part in rng.choice(TEMPLATES[kind]).split(" ")]
    if rng.random() < 0.3:
        for _ in range(rng.choice((1, 1, 2))):
            arguments += _option(rng, arguments[0], str(path.with_name("written")))
    if not any(a.startswith("--evaluations") for a in arguments) and arguments[0] in ("optimize", "parentsets"):
        arguments += ["--evaluations", "5"]
    return [*arguments, "-o", str(path.with_name("output"))] if rng.random() < 0.3 else arguments


@functools.cache
def _options(command: str) -> list[click.Option]:
    """The options of a command that may be tried."""
    found = cli.get_command(click.Context(cli), command)
    options = [param for param in found.params if isinstance(param, click.Option)]
    return [option for option in options if not _UNTRIED & set(option.opts)]


def _option(rng: Random, command: str, written: str) -> list[str]:
    """An option of the command, now and then of another one or none at all, with a value of its type or any other."""
    if rng.random() < 0.05:
        return [_word(rng)]
    option = rng.choice(_options(command if rng.random() < 0.95 else rng.choice(list(COMMANDS))))
    name = rng.choice([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return [name]
    if isinstance(option.type, OutputPath):
        return [name, written]
    if name in _WORKS_LONG:
        return [name, rng.choice(("0", "1", "2", "-1", "x", "", "1.5"))]
    choices = list(getattr(option.type, "choices", ()))
    likely = choices or ["1", "2", "3", "0.5", "a", "a,b", "a->b", "median"]
    value = rng.choice(likely) if rng.random() < 0.6 else rng.choice((rng.choice(NUMBERS), _word(rng)))
    return [name, f"{value}/{rng.choice('1223')}" if name == "--shard" else value]


def _word(rng: Random) -> str:
    return rng.choice(TOKENS).replace("\0", "")  # no command line holds one


class Output:
    """Standard output and error of this process, kept in files."""

    def __init__(self, folder: Path):
        self._streams = []
        for descriptor in (1, 2):
            stream = open(folder / f"stream{descriptor}", "w+b")  # noqa: SIM115 (open as long as we run)
            os.dup2(stream.fileno(), descriptor)
            self._streams.append(stream)

    def clear(self) -> None:
        """Forget what was written."""
        for descriptor in (1, 2):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)

    def texts(self, most: int = 1 << 20) -> list[bytes]:
        """What was written to each, up to so many bytes."""
        return [os.pread(stream.fileno(), most, 0) for stream in self._streams]


def run_command(arguments: list[str], output: Output) -> tuple[str, int]:
    """Run one command line: the command's name and exit code.

    Raises
    ------
    Nonsense
        An exit code that no input may lead to, a traceback, raw control characters, or JSON that is none.
    """
    output.clear()
    try:
        cli.main(arguments)
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    written, messages = output.texts()
    if code not in ALLOWED:
        raise Nonsense(f"exit code {code}: {messages[-500:].decode(errors='replace')}")
    if b"Traceback" in messages or b"\x1b" in messages or b"Warning:" in messages:
        raise Nonsense(f"messages that nobody wants: {messages[-500:]!r}")
    if code != 0 and not messages.strip() and "-q" not in arguments:
        raise Nonsense(f"exit code {code} without a word")
    if code == 0 and written.startswith(b"{") and len(written) < 1 << 20:
        for line in written.splitlines():
            json.loads(line, parse_constant=_refuse)
    return arguments[0], code


def _refuse(constant: str) -> None:
    raise Nonsense(f"{constant} in JSON")
