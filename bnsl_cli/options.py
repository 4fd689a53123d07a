"""Options that several commands share: the same name means the same thing everywhere.

Each decorator adds options and hands them to the callback packed into one record.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast

import click

from .interrupts import Interrupted, read_patiently, remembered_signal
from .overwriting import check_outputs
from .parameter_types import (
    COLUMNS,
    DISCRETIZATION,
    DURATION,
    INPUT_PATH,
    OUTPUT_FILE,
    OUTPUT_PATH,
    SEED,
    Delimiter,
    InputPath,
)

if TYPE_CHECKING:
    from formats.records import Dataset, Variable
    from stages.runtime.budgets import Budget

    from .reporter import Reporter

Decorator = Callable[[Callable], Callable]


class SectionOption(click.Option):
    """An option that belongs to a section of the help page."""

    def __init__(self, declarations: Sequence[str], section: str = "Run", **settings: Any):
        super().__init__(declarations, **settings)
        self.section = section


def option(*declarations: str, section: str = "Run", **settings: Any) -> Decorator:
    """`click.option` with a help section."""
    return click.option(*declarations, cls=SectionOption, section=section, **settings)


class StageCommand(click.Command):
    """A subcommand whose help page lists its options by section, and which never writes over its inputs."""

    def invoke(self, ctx: click.Context) -> Any:
        check_outputs(ctx)
        if not self._reads_standard_input(ctx):
            return super().invoke(ctx)
        with read_patiently():
            try:
                code = super().invoke(ctx)
            except Exception as error:
                number = remembered_signal()
                if number is None:
                    raise
                raise Interrupted(number) from error  # the writer had nothing to hand over
        number = remembered_signal()
        return code if code or number is None else 128 + number

    def _reads_standard_input(self, ctx: click.Context) -> bool:
        values = [(p, ctx.params.get(p.name or "")) for p in self.params if isinstance(p.type, InputPath)]
        named = any("-" in (value if isinstance(value, tuple) else (value,)) for _, value in values)
        return named or any(isinstance(p, click.Argument) and not value for p, value in values)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            row = parameter.get_help_record(ctx)
            if row is not None and isinstance(parameter, click.Option):
                sections.setdefault(getattr(parameter, "section", "General"), []).append(row)
        general = sections.pop("General", [])
        for title, rows in [*sections.items(), ("General", general)]:
            with formatter.section(title):
                formatter.write_dl(rows)


def stage_command(function: Callable) -> click.Command:
    """Make a callback a command; the command line's table gives it its name."""
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    return click.command(cls=StageCommand, context_settings=settings)(function)


def given_parameters(ctx: click.Context) -> list[click.Parameter]:
    """What the command line itself gives, in the order of the help page."""
    typed = click.core.ParameterSource.COMMANDLINE
    return [p for p in ctx.command.params if p.name and ctx.get_parameter_source(p.name) == typed]


def packed(
    parameter: str,
    record: type,
    *options: Decorator,
    check: Callable[[click.Context, Any], None] | None = None,
) -> Decorator:
    """Decorator that adds options and gives the callback one `record` of their values as `parameter`.

    The options' Python names must be the fields of `record`; `check` may refuse what they say together.
    """
    names = [field.name for field in fields(record)]

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def callback(*args: Any, **values: Any) -> Any:
            values[parameter] = record(**{name: values.pop(name) for name in names})
            if check is not None:
                check(click.get_current_context(), values[parameter])
            return function(*args, **values)

        for add in reversed(options):
            callback = add(callback)
        return callback

    return decorate


# ---------------------------------------------------------------------------------------- input, output


def check_sources(*sources: str | None) -> None:
    """Refuse a command line that reads standard input twice, or reads it from a terminal by accident.

    Raises
    ------
    click.UsageError
    """
    if sum(source == "-" for source in sources) > 1:
        raise click.UsageError("standard input ('-') can be read only once; give a path for the others.")


