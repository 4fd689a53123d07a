"""Parts that only a kernel knows, and levels of processors."""

from __future__ import annotations

from .copies import Edit
from .parts import Part
from .patches import Acts, Value

COPIES = "benchmarks.ablation.copies:"
COUNTING = "stages/kernels/counting/"
POSTERIOR = "stages/kernels/posterior/walks.py"


def _edited(tasks: tuple[str, ...], table: str, *edits: tuple[str, str, str]) -> Part:
    changed = tuple(Edit(*edit) for edit in edits)
    return Part(tasks, table, (Value(COPIES + "EDITS", changed),), Acts(COPIES + "copy_into"))


def _counted(table: str, file: str, old: str, new: str) -> Part:
    return _edited(
        ("compiled lists", "compiled grown lists", "compiled hc", "compiled any"), table, (COUNTING + file, old, new)
    )


def _level(left_out: str) -> Part:
    tasks = ("coded lists", "coded grown lists", "coded hc")
    return Part(tasks, "plants", (Value(COPIES + "LEFT_OUT", left_out),), Acts(COPIES + "copy_into"))


PARTS = {
    "inclusion and exclusion": _counted(
        "plants", "inclusion_exclusion.py", "if counted < 0 or not knows_pairs(", "if True or not knows_pairs("
    ),
    "labelled rows": _counted("hailfinder", "counting_plan.py", "MOST_LABELLED = 2", "MOST_LABELLED = -1"),
    "lists of rows": _counted("plants", "row_groups.py", "return max(8, int(", "return min(8, int("),
    "bitmaps of configurations": _counted("wide", "row_groups.py", "return max(8, int(", "return max(1 << 30, int("),
    "blocks of candidates": _counted(
        "plants", "counting_plan.py", "end = min(len(candidates), first + len(places))", "end = first + 1"
    ),
    "binary families": _counted("plants", "add_one.py", "elif r == 2 and s == 2:", "elif r == 2 and s == 0:"),
    "reversals of covered arcs": _edited(
        ("compiled posterior",), "nltcs", (POSTERIOR, "for _ in range(REVERSALS):", "for _ in range(0):")
    ),
    "level 4 of processors": _level("_native_*v4*"),
    "levels 3 and 4 of processors": _level("_native_*v[34]*"),
}
