"""The options of ``bnsl optimize`` that name the task: inputs, bound, replicates; and those of its methods."""

from __future__ import annotations

from dataclasses import dataclass, fields

import click

from stages.optimize import DATA_TW, MAIN_METHODS, METHODS, OptimizeOptions, Task

from ..running.option_records import option_field, packed
from .methods import method_options, own_method_options, with_takers
from .optimize_methods import GOVERNED, SECTIONS, methods_for, section_of, takers_text
from .parameter_types import INPUT_PATH, OUTPUT_FILE, Count, Parsed
from .shared import max_parents_field

ROUNDS = 20
"""Most rounds of completion and search."""


def _resampling(text: str) -> str:
    """Rows of replicates: bootstrap, subsample:SHARE, jackknife, imputed."""
    kind, colon, share = text.partition(":")
    if kind in ("bootstrap", "jackknife", "imputed") and not colon:
        return text
    try:
        if kind == "subsample" and 0 < float(share) <= 1:
            return text
    except ValueError:
        pass
    raise ValueError(f"{text!r} is none of bootstrap, subsample:SHARE (of the rows, up to 1), jackknife, imputed")


@dataclass(frozen=True)
class TaskOptions:
    """The task: inputs, bound, start, replicates."""

    treewidth: int | None = option_field(
        "Bound the treewidth of the network's moral graph by K; with --data in method "
        f"{', '.join(methods_for(DATA_TW))}.",
        Count(min=1),
        "K",
        names=("--tw", "--treewidth"),
        section=SECTIONS[False,],
    )
    partial: bool = option_field(
        "Accept a stream that ended early: variables that did not arrive get no parents.", is_flag=True
    )
    data: str | None = option_field(
        "Search on this table and score families on demand; SETS are then optional and extended.", INPUT_PATH, "DATA"
    )
    start: str | None = option_field(
        with_takers(
            "Start from this network: on data instead of the empty one, among listed sets with its order, under "
            "--tw K with its elimination order if that fits",
            takers_text("start"),
        ),
        INPUT_PATH,
        "NETWORK",
    )
    screen: str | None = option_field(
        "Screening forest: its variables keep their one parent, the search is among its roots (qds-BNSL).",
        INPUT_PATH,
        "FOREST",
    )
    information: str | None = option_field(
        with_takers(
            "Mutual information of all pairs, from the data or the result of 'bnsl entropy'; without it, of the "
            "pairs that the listed sets determine",
            takers_text("information"),
        ),
        INPUT_PATH,
        "DATA|ENTROPIES",
    )
    max_parents: int | None = max_parents_field()
    save_sets: str | None = option_field(
        with_takers("Write the candidate sets that the search ends with.", takers_text("save_sets")), OUTPUT_FILE
    )
    proof: str | None = option_field(
        with_takers(
            "Write the proof of the bound, which 'bnsl evaluate --proof' and a program of a page check",
            takers_text("proof"),
        ),
        OUTPUT_FILE,
    )
    bootstrap: int | None = option_field(
        "Learn R networks, each from as many rows of DATA drawn with replacement, and write them as a stream.",
        Count(min=1),
        "R",
    )
    resample: str | None = option_field(
        "With --bootstrap, which rows a network is of: bootstrap (the default), subsample:SHARE of them without "
        "replacement, jackknife: all but one of R blocks; with --imputation drawn also imputed: all rows, holes "
        "drawn anew.",
        Parsed("rule", _resampling),
        "RULE",
    )
    imputation: str | None = option_field(
        "With --missing em, how holes are filled for a search: the states most probable together (the default), "
        "or drawn given the observed ones.",
        click.Choice(["best", "drawn"]),
    )
    rounds: int | None = option_field(
        f"With --missing em, fill and search at most so many times; {ROUNDS} if not given.", Count(min=1), "N"
    )

    @property
    def task(self) -> Task:
        return Task(self.data is not None, self.treewidth is not None)


task_options = packed(
    "given",
    TaskOptions,
    section=SECTIONS[True,],
    changes={f.name: {"section": section_of(f.name)} for f in fields(TaskOptions) if f.name in GOVERNED},
)
method_flags = method_options(
    METHODS,
    "Default: among SETS exact up to 22 variables and ils beyond (forest for --tw 1), pricing with --data.",
    main=MAIN_METHODS,
)
own_search_options = own_method_options("own", OptimizeOptions, takers_text, section_of)
