"""Reasons why a stage cannot deliver; each ends a command with exit code 1."""


class StageError(Exception):
    """The run failed for a reason that the user can act on; the message says what to do."""


class InfeasibleError(StageError):
    """No network meets the constraints."""


class NothingFoundError(StageError):
    """The run was interrupted before it had a first result."""
