"""Compiled code: best-first exploration of parent sets by BIC* or by score."""