def require_input(source: str | None, metavar: str) -> str:
    """The given source, or standard input unless that is a terminal where nobody waits.

    Raises
    ------
    click.UsageError
    """
    if source is None and sys.stdin.isatty():
        raise click.UsageError(f"no input: give {metavar} (a path, or '-') or pipe it in.")
    return "-" if source is None else source


def input_argument(name: str, metavar: str) -> Decorator:
    """A positional input that defaults to standard input."""

    def callback(ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
        return value if ctx.resilient_parsing else require_input(value, metavar)

    return click.argument(name, metavar=f"[{metavar}]", required=False, type=INPUT_PATH, callback=callback)


@dataclass(frozen=True)
class DataOptions:
    """How a data table is read and coded."""

    delimiter: str | None
    no_header: bool
    missing: str
    na: tuple[str, ...]
    discretize: tuple[str, ...]
    categories: tuple[str, ...]
    columns: tuple[str, ...]
    drop: tuple[str, ...]
    max_states: int | None
    unseen: str

    def open(self, source: str, reporter: Reporter, variables: tuple[Variable, ...] | None = None) -> Dataset:
        """Read a table, coded with the states of `variables` if given."""
        from formats import open_dataset

        return open_dataset(source, variables=variables, warn=reporter.warn, **self.rules())

    def rules(self) -> dict[str, Any]:
        """The options as the readers of tables call them."""
        rules = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"header": not rules.pop("no_header"), **rules}

    def recorded(self) -> dict[str, Any]:
        """The options that decide how cells become codes, for the header of what is made from them."""
        given: dict[str, Any] = {
            "missing": self.missing,
            "na": self.na,
            # one rule for all columns, the usual case, is recorded as it is typed
            "discretize": self.discretize[0] if len(self.discretize) == 1 else self.discretize,
            "categories": self.categories,
            "columns": self.columns,
            "drop": self.drop,
            "unseen": self.unseen,
        }
        return {name: None if value == "error" else value for name, value in given.items()}


def _columns_option(name: str, help: str) -> Decorator:
    """A repeatable list of columns; the callback gets one tuple."""

    def callback(_ctx: click.Context, _parameter: click.Parameter, lists: Iterable[tuple[str, ...]]):
        return tuple(itertools.chain.from_iterable(lists))

    return option(name, type=COLUMNS, multiple=True, callback=callback, section="Data", help=help)


data_options = packed(
    "data_options",
    DataOptions,
    option(
        "--delimiter",
        type=Delimiter(),
        section="Data",
        help="Character between cells of a text table, or 'tab'; guessed if not given.",
    ),
    option(
        "--no-header", is_flag=True, section="Data", help="The first line holds data; names are V0, V1, ..."
    ),
    option(
        "--missing",
        type=click.Choice(["error", "drop", "state"]),
        default="error",
        show_default=True,
        section="Data",
        help="Missing cells (empty, ?, NA, N/A, NaN, null and the like; among numbers also None, '.', '-'): "
        "refuse them, drop their rows, or make them a state.",
    ),
    option(
        "--na",
        multiple=True,
        metavar="TEXT",
        section="Data",
        help="Cells of this text are missing, too; repeatable.",
    ),
    option(
        "--discretize",
        type=DISCRETIZATION,
        multiple=True,
        section="Data",
        help="Cut numeric columns with many values: median, quantile:K or width:K; of one column by "
        "COLUMN=quantile:K or COLUMN=cuts:18,40,65. Repeatable, the last rule for a column holds.",
    ),
    _columns_option("--categories", "Columns whose numbers are states, however many (up to 256); never cut."),
    _columns_option(
        "--columns",
        "Read these columns only: names, patterns (age*) or ranges (first..last), with commas between.",
    ),
    _columns_option("--drop", "Leave these columns out."),
    option(
        "--max-states",
        type=click.IntRange(2, 256),
        metavar="N",
        section="Data",
        help="Refuse columns with more states than this.",
    ),
    option(
        "--unseen",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        section="Data",
        help="Rows with a state that the other input does not know: refuse or drop them.",
    ),
)

