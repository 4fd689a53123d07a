"""Parts of the posterior, of hill climbing and of counting.

Moves that only a kernel makes (reversals of covered arcs) are not switched off here.
"""

from __future__ import annotations

from stages.optimize.climbing.hc import one_way

from .parts import Part
from .patches import Acts, Patch, Value

SAMPLING = "stages.posterior.sampling:"
CACHE = "stages.optimize.climbing.cache:FamilyCache."
CLIMBER = "stages.optimize.climbing.climber:"
SCORER = "stages.scoring.family_scorer:FamilyScorer."


def _sampled(acts: Acts, *patches: Patch) -> Part:
    return Part(("posterior",), "nltcs", patches, acts)


SECONDS = ("hc seconds", "tabu seconds", "restarts seconds")


def _climbed(tasks: tuple[str, ...], acts: Acts, *patches: Patch) -> Part:
    return Part(tasks, "plants", patches, acts)


def _counted(acts: Acts, *patches: Patch) -> Part:
    return Part(("lists", "lists of three", "grown lists", "any", "tw5", *SECONDS), "plants", patches, acts)


PARTS = {
    "blocks of three": _sampled(Acts(SAMPLING + "walk_on"), Value(SAMPLING + "SIZE_SHARES", (0.05, 0.95, 0.0))),
    "blocks of two and three": _sampled(Acts(SAMPLING + "walk_on"), Value(SAMPLING + "SIZE_SHARES", (1.0, 0.0, 0.0))),
    "first search of chains": _sampled(Acts(SAMPLING + "_Sampler._begin"), Value(SAMPLING + "START_PROFILES", 0)),
    "cache of expansions": _climbed(SECONDS, Acts(CACHE + "expand"), Value(CACHE + "_keep", lambda *_: None)),
    "cache of single families": _climbed(
        SECONDS, Acts(CACHE + "_keep_single"), Value(CACHE + "_keep_single", lambda *_: None)
    ),
    "bound of gains": _climbed(
        SECONDS,
        Acts(CLIMBER + "Climber._all_lose", lambda known, *_: known),
        Value(CLIMBER + "Climber._all_lose", lambda *_: False),
    )._replace(table="ad"),
    "order of ties": _climbed(
        ("hc",), Acts(CLIMBER + "order_weakest_first"), Value(CLIMBER + "order_weakest_first", lambda *_: None)
    ),
    "second climb": _climbed(
        ("hc",), Acts(CLIMBER + "turn_to_larger_next_gain"), Value("stages.optimize.climbing.hc:both_ways", one_way)
    ),
    "functions of sets": _counted(
        Acts(SCORER + "set_functions", lambda made, *_: made is not None),
        Value(SCORER + "set_functions", lambda *_, **__: None),
    ),
}
