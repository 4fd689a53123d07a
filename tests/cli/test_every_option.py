"""Every option of every command changes what the command does, or is refused: none is read and ignored.

The options are those that click knows. Each is added, with a value that should matter, to every command line of
`LINES`; then the exit code, standard output, standard error or a written file must differ from those of the line
without it, or the exit code must be 2. What a header records of the command line does not count.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from helpers.processes import run_here, run_shell

from bnsl_cli.main import COMMANDS, cli
from bnsl_cli.running.click_types import OutputPath

pytestmark = pytest.mark.slow

CUT = "--discretize quantile:3 --missing drop"

LINES: dict[str, tuple[str, ...]] = {
    "entropy": (f"d.csv {CUT}",),
    "screen": (f"d.csv --roots 0.5 {CUT}", f"d.csv --curve {CUT}", "e.arrows --eps 0.1"),
    "parentsets": (
        f"d.csv {CUT} --seed 1 --evaluations 9",
        f"d.csv {CUT} --seed 1 --screen f.jsonl --sequential --max-parents 2",
    ),
    "optimize": (
        "s.jsonl --seed 1 --evaluations 20",
        f"--data d.csv {CUT} --seed 1 --evaluations 30",
        f"--data d.csv {CUT} --seed 1 --hc",
        "s.jsonl --seed 1 --evaluations 20 --ils --tw 1",
    ),
    "evaluate": (
        "n.jsonl",
        "n.jsonl --data d.csv --missing drop",
        "plain.txt --data d.csv --test d.csv --discretize quantile:3 --missing drop",
        "n.bif --test d.csv --missing em",
        "n.bif --test d.csv --missing em --target a",
        "--strengths a.arrows --reference n.jsonl",
    ),
    "average": ("r.jsonl --seed 1", "r.jsonl --tw 1 --seed 1 --evaluations 50"),
    "sample": ("n.bif --rows 5 --seed 1", "--random 6 --rows 3 --seed 1"),
    "fit": ("n.jsonl d.csv --missing drop", f"plain.txt d.csv {CUT}", "n.bif d.csv --missing em --smoothing 1"),
    "effects": (
        "n.jsonl --data d.csv --missing drop --seed 1 --draws 20",
        "k.jsonl --data d.csv --missing drop --seed 1 --draws 20 --exact",
        "k.jsonl --data d.csv --missing drop --seed 1 --draws 20 --sampled --samples 20 --chains 2",
    ),
    "explain": (
        "n.jsonl --data d.csv --missing drop",
        "n.jsonl --data d.csv --missing drop --runners-up 9 --max-parents 0",
        "n.jsonl --data d.csv --missing drop --target a",
        f"plain.txt --data d.csv {CUT} --target a=1",
    ),
    "query": (
        "n.bif a=1",
        "n.bif a=1 --samples 5 --seed 1",
        "n.bif a=1 --approximate 50 --seed 1",
        "n.bif a=1 --joint b,c",
        "n.bif --evidence d.csv",
        "n.bif --evidence d.csv --predict b",
        "n.bif --evidence d.csv --fill drawn --seed 1",
        "n.bif --separated a,b",
        "n.bif --effect a,b",
        f"plain.txt --data d.csv {CUT} a=1",
    ),
    "convert": (
        "n.jsonl --to dot",
        "n.bif --to net",
        "n.jsonl --to svg",
        "s.jsonl --to parentsets",
        "s.jkl --to pss",
        f"d.csv --to csv {CUT}",
        "a.arrows --to dot",
        "s.jsonl --to table",
    ),
    "discretize": (f"d.csv {CUT}", "d.csv --like n.jsonl --missing drop"),
    "posterior": ("k.jsonl --seed 1 --samples 20", "k.jsonl --seed 1 --sampled --samples 20 --chains 2"),
    "formats": ("",),
    "data": ("asia",),
    "help": ("data",),
}
"""Command lines of every command, among files of `place`."""

VALUES: dict[str, tuple[str, ...]] = {
    "allow": ("a,b", "c,a"),
    "alpha": ("0.5",),
    "answers": ("q.csv",),
    "categories": ("x",),
    "cause": ("a",),
    "columns": ("a,b", "a,b,c"),
    "compare": ("truth.txt",),
    "convert.names": ("names.csv",),
    "data": ("d.csv", "e.csv"),
    "delimiter": (";",),
    "query.do": ("b=red",),
    "sample.do": ("b=red", "X1=0"),
    "discretize": ("x=cuts:3,9",),
    "drop": ("z", "c"),
    "effect": ("a,b", "b,a"),
    "effects.effect": ("a",),
    "eps": ("0.3",),
    "ess": ("7",),
    "evaluations": ("3",),
    "extend": ("s.jsonl",),
    "features": ("ancestors",),
    "forbid": ("a,b", "b,a", "b,c", "c,b"),
    "given": ("c",),
    "index": ("2",),
    "information": ("e.arrows",),
    "joint": ("b,c", "b,x"),
    "keep": ("z",),
    "level": ("0.4",),
    "like": ("n.jsonl", "names.csv"),
    "map_of": ("b,c",),
    "markov_blanket": ("a",),
    "max_states": ("2",),
    "max_table": ("4",),
    "memory": ("1",),
    "na": ("red",),
    "not_na": ("",),
    "near": ("n.jsonl",),
    "neighbourhood": ("a",),
    "patterns": ("q.txt",),
    "predict": ("a", "b"),
    "reference": ("truth.txt",),
    "require": ("c,a",),
    "resample": ("jackknife",),
    "resume": ("1.jsonl",),
    "screen": ("f.jsonl", "g.jsonl"),
    "separated": ("a,b", "b,a"),
    "shard": ("1/2",),
    "smooth_towards": ("marginal",),
    "smoothing": ("30",),
    "start": ("n.jsonl",),
    "states": ("states.json",),
    "strengths": ("a.arrows", "e.csv"),
    "table": ("e.csv",),
    "test": ("e.csv",),
    "threshold": ("0.9", "0.01"),
    "tiers": ("tiers.txt",),
    "unseen": ("drop",),
    "sets": ("s.jsonl",),
    "target": ("b",),
    "variables": ("b",),
}
"""Values that should matter, by option, where the type does not give one."""

NO_CHANGE = {
    "jobs": "results do not depend on it",
    "workers": "results do not depend on it",
    "time": "a limit on durations, which differ from run to run",
    "time_per_variable": "a limit on durations, which differ from run to run",
    "quiet": "says less on standard error, where a run without messages says nothing",
    "verbose": "says more on standard error, some of it once a run takes long",
    "debug": "shows a traceback if there is an error",
    "json": "is what a pipe gets anyway",
}
"""Options that need not change anything here, and why."""

PROVED = ("start", "seed", "evaluations", "restarts")

CANNOT_MATTER = {
    "optimize s.jsonl --seed 1 --evaluations 20": PROVED,
    "average r.jsonl --seed 1": PROVED,
    "average r.jsonl --tw 1 --seed 1 --evaluations 50": PROVED,
    f"parentsets d.csv {CUT} --seed 1 --screen f.jsonl --sequential --max-parents 2": ("extend",),
}
"""Options of a search that change nothing where the network is proved to be the best, or the lists are complete."""

OTHER_WORDS = {
    "unseen": {"d.csv": "unseen.csv"},
    "partial": {"s.jsonl": "cut.jsonl", "r.jsonl": "cutr.jsonl"},
    "extend": {"9": "1", "2": "0"},
}
"""Options that matter with other files or limits than those of a command line: which word takes whose place."""


def lines_of_data(seed: int, n_rows: int, with_holes: bool) -> Iterator[str]:
    """A table: three dependent columns, one of numbers, one without a meaning."""
    rng = random.Random(seed)
    yield "a,b,c,x,z"
    for row in range(n_rows):
        a = rng.randrange(2)
        b = rng.choice(["red", "green"]) if rng.random() < 0.3 else ("red", "green")[a]
        c = rng.choice("pq") if rng.random() < 0.4 else "pq"[b == "red"]
        b = "" if with_holes and row % 7 == 3 else b
        yield f"{a},{b},{c},{rng.randrange(30) + 5 * a},{'uv'[row % 2]}"


FILES = f"""
bnsl optimize -q --data d.csv {CUT} --hc --seed 1 -o n.jsonl
bnsl fit -q n.jsonl d.csv --missing drop --smoothing 1 -o n.bif
bnsl convert n.jsonl --to modelstring -o plain.txt
bnsl parentsets -q d.csv {CUT} --seed 1 -o s.jsonl
bnsl parentsets -q d.csv {CUT} --seed 1 --keep-mass 1e-3 -o k.jsonl
bnsl parentsets -q d.csv {CUT} --shard 1/2 -o 1.jsonl
bnsl convert -q s.jsonl --to jkl -o s.jkl
bnsl entropy -q d.csv {CUT} -o e.arrows
bnsl screen -q e.arrows --roots 0.8 -o f.jsonl
bnsl screen -q e.arrows --roots 0.3 -o g.jsonl
bnsl optimize -q --data d.csv {CUT} --hc --seed 1 --bootstrap 3 -o r.jsonl
bnsl average -q r.jsonl --seed 1 --strengths a.arrows -o /dev/null
bnsl average -q r.jsonl --seed 1 --strengths t.csv -o /dev/null
"""
"""How the files are made that the command lines read."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("options")
    (folder / "d.csv").write_text("\n".join(lines_of_data(1, 60, True)) + "\n")
    (folder / "e.csv").write_text("\n".join(lines_of_data(2, 8, True)) + "\n")
    (folder / "truth.txt").write_text("[a][b|a][c|b][x|a][z|x]\n")
    (folder / "tiers.txt").write_text("z\nx c\nb a\n")
    (folder / "q.txt").write_text("a -> b\n")
    (folder / "states.json").write_text('{"z": ["w", "v", "u"]}')
    (folder / "names.csv").write_text("A,B,C,X,Z\n0,0,0,0,0\n1,1,1,1,1\n")
    (folder / "unseen.csv").write_text((folder / "d.csv").read_text() + "0,red,r,3,u\n")
    done = run_shell(FILES, folder, SOURCE_DATE_EPOCH="0")
    assert done.returncode == 0, done.stderr.decode()
    for whole, cut in (("s.jsonl", "cut.jsonl"), ("r.jsonl", "cutr.jsonl")):
        lines = (folder / whole).read_bytes().splitlines(keepends=True)
        (folder / cut).write_bytes(b"".join(lines[:-1]))
    files = {path: path.read_bytes() for path in folder.iterdir()}
    yield folder
    assert files == {path: path.read_bytes() for path in folder.iterdir()}, "a command changed its input"


