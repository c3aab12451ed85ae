"""The desk: a window with a table of tiles, worked by mouse and keys."""

from __future__ import annotations

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # a library never prints

from .app import run_desk
from .display import available

__all__ = ["available", "run_desk"]
