"""Errors a user can act on.

Every message is one line that says what is wrong, where, quotes the input and says what to do. The command
line prints it and exits with status 2. Anything that is not a `BlinksError` is a bug and keeps its traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BlinksError(Exception):
    """Say in one line what a user did that cannot work, and what to do instead."""


class UsageError(BlinksError):
    """Report an option or argument that makes no sense."""


class ImageError(BlinksError):
    """Report a firmware image that cannot be read, merged or run."""


class LayoutError(BlinksError):
    """Report a layout or layout file that cannot be laid on a table."""


class TableError(BlinksError):
    """Report a command that a table cannot carry out."""


class SessionError(BlinksError):
    """Report a session file that cannot be read, written or played."""


class VariableError(BlinksError):
    """Report a variable that is not there, or a value that it cannot hold."""


class GameError(BlinksError):
    """Report a move, a position or a notation that a game does not accept."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" with the name nearest to `word`, or "" where nothing is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