class Outcome(NamedTuple):
    """What a run shows of itself."""

    code: int
    output: str
    messages: str
    files: dict[str, str]


def run(place: Path, command: str, line: list[str]) -> Outcome:
    """Run a command among the files; what headers record of the command line is taken out, new files are removed."""
    before = set(place.iterdir())
    done = run_here(command, *line, cwd=place, SOURCE_DATE_EPOCH="0")
    made = sorted(set(place.iterdir()) - before)
    files = {path.name: plain(path.read_bytes()) for path in made}
    for path in made:
        path.unlink()
    return Outcome(done.returncode, plain(done.stdout), done.stderr.decode(), files)


def plain(data: bytes) -> str:
    """Text without the entries of headers that name the commands that made it."""
    text = data.decode(errors="replace")
    lines = text.splitlines()
    for place, line in enumerate(lines):
        if line.startswith('{"format"'):
            header = json.loads(line)
            header.pop("by", None)
            lines[place] = json.dumps(header)
    return "\n".join(lines)


def options_of(command: str) -> list[click.Option]:
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    options = [p for p in found.params if isinstance(p, click.Option) and p.name not in NO_CHANGE]
    return list({p.name: p for p in reversed(options)}.values())  # --NAME is the same as --method NAME


def uses(command: str, option: click.Option) -> Iterator[list[str]]:
    """Arguments that use an option, each with another value."""
    name = option.opts[-1]
    values = VALUES.get(f"{command}.{option.name}") or VALUES.get(option.name or "", ())
    if option.is_flag:
        yield from ([word] for word in (name, *option.secondary_opts))
        return
    if isinstance(option.type, click.Choice):
        values = tuple(str(choice) for choice in option.type.choices if choice != option.default)
    elif isinstance(option.type, OutputPath):
        values = ("new.jsonl", "new.csv", "new.arrows", "new.dot", "new.sets.jsonl")
    elif not values and isinstance(option.type, click.IntRange | click.FloatRange):
        least = option.type.min or 0
        values = tuple(str(least + more) for more in ((1, 2, 5) if isinstance(least, int) else (0.25, 0.5)))
    for value in values or ("3", "new"):
        yield [name, value]


LINES_OF_ALL = [(command, line) for command, lines in LINES.items() for line in lines]


@pytest.mark.parametrize(("command", "line"), LINES_OF_ALL, ids=[f"{name} {line}" for name, line in LINES_OF_ALL])
def test_no_option_is_ignored(command: str, line: str, place: Path):
    base = run(place, command, line.split())
    assert base == run(place, command, line.split()), "the line gives something else each time"
    assert base.code == 0, base.messages
    ignored = []
    for option in options_of(command):
        if option.name in CANNOT_MATTER.get(f"{command} {line}", ()):
            continue
        if option.is_flag and option.opts[-1] in line.split():
            continue
        others = OTHER_WORDS.get(option.name or "", {})
        words = [others.get(word, word) for word in line.split()]
        without = base if words == line.split() else run(place, command, words)
        for use in uses(command, option):
            if run(place, command, [*words, *use]) != without:
                break
        else:
            ignored.append(option.opts[-1])
    assert " ".join(ignored) == ""


def test_every_command_has_a_line():
    assert set(LINES) == set(COMMANDS)
