"""``bnsl explain``: why a network has its arcs, and what drives a variable."""

from typing import Unpack

from bnsl.files.recording import write_stats
from bnsl.functions.explain import explain
from bnsl.options.shared import AnswerOutput, Target

from ..files import write_answers
from ..running.stage_command import Call, stage_command
from .query import written_format


@stage_command("--data --runners-up --sets --strengths --target --score --missing --format --output", explain)
def command(call: Call, **options: Unpack[AnswerOutput]) -> None:
    """Explain why a network has its arcs, and what drives a variable.

    Reads a network in any format, and rows of data. Writes for each arc what the score loses if the arc is removed
    or reversed, the best parent set without the arc, and the information that the arc carries. --runners-up lists
    the next best parent sets instead; --target explains a variable.

    \b
    Examples:
      bnsl sample asia.bif --rows 2000 --seed 1 -o asia.csv
      bnsl explain asia.bif --data asia.csv --format table
      bnsl optimize --data asia.csv |
        bnsl explain - --data asia.csv --runners-up 2
      bnsl explain asia.bif --data asia.csv --target dysp
      bnsl explain asia.bif --data asia.csv --target dysp=yes

    See also: bnsl query, bnsl effects, bnsl posterior, bnsl average.
    """
    target = Target(**options)
    format_name = written_format(target, False, "explain")
    found = call()
    write_answers(target, found, format_name, call.reporter)
    write_stats(target.stats, found.figures)
