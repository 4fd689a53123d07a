"""The time of each child's search, out of the time left for the run.

Children are searched one after the other, and a record that is written is not searched again. Equal shares of the
time left would cut the first long search short although later ones need less than theirs. Searches that end by
themselves therefore borrow from what the others will probably not need.
"""

from __future__ import annotations

OVERRUN_SMOOTHING, PACE_SMOOTHING = 0.2, 0.05
"""Smoothing factors of the moving averages: of the time that searches take beyond their share, and of their time."""

LENT = 0.125
"""Share of the spare time that one search may take: one that needs longer leaves most of it to the next ones."""


class TimeShares:
    """Shares of the time of one run, for one of its workers.

    `jobs` workers share the time. If `ends`, searches end by themselves; others use whatever time they get, so that
    nothing is spare.
    """

    def __init__(self, jobs: int, ends: bool):
        self._jobs = jobs
        self._ends = ends
        self._overrun = 0.0
        self._pace: float | None = None

    def next_share(self, left: float, unfinished: int) -> float:
        """Seconds for the next search, of `left` that it shares with others: `unfinished`, itself included.

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
        """Note that a search took so many seconds of its share, and whether that ended it."""
        if self._pace is not None:
            self._pace += PACE_SMOOTHING * (seconds - self._pace)
        if is_cut:
            self._overrun += OVERRUN_SMOOTHING * (max(0.0, seconds - share) - self._overrun)
