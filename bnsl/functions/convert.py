"""`bnsl.convert`: between this program's files and files of others."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Unpack, overload

from formats.kinds import Kind
from formats.registry import find_format
from formats.wording import with_article

from ..conversions.selection import ChoiceOptions, PartOptions, Selection
from ..files import targets
from ..files.output_formats import output_format
from ..options.data import CompleteRows, Reading, refuse_data_options
from ..options.option import Argument, Option, Source, group_options
from ..options.shared import OutputOptions, check_sources
from ..options.values import INPUT, Choice, Path
from ..results import Result
from ..running.errors import UsageError
from ..running.function import MessageOptions, Run, function

if TYPE_CHECKING:
    from ..conversions.chosen_networks import Conversion
    from ..conversions.converted_contents import PreparedOutput


class ConvertOptions(ChoiceOptions, PartOptions, CompleteRows, MessageOptions, total=False):
    """Options of `convert` but `output`, which decides the result."""

    to: Annotated[
        str | None,
        Option(
            "Format to write. By default the output's name gives it. 'bnsl formats' lists the formats.",
            Choice(targets.TARGETS),
            "FORMAT",
            section="Output",
        ),
    ]
    names: Annotated[
        Source,
        Option(
            "Name the variables of a file that numbers them (jkl, pss) by the columns of this table.",
            INPUT,
            "DATA",
            section="Input",
        ),
    ]


@overload
def convert(source: Source = None, *, output: None = None, **options: Unpack[ConvertOptions]) -> str | bytes: ...


@overload
def convert(source: Source = None, *, output: Path, **options: Unpack[ConvertOptions]) -> None: ...


@overload
def convert(
    source: Source = None, *, output: Path | None, **options: Unpack[ConvertOptions]
) -> str | bytes | None: ...


@function
def convert(
    run: Run,
    source: Annotated[Source, Argument("FILE", is_standard_input=True), "A network, parent sets or a table."] = None,
    *,
    output: Annotated[Path | None, group_options(OutputOptions)["output"]] = None,
    **options: Unpack[ConvertOptions],
) -> Any:
    """Convert between this program's files and other formats.

    Returns
    -------
    str, bytes or None
        The text, or the bytes of a binary format. None if `output` is given.

    Examples
    --------
    >>> network = bnsl.optimize(data={"a": [0, 1] * 20, "b": [1, 0] * 20}, require="a->b", quiet=True)
    >>> bnsl.convert(network, to="modelstring", quiet=True)
    '[a][b|a]\\n'
    """
    given, reading, target = Selection(**options), Reading(**options), os.fspath(output or "-")
    given.check()
    check_sources(source, given.names, given.strengths, given.compare)
    of_class = given.class_members is not None
    target_format = given.to or ("network" if of_class else targets.guess_target(target))
    if of_class and target_format != "network":
        raise UsageError(f"--class writes a stream of networks: --to network, not {target_format}.")
    given.check_target(target_format)
    if target_format in targets.DATA_TARGETS and isinstance(source, Result):
        named = f"--to {target_format}" if given.to else target
        raise UsageError(
            f"{named}: {with_article(type(source).__name__)} has no rows of data; write "
            f"--to {source.json_lines or 'network'}, or its to_arrow() by pyarrow."
        )
    written = target_format
    if target_format != "table":
        written = output_format("convert", target, target_format)
    if given.names is not None and target_format in (*targets.DATA_TARGETS, *targets.PARAMETER_TARGETS):
        raise UsageError(f"--names does not apply to {target_format}: its input names the variables.")
    if given.names is None and target_format not in targets.DATA_TARGETS:
        refuse_data_options(run, f"applies to data, and {target_format} holds none.")
    names = None if given.names is None else reading.open(given.names, run.reporter)
    from ..conversions.chosen_networks import Conversion

    task = Conversion(source, target_format, written, names, given, reading, run.reporter)
    found = _converter(target_format, of_class, given.compare is not None)(task)
    found.target = target
    return found


def _converter(
    target_format: str, of_class: bool, of_differences: bool
) -> Callable[["Conversion"], "PreparedOutput"]:
    """The function that converts to a format, to the networks of a class, or to the picture of two networks."""
    kind = None if target_format == "table" else find_format(target_format).kind
    if of_differences:
        from ..conversions.differences import convert_differences

        return convert_differences
    if kind is Kind.PICTURE:
        from ..conversions.pictures import convert_picture

        return convert_picture
    from ..conversions import converted_contents as to

    if of_class:
        return to.convert_class
    of_kind = {Kind.DATA: to.convert_data, Kind.PARENT_SETS: to.convert_sets, None: to.convert_readable}
    return of_kind.get(kind, to.convert_structure)
