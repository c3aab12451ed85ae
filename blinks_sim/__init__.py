"""Blinks on a table: every tile a real microcontroller that runs real firmware."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import BlinksError

if TYPE_CHECKING:
    from .image import Image
    from .table import Table
    from .tile import Tile

__all__ = ["BlinksError", "Image", "Table", "Tile"]

_HOMES = {"Image": "image", "Table": "table", "Tile": "tile"}


def __getattr__(name: str) -> Any:
    # Deferred: rules and grid load without the compiled core, and the command line can say it is missing.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
