"""`bnsl.convert`: between this program's files and files of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formats.kinds import Kind
from formats.registry import find_format

from ..files import targets
from ..files.output_formats import output_format
from ..options.conversions import ChoiceOptions, PartOptions
from ..options.data import DataOptions, data_options_with, refuse_data_options
from ..options.declared import argument, parameter, record, single
from ..options.shared import OutputOptions, check_sources
from ..options.values import INPUT, Choice
from ..running.errors import UsageError
from ..running.function import Run, function

if TYPE_CHECKING:
    from .conversions import PreparedOutput


def check_choices(part: PartOptions, choice: ChoiceOptions, target_format: str) -> None:
    """Refuse options for networks with other target formats, and options that a format of networks cannot hold."""
    given = part.given() or choice.given()
    if given and target_format not in targets.STRUCTURE_TARGETS:
        raise UsageError(f"{given} needs a network, and {target_format} holds none.")
    if part.boxes is not None and target_format not in targets.PICTURES:
        fitting = ", ".join(targets.PICTURES)
        raise UsageError(f"--boxes needs a picture that shows probabilities ({fitting}), not {target_format}.")
    if part.boxes == "tables" and target_format == "html":
        raise UsageError("leave --boxes out: html shows the table of a variable when you click on the variable.")
    for is_given, name, what, able in (
        (part.cpdag, "--cpdag", "undirected edges beside arcs", targets.ESSENTIAL),
        (choice.strengths is not None, "--strengths", "strengths of arcs", targets.WITH_STRENGTHS),
    ):
        if is_given and target_format not in able:
            raise UsageError(f"{name}: {target_format} cannot hold {what}; these can: {', '.join(able)}.")


@function
def convert(
    source: Any = argument("FILE", is_standard_input=True),
    target_format: str | None = parameter(
        "Format to write; the output's name gives it by default. --help-all lists the formats.",
        Choice(targets.TARGETS),
        "FORMAT",
        names=("--to",),
        section="Output",
    ),
    names: Any = parameter(
        "Name the variables of a file that numbers them (jkl, pss) by the columns of this table.",
        INPUT,
        "DATA",
        section="Input",
    ),
    choice: ChoiceOptions = record(ChoiceOptions, "Input"),
    part: PartOptions = record(PartOptions, "Part"),
    data_options: DataOptions = data_options_with(is_alone=True),
    output: str | None = single(OutputOptions, "output", section="Output", default=None),
    *,
    run: Run,
) -> PreparedOutput:
    """Convert between this program's files and files of others.

    Returns
    -------
    str, bytes or None
        The text, or the bytes of binary formats; None with `output`.

    Examples
    --------
    >>> network = bnsl.optimize(data={"a": [0, 1] * 20, "b": [1, 0] * 20}, require="a->b", quiet=True)
    >>> bnsl.convert(network, to="modelstring", quiet=True)
    '[a][b|a]\\n'
    """
    output = output or "-"
    check_sources(source, names, choice.strengths)
    of_class = part.class_members is not None
    if part.boxes is not None and of_class:
        raise UsageError("--boxes needs a picture, and --class writes networks: leave one out.")
    target_format = target_format or ("network" if of_class else targets.guess_target(output))
    if of_class and target_format != "network":
        raise UsageError(f"--class writes a stream of networks: --to network, not {target_format}.")
    check_choices(part, choice, target_format)
    written = target_format
    if target_format != "table":
        written = output_format("convert", output, target_format)
    if names is not None and target_format in (*targets.DATA_TARGETS, *targets.PARAMETER_TARGETS):
        raise UsageError(f"--names does not apply to {target_format}: its input names the variables.")
    if names is None and target_format not in targets.DATA_TARGETS:
        refuse_data_options(run, f"applies to data, and {target_format} holds none.")
    table = None if names is None else data_options.open(names, run.reporter)
    from . import conversions

    task = conversions.Conversion(source, target_format, written, table, part, choice, data_options, run.reporter)
    if of_class:
        found = conversions.convert_class(task)
        found.target = output
        return found
    kind = None if target_format == "table" else find_format(target_format).kind
    of_kind: dict[Kind | None, Any] = {
        Kind.DATA: conversions.convert_data,
        Kind.PARENT_SETS: conversions.convert_sets,
        None: conversions.convert_readable,
    }
    if kind is Kind.PICTURE:
        from .pictures import convert_picture

        of_kind[kind] = convert_picture
    found = of_kind.get(kind, conversions.convert_structure)(task)
    found.target = output
    return found