output_option = option(
    "-o",
    "--output",
    type=OUTPUT_PATH,
    default="-",
    section="Output",
    help="Write to this file, which appears only when complete, instead of standard output.",
)

json_option = option(
    "--json", "as_json", is_flag=True, section="Output", help="JSON lines, also on a terminal."
)

stats_option = option(
    "--stats",
    type=OUTPUT_FILE,
    metavar="FILE",
    section="Output",
    help="Write figures of the run, times among them, to this file (JSON).",
)


def format_option(formats: tuple[str, ...], text: str) -> Decorator:
    """``--format`` with the command's own choices."""
    return option("--format", "format_name", type=click.Choice(formats), section="Output", help=text)


def shows_table(output: str, format_name: str | None = None, as_json: bool = False) -> bool:
    """Whether the result goes to a reader's eyes: a terminal, or ``--format table``."""
    if as_json or format_name is not None:
        return format_name == "table" and not as_json
    return output == "-" and sys.stdout.isatty()


# -------------------------------------------------------------------------------------------- the run

jobs_option = option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Parallel workers; 0 means all cores. The result does not depend on it.",
)


def seed_option(help: str, section: str = "Run", **settings: Any) -> Decorator:
    """``--seed`` with the command's own words."""
    return option("--seed", type=SEED, metavar="N", section=section, help=help, **settings)


drawn_seed_option = seed_option("Seed of the random choices; drawn and recorded if not given.")


def resolve_seed(seed: int | None, reporter: Reporter) -> int:
    """The given seed, or one from the operating system, told with ``-v``."""
    from stages.runtime.seeding import draw_seed

    if seed is None:
        seed = draw_seed()
        reporter.detail(f"seed {seed}")
    return seed


@dataclass(frozen=True)
class BudgetOptions:
    """Limits of an anytime stage."""

    time: float | None
    evaluations: int | None

    def budget(self, stop: Any) -> Budget:
        """A running budget that also ends when `stop` is set."""
        from stages.runtime.budgets import Budget

        return Budget(self.time, self.evaluations, stop)


def budget_options(time: str, evaluations: str) -> Decorator:
    """``--time`` and ``--evaluations`` with the command's own help texts."""
    return packed(
        "limits",
        BudgetOptions,
        option("--time", type=DURATION, metavar="TIME", section="Budget", help=time),
        option(
            "--evaluations",
            type=click.IntRange(min=1),
            metavar="N",
            section="Budget",
            help=f"{evaluations} Unlike --time, repeats exactly with the same seed.",
        ),
    )


def max_parents_option(section: str) -> Decorator:
    """``--max-parents``."""
    return option(
        "--max-parents",
        type=click.IntRange(min=0),
        metavar="K",
        section=section,
        help="Largest number of parents; no limit if not given.",
    )


# ------------------------------------------------------------------------------------------- messages


def _set_debug(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        cast(Any, ctx.find_root().command).debug = True  # `main.StageGroup`


debug_option = option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_set_debug,
    section="General",
    help="Show a traceback with errors (also BNSL_DEBUG=1).",
)


def message_options(function: Callable) -> Callable:
    """``-q``, ``-v`` and ``--debug``; the callback gets an open `reporter`."""

    @functools.wraps(function)
    def callback(*args: Any, quiet: bool, verbose: int, **values: Any) -> Any:
        from .reporter import open_reporter

        name = click.get_current_context().info_name
        with open_reporter(f"bnsl {name}", -1 if quiet else verbose) as reporter:
            return function(*args, reporter=reporter, **values)

    verbose_option = option(
        "-v",
        "--verbose",
        count=True,
        section="General",
        help="Settings and progress on standard error; -vv adds timings.",
    )
    quiet_option = option("-q", "--quiet", is_flag=True, section="General", help="Errors only.")
    return quiet_option(verbose_option(debug_option(callback)))
