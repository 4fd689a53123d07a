"""The time of each child's search, out of the time left for the run.

Children are searched one after the other, and a written record is not searched again. Equal shares of the remaining
time would cut the first long search short, although later ones need less than their shares. So searches that end by
themselves borrow the time that the others will probably not need.
"""

from __future__ import annotations

OVERRUN_SMOOTHING, PACE_SMOOTHING = 0.2, 0.05
"""Smoothing factors of two moving averages: of the time by which searches exceed their share, and of their time."""

LENT = 0.125
"""Share of the spare time that one search may take: a search that needs longer leaves most of it to the next ones."""


class TimeShares:
    """Shares of the time of one run, for one of its workers.

    `jobs` workers share the time. If `ends`, searches end by themselves. Other searches use all the time they get, so
    none is spare.
    """

    def __init__(self, jobs: int, ends: bool):
        self._jobs = jobs
        self._ends = ends
        self._overrun = 0.0
        self._pace: float | None = None

    def next_share(self, left: float, unfinished: int) -> float:
        """Seconds for the next search out of `left`; `unfinished` searches, this one included, share these.

        A search ends one step after its time, so the mean overrun of the last ones is subtracted.
        """
        share = left * min(1.0, self._jobs / unfinished)
        if self._ends:
            # Until searches have been timed, half of the time counts as spare.
            self._pace = share / 2 if self._pace is None else self._pace
            spare = left * self._jobs - unfinished * self._pace
            share = min(left, share + LENT * max(0.0, spare))
        return max(0.0, share - self._overrun)

    def note(self, seconds: float, share: float, is_cut: bool) -> None:
        """Record that a search took `seconds` of its `share`, and whether that ended it."""
        if self._pace is not None:
            self._pace += PACE_SMOOTHING * (seconds - self._pace)
        if is_cut:
            self._overrun += OVERRUN_SMOOTHING * (max(0.0, seconds - share) - self._overrun)
