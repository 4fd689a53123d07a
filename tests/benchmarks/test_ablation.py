"""The patches of the ablations match the present sources, and results are counted as their definitions say."""

import importlib
import time
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest

import stages
from benchmarks.ablation import __main__ as ablation
from benchmarks.ablation import copies
from benchmarks.ablation.parts import all_parts
from benchmarks.ablation.patches import Acts, Text, Value, applied, counted, resolved
from benchmarks.ablation.report import Row, holm, markdown, sign_test
from benchmarks.ablation.tables import TABLES
from benchmarks.ablation.tasks import TASKS, processor_clock
from stages.runtime.budgets import Budget

PARTS = all_parts()
SPENT = "stages.runtime.budgets:Budget.is_spent"


@pytest.mark.parametrize("name", PARTS)
def test_every_part_can_be_switched_off_and_counted(name):
    part = PARTS[name]
    assert part.table in TABLES and set(part.tasks) <= set(TASKS)
    before = [resolved(patch.place)[2] for patch in part.patches]
    with applied(part.patches):
        assert all(resolved(patch.place)[2] is not was for patch, was in zip(part.patches, before))
    assert all(resolved(patch.place)[2] is was for patch, was in zip(part.patches, before))
    with counted({name: part.acts}) as counts:
        assert counts == {name: 0}


def python_modules() -> list[str]:
    """Names of the modules of the stages that have a source: machine code of other processors cannot be imported."""
    folders = [Path(folder) for folder in stages.__path__]
    sources = [source.relative_to(folder.parent) for folder in folders for source in folder.glob("**/*.py")]
    return [".".join(source.with_suffix("").parts).removesuffix(".__init__") for source in sources]


@pytest.mark.parametrize("name", PARTS)
def test_a_patched_function_is_looked_up_where_it_is_patched(name):
    """Modules that imported it by name before the patch would go on with the old one."""
    patched = {patch.place for patch in PARTS[name].patches}
    for place in patched:
        owner, attribute, original = resolved(place)
        if isinstance(owner, ModuleType) and getattr(original, "__module__", None) == owner.__name__:
            importers = [
                f"{module}:{attribute}"
                for module in python_modules()
                if module != owner.__name__ and vars(importlib.import_module(module)).get(attribute) is original
            ]
            assert set(importers) <= patched


@pytest.mark.parametrize("name", [name for name in PARTS if "EDITS" in PARTS[name].patches[0].place])
def test_a_copy_differs_by_the_edits_and_has_no_machine_code(name, tmp_path):
    with applied(PARTS[name].patches):
        copies.copy_into(tmp_path, machine_code=False)
        edits = copies.EDITS
    changed = [edit.path for edit in edits]
    for path in copies.PROJECT.glob("stages/kernels/**/*.py"):
        place = path.relative_to(copies.PROJECT)
        assert (path.read_text() != (tmp_path / place).read_text()) == (str(place) in changed)
    assert not list(tmp_path.glob("**/*.so")) and copies.EDITS == ()


def test_a_copy_lacks_the_machine_code_left_out(tmp_path):
    found = {}
    for level in ("", "*v4*"):
        with mock.patch.object(copies, "PROJECT", tmp_path / "project"), mock.patch.object(copies, "LEFT_OUT", level):
            for package in copies.PACKAGES:
                (tmp_path / "project" / package).mkdir(parents=True, exist_ok=True)
            for name in ("_native_v3.so", "_native_v4.so"):
                (tmp_path / "project" / "stages" / name).touch()
            copies.copy_into(tmp_path / f"copy{level.strip('*')}", machine_code=True)
        found[level] = sorted(path.name for path in (tmp_path / f"copy{level.strip('*')}").glob("**/*.so"))
    assert found == {"": ["_native_v3.so", "_native_v4.so"], "*v4*": ["_native_v3.so"]}


@pytest.mark.parametrize("old, times", [("no such text", 0), ("return", 2)])
def test_a_text_that_does_not_occur_once_is_refused(old, times):
    with pytest.raises(ValueError, match=f"occurs {times} times"), applied((Text(SPENT, old, "pass"),)):
        pass


def test_a_value_that_changes_nothing_is_refused():
    with pytest.raises(ValueError, match="already"), applied((Value("time:monotonic", time.monotonic),)):
        pass


def test_a_text_replaces_the_function():
    with applied((Text(SPENT, "evaluations >= self.evaluations", "evaluations > self.evaluations"),)):
        assert not Budget(evaluations=3).is_spent(3)
    assert Budget(evaluations=3).is_spent(3)


def test_budgets_count_processor_time():
    with applied(processor_clock()):
        budget = Budget(60.0)
        time.sleep(0.3)
        assert budget.elapsed() < 0.25


def test_calls_in_which_a_part_acts_are_counted():
    with counted({"all": Acts(SPENT), "spent": Acts(SPENT, lambda spent, budget, *_: spent)}) as counts:
        Budget(evaluations=3).is_spent(1)
        Budget(evaluations=3).is_spent(3)
    assert counts == {"all": 2, "spent": 1}


def test_a_run_in_its_own_process_is_patched_and_leaves_ours_alone(monkeypatch, tmp_path):
    monkeypatch.setitem(TASKS, "any", lambda path, seed, limit: {"result": float(PARTS["other basins"].acts != seed)})
    full = ablation.forked(ablation.Run("", "any", "alarm", 1, 0.1), tmp_path, PARTS)
    assert full["result"] == 1.0 and full["acts"]["other basins"] == 0
    without = ablation.forked(ablation.Run("other basins", "any", "alarm", 1, 0.1), tmp_path, PARTS)
    assert without["part"] == "other basins" and without["acts"] == {}


def test_sign_test_and_holm():
    assert sign_test([1.0, 2.0, 3.0, 4.0, 5.0]) == 1 / 32
    assert sign_test([1.0, -2.0, 3.0, 0.0]) == 0.5
    assert sign_test([]) == 1.0
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_the_table_pairs_runs_by_seed():
    def line(part, seed, result, acts=0, gap=None):
        known = {"part": part, "task": "any", "table": "alarm", "seed": seed, "limit": 1.0, "gap": gap}
        return {**known, "result": result, "acts": {} if part else {"one": acts, "other": 0}}

    text = markdown(
        [
            *(line("", 1, -10.0, 3, 5.0), line("one", 1, -12.0, gap=4.0)),
            *(line("", 2, -11.0, 3), line("one", 2, -12.0, gap=4.0)),
            line("one", 3, -1.0),
        ]
    )
    assert "### any, 1 s\n\n| part | alarm |\n| --- | --- |\n| spread of the full program | 1 |\n" in text
    assert "| one | **+1.5, 2/2** |\n| other | never |" in text
    assert "### any, gap, 1 s" in text and "| one | **-1, 0/1** |" in text
    assert text.endswith("Tests: 2; least p after Holm's correction: 0.50.")


@pytest.mark.parametrize(
    "gains, verdict",
    [
        ([0.0, 0.0], "equal"),
        ([1.0, 2.0], "gains"),
        ([-1.0, 9.0], "gains"),
        ([-1.0, 2.0], "undecided"),
        ([-1.0, -2.0], "loses"),
        ([1.0, -9.0], "loses"),
    ],
)
def test_a_part_gains_where_every_seed_does_or_the_mean_exceeds_the_spread(gains, verdict):
    assert Row("one", "any", "alarm", 1.0, gains, 3.0, 1.0, 2).verdict == verdict
