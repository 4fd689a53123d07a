"""Arguments that are no UTF-8: file names may be any bytes, all other arguments are text."""

from __future__ import annotations

import click


def escaped(text: str) -> str:
    """The text with lone surrogates, which stand for undecodable bytes of a file name, as escapes."""
    return text.encode(errors="backslashreplace").decode()


def require_text(ctx: click.Context) -> None:
    """Refuse arguments that are no UTF-8, unless they are file names."""
    for parameter in ctx.command.params:
        if isinstance(parameter.type, click.Path):
            continue
        value = ctx.params.get(parameter.name or "")
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and escaped(text) != text:
                raise click.UsageError(f"{parameter.get_error_hint(ctx)}: {text!r} is no UTF-8 text.", ctx)
