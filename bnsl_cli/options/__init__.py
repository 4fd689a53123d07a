"""Options of the commands: types of their values, and the records that they are packed into.

Functions that refuse a command line (``check_*``, ``refuse_*``, ``require_*``) raise `click.UsageError`.
"""
