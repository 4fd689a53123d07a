"""``bnsl convert``: between this program's files and other formats."""

from bnsl.functions.convert import convert

from ..running.stage_command import Call, stage_command


@stage_command(
    "--to --index --strengths --compare --cpdag --class --markov-blanket --neighbourhood --boxes --names --output",
    convert,
)
def command(call: Call) -> None:
    """Convert between this program's files and other formats.

    Reads networks, parent sets or tables in any format of 'bnsl formats'. Writes another format, a picture (svg,
    html, pdf, png) or a table to read. The input's format is recognised from its content. The output's format is
    given by --to or by the output's name.

    \b
    Examples:
      bnsl parentsets random80.csv.gz | bnsl convert --to jkl -o random80.jkl
      bnsl convert random80.bif -o random80.dot
      bnsl convert random80.bif --to arcs --cpdag
      bnsl optimize --data random80.csv.gz --time 1s |
        bnsl convert - --compare random80.bif -o differences.svg

    See also: bnsl formats, bnsl help formats, bnsl fit.
    """
    from bnsl.facts import network_facts

    found = call()
    if call.values["to"] == "table":
        from ..tables.readable import show_record

        show_record(found.target, found.content)
        return
    found.write(found.target)
    call.reporter.summary(found.closing or network_facts(found.content))
