"""Lines of text about the progress of a stage, its rate and its resources."""

from __future__ import annotations

import time


class Pace:
    """Rate and time left of a task with a known number of equal parts."""

    def __init__(self):
        self._begun: tuple[int, float] | None = None

    def facts(self, done: int, total: int | None) -> dict[str, object]:
        """Rate and time left; empty until two parts are done."""
        from stages.runtime.reporting import duration_text

        now = time.monotonic()
        # A smaller number than before begins another task.
        if self._begun is None or done < self._begun[0]:
            self._begun = (done, now)
        parts, seconds = done - self._begun[0], now - self._begun[1]
        if total is None or parts < 2 or seconds <= 0:
            return {}
        left = (total - done) * seconds / parts
        return {"rate": f"{parts / seconds:,.3g}/s", "left": duration_text(left)}


def progress_text(done: int, total: int | None, counted: str, facts: dict[str, object]) -> str:
    """One line of progress: ``12/111 variables, score -350,123.45, rate 3.4/s, left 29 s``."""
    parts = []
    if done or total is not None:
        parts.append(f"{done:,} {counted}" if total is None else f"{done:,}/{total:,} {counted}")
    for name, value in facts.items():
        form = ",.2f" if isinstance(value, float) else "," if isinstance(value, int) else ""
        parts.append(f"{name.replace('_', ' ')} {value:{form}}")
    return ", ".join(parts)


def compiling_text(count: int, seconds: float) -> str:
    """Progress of compilation: ``compiling kernels, once: 12 done, 8 s``."""
    from stages.kernels.jit import why_not_stored
    from stages.runtime.reporting import duration_text

    reason = why_not_stored()
    when = "once" if reason is None else f"in each run, since {reason}"
    return f"compiling kernels, {when}: {count} done, {duration_text(seconds)}"


def resources_text(seconds: float) -> str:
    """Wall time of the stage, CPU time and peak memory of the process."""
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    return f"{seconds:.2f} s, {cpu:.2f} s of CPU, {usage.ru_maxrss / 1024:.0f} MiB at most"
