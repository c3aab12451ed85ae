"""The desk: a window with a table of tiles, worked by mouse and keys."""

from __future__ import annotations

from .app import run_desk
from .display import available

__all__ = ["available", "run_desk"]
