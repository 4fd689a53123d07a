"""Reasons why a stage cannot deliver; each ends a command with exit code 1."""


class StageError(Exception):
    """The run failed for a reason that the user can understand; the message says what to do."""


class InfeasibleError(StageError):
    """No network meets the constraints."""


class NothingFoundError(StageError):
    """The user asked to stop before there was anything to hand over."""
