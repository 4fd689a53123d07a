"""Help pages teach: one screen by --help, all by --help-all, examples that work."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from helpers.processes import ROOT, run_bnsl, run_shell

from bnsl.running.exit_codes import ExitCode
from bnsl_cli.commands import data
from bnsl_cli.main import COMMANDS, cli
from bnsl_cli.pages import PAGES, page_text, sections
from bnsl_cli.running.section_options import WIDTH
from bnsl_cli.running.stage_command import StageCommand
from stages import optimize, parentsets

LINES = 50
"""Lines of a screen."""


def examples_of(text: str) -> str:
    """The lines under ``Examples:`` and ``More examples:`` of a help text, as shell."""
    blocks = re.findall(r"xamples:\n((?:    .*\n?)+)", text)
    assert blocks, "no examples"
    return "\n".join(re.sub(r"(?m)^    ", "", block) for block in blocks)


def help_text(*arguments: str) -> str:
    """A help page as written to a pipe."""
    result = CliRunner(env={"COLUMNS": str(WIDTH)}).invoke(cli, arguments, prog_name="bnsl")
    assert result.exit_code == 0, result.output
    return result.output


def command_of(name: str) -> StageCommand:
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, StageCommand)
    return command


SHORTER = (
    (r" --time \d+m?s", " --time 30ms"),
    (r" --bootstrap \d+", " --bootstrap 3"),
    (r"(--approximate|--samples) \d{3,}", r"\1 50"),
    (r"bnsl optimize (?!.*--time)", "bnsl optimize --time 30ms "),
)
"""What is replaced in examples, which then take less time on the same way."""


def shortened(script: str) -> str:
    """The same commands with less work."""
    for pattern, text in SHORTER:
        script = re.sub(pattern, text, script)
    return script


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A folder with what `bnsl data` writes, where the examples run as they stand."""
    data.write(list(data.BUNDLED), tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_help_pages_run(name: str, workplace: Path):
    result = run_shell(shortened(examples_of(help_text(name, "--help-all"))), workplace)
    # `... | head` closes the pipe early, which is no failure (141).
    assert result.returncode in (0, ExitCode.CLOSED_PIPE), result.stderr.decode()
    assert b" error: " not in result.stderr, result.stderr.decode()


@pytest.mark.parametrize("arguments", [(), *((name,) for name in COMMANDS)], ids=" ".join)
def test_help_is_one_screen(arguments: tuple[str, ...]):
    lines = help_text(*arguments, "--help").splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_neighbours_and_leads_to_the_rest(name: str):
    text = help_text(name, "--help")
    assert "|" in examples_of(text)
    assert "See also: bnsl" in text
    assert text.splitlines()[-1].strip().startswith(f"bnsl {name} --help-all: all options and details.")


@pytest.mark.parametrize("name", COMMANDS)
def test_common_options_are_ten_or_so_that_exist(name: str):
    command = command_of(name)
    spelled = [option for parameter in command.params for option in parameter.opts]
    assert set(command.common) <= set(spelled)
    assert len(command.common) <= 11 and (command.common or len(command.params) <= 10)


@pytest.mark.parametrize("name", COMMANDS)
def test_full_help_has_all_options_and_exit_codes(name: str):
    text = help_text(name, "--help-all")
    options = [p for p in command_of(name).params if isinstance(p, click.Option) and not p.hidden]
    assert all(re.search(rf"(?m)^  .*{re.escape(option.opts[-1])}\b", text) for option in options)
    assert "\nExit status:\n" in text
    assert max(map(len, text.splitlines())) <= WIDTH
    is_page = name in {*PAGES, *(heading.lower() for page in PAGES for heading, _ in sections(page_text(page)))}
    assert is_page or text == help_text("help", name)


def test_full_help_has_methods_of_this_project_before_published_ones():
    text = help_text("optimize", "--help-all")
    heading = text.index("\nPublished methods:\n")
    for name in optimize.METHODS:
        assert (name not in optimize.MAIN_METHODS) == (text.index(f"\n  --{name} ") > heading)
    assert not any(f"\n  --{name} " in help_text("optimize", "--help") for name in optimize.METHODS)


@pytest.mark.slow
def test_examples_of_the_overview_run(workplace: Path):
    result = run_shell(shortened(examples_of(help_text("--help"))), workplace)
    assert result.returncode == 0, result.stderr.decode()


def shell_of(text: str) -> str:
    """Blocks of shell that call bnsl, with less work."""
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return shortened("\n".join(block for block in blocks if re.search(r"(?m)^bnsl ", block)))


README = (ROOT / "README.md").read_text()
TEXTS = {name: page_text(name) for name in PAGES} | {"README": README}
SHELL = {name: shell_of(text) for name, text in TEXTS.items()}
"""Commands of the pages and of the README that are to run."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, script in SHELL.items() if script])
def test_commands_of_pages_and_readme_run(name: str, workplace: Path):
    shutil.copy(ROOT / "tests" / "cases" / "data" / "small.csv", workplace / "d.csv")
    result = run_shell(SHELL[name], workplace)
    assert result.returncode == 0, result.stderr.decode()
    if "```text\nchild" in TEXTS[name]:  # pages that show what comes out
        shown = re.findall(r"```text\n(child.*?)```", TEXTS[name], re.DOTALL)
        lines = [line for block in shown for line in block.splitlines()]
        assert len(lines) >= 10 and set(lines) <= set(result.stdout.decode().splitlines())


def test_commands_of_pages_and_readme_are_many():
    assert SHELL["README"].count("bnsl ") >= 4
    assert page_text("start").count("\n# ... ") >= 30


def test_readme_and_contributing_are_short():
    assert len(README.encode()) <= 8_192
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) < 100


def test_links_of_the_readme_lead_somewhere():
    links = [link.partition("#") for link in re.findall(r"\]\(([^):]+)\)", README)]
    assert len(links) > 5 and all((ROOT / path).exists() for path, _, _ in links)
    for path, _, anchor in links:
        headings = re.findall(r"(?m)^## (.*)", (ROOT / path).read_text()) if anchor else []
        assert not anchor or anchor in [heading.lower().replace(" ", "-") for heading in headings]


def test_every_page_has_a_text_and_every_text_a_page_or_command():
    folder = ROOT / "bnsl_cli" / "pages"
    assert {path.stem for path in folder.glob("*.md")} == set(PAGES)
    assert {path.stem for path in (folder / "commands").glob("*.md")} <= set(COMMANDS)


def test_a_word_is_found_in_pages_and_options():
    output = CliRunner().invoke(cli, ["help", "-k", "Treewidth"]).output
    kinds = re.findall(r"(?m)^(\w+):$", output)
    assert kinds == ["Pages", "Commands", "Options"]
    assert "bnsl help gaps" in output and "--max-table CELLS" in output
    assert re.search(r"(?m)^  --kg .*\n(   .*\n)*? .*\(Scanagatta et al\. 2016\)", output)
    output = CliRunner().invoke(cli, ["help", "-k", "tabu"]).output
    assert re.search(r"(?m)^  --tabu ", output) and "bnsl help methods-of-optimize" in output
    for word in ("zyzzyva", " ", "treewidth zyzzyva"):
        nothing = CliRunner().invoke(cli, ["help", "-k", word])
        assert nothing.exit_code == 2 and f"no page and no option has {word!r}" in nothing.stderr


def test_words_are_found_wherever_they_stand_in_a_paragraph():
    for words in ("missing rows drop", "drop  missing rows"):
        output = CliRunner().invoke(cli, ["help", "-k", words]).output
        assert "bnsl help missing-cells" in output and re.search(r"(?m)^  --missing ", output)
        assert "bnsl help references" not in output
    assert "bnsl evaluate" in CliRunner().invoke(cli, ["help", "-k", "scores distance"]).output


def test_memory_and_interruptions_have_a_section():
    for word, text in (("memory", "120 bytes"), ("interruptions", "A second signal")):
        assert text in CliRunner().invoke(cli, ["help", word]).output


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_shown(page: str):
    text = CliRunner().invoke(cli, ["help", page]).output
    assert text == page_text(page) and text.startswith("# ") and len(sections(text)) >= 2
    assert (
        max(len(line) for line in text.splitlines() if line[:1] not in "|{" and "method pricing" not in line) <= WIDTH
    )


def test_no_two_sections_have_one_heading():
    headings = [heading for page in PAGES for heading, _ in sections(page_text(page))]
    assert len({*headings, *PAGES}) == len(headings) + len(PAGES)


@pytest.mark.parametrize(
    "word, line",
    [
        ("gaps", "## Gaps"),
        ("gap", "## Gaps"),
        ("exit-codes", "## Exit codes"),
        ("howto", "## How to"),
        ("first", "## First network"),
        ("effects", "## Effects"),
        ("cluster", "# Clusters:"),
        ("Scores", "## Scores"),
        ("sample", "Usage: bnsl sample "),
    ],
)
def test_a_word_leads_to_its_page_section_or_command(word: str, line: str):
    text = help_text("help", word)
    assert text.startswith(line) and "\n## " not in (text if line.startswith("## ") else "")


def test_pages_and_commands_are_listed():
    output = help_text("help")
    assert all(f"\n  {name} " in output for name in (*PAGES, *COMMANDS))
    assert "Knowledge, Likely arcs" in output
    wrong = CliRunner().invoke(cli, ["help", "gasp"])
    assert wrong.exit_code == 2 and "Did you mean 'gaps'?" in wrong.stderr
    assert CliRunner().invoke(cli, ["help", "12"]).exit_code == 2


HINT = re.compile(r"bnsl help ([a-z][a-z-]*)")


def test_hints_at_the_help_lead_somewhere():
    """Of messages, docstrings, pages and examples."""
    folders = ("bnsl", "bnsl_cli", "formats", "stages", "examples")
    paths = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.suffix in (".py", ".md", ".ipynb")]
    words = {
        w for path in [*ROOT.glob("*.md"), ROOT / "CITATION.cff", *paths] for w in HINT.findall(path.read_text())
    }
    assert len(words) >= 15
    for word in words:
        assert CliRunner().invoke(cli, ["help", word]).exit_code == 0, word


def test_methods_of_the_page_are_those_of_the_tables():
    text = page_text("methods")
    for table in (optimize.METHODS, parentsets.METHODS):
        assert all(re.search(rf"(?m)^- `{re.escape(name)}`", text) for name in table)


@pytest.mark.slow
def test_solvers_of_ones_own(tmp_path: Path):
    """The examples of other programs at either place of the pipe, as `bnsl help exchange` shows them."""
    data, solvers = ROOT / "tests" / "cases" / "data" / "small.csv", ROOT / "examples" / "solvers"
    sets = run_bnsl("parentsets", "--seed", 1, data).stdout
    python = [sys.executable, str(solvers / "choose.py")]
    chosen = subprocess.run(python, input=sets, capture_output=True, check=True).stdout
    judged = run_bnsl("evaluate", "--data", data, "--json", stdin=chosen)
    assert (judged.returncode, judged.stderr) == (0, b"")  # not a word about a total that disagrees
    python = [sys.executable, str(solvers / "list_pairs.py"), str(data)]
    pairs = subprocess.run(python, capture_output=True, check=True).stdout
    ours = run_bnsl("optimize", stdin=run_bnsl("parentsets", "--sequential", "--max-parents", 1, data).stdout)
    theirs = run_bnsl("optimize", stdin=pairs)
    totals = [json.loads(result.stdout.splitlines()[0])["total"] for result in (ours, theirs)]
    assert totals[0] == pytest.approx(totals[1], abs=1e-6)


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_explained(code: ExitCode):
    assert re.search(rf"(?m)^\|[^|]*\b{code.value}\b", page_text("formats"))


@pytest.mark.slow
def test_module_and_command_are_the_same(tmp_path: Path):
    module = run_bnsl("--help", cwd=tmp_path)
    script = run_shell("bnsl --help", tmp_path)
    assert module.stdout == script.stdout
    assert module.stdout.startswith(b"Usage: bnsl ")


INSTALLED = re.compile(r"pip install (\.(?=[\s`])|\S+\.whl|\./\S+|'[^']+'|[a-z][\w-]*(?: [a-z][\w-]*)*)")


def test_hints_at_installation_name_what_there_is():
    """They work from a checkout, from a wheel and from an index; the distribution is on none yet."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    known = set(extras)
    extras.pop("dev")
    packages = {re.match(r"[\w-]+", package)[0] for of_extra in extras.values() for package in of_extra}
    extras.pop("compile")  # a checkout requires what compiles
    places = {".", "dist/bnsl_cli-*.whl", f"'.[{','.join(extras)}]'"}
    sources = [
        p for folder in ("bnsl", "bnsl_cli", "stages", "formats", "examples") for p in (ROOT / folder).rglob("*")
    ]
    hints = []
    for path in [ROOT / "README.md", *sources]:
        if path.suffix in (".py", ".md", ".mk", ".rst", "") and path.is_file():
            text = " ".join(path.read_text().split())
            hints += [hint for hint in INSTALLED.findall(text) if hint not in places]
            assert text.count("pip install bnsl-cli") == text.count("once it is published"), path
    named = {re.match(r"'?([\w-]+)", name)[1] for hint in hints for name in hint.split()}
    assert named == {*packages, "bnsl-cli"}
    assert {extra for hint in hints for extra in re.findall(r"bnsl-cli\[(\w+)\]", hint)} <= known
