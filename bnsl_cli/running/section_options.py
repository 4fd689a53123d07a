"""Help pages: their width, options in sections, the option common to all commands. It imports little, since the
overview loads it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import click

Decorator = Callable[[Callable], Callable]

WIDTH = 80
"""Columns of help pages, at most."""


class SectionOption(click.Option):
    """An option that belongs to a section of the help page."""

    def __init__(self, declarations: Any, section: str = "Run", **settings: Any):
        super().__init__(declarations, **settings)
        self.section = section

    def short_record(self, ctx: click.Context) -> tuple[str, str]:
        """The row of an option on the one-screen help page: spelling and first sentence."""
        names, text = self.get_help_record(ctx) or ("", "")
        first, end, _ = (self.help or "").partition(". ")
        return names, text.replace(self.help or "", first + end.rstrip())


def option(*declarations: str, section: str = "Run", **settings: Any) -> Decorator:
    """`click.option` with a help section; the first sentence of its help must stand alone. A default is shown."""
    settings.setdefault("show_default", "default" in settings)
    return click.option(*declarations, cls=SectionOption, section=section, **settings)


def _set_debug(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        cast(Any, ctx.find_root().command).debug = True  # `main.StageGroup`


debug_option = option(
    "--debug",
    is_flag=True,
    expose_value=False,
    callback=_set_debug,
    section="General",
    help="Show a traceback with errors (also BNSL_DEBUG=1).",
)
