"""What can be done to a table from outside, as frozen values: the input half of a recorded run.

A command names tiles by id. `Table.submit` carries it out and stamps it with the quantum before which it
takes effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .hexgrid import Pose
from .image import Image


@dataclass(frozen=True, slots=True)
class Add:
    """Lay down a new tile; its id must not have been used on this table (None: the next one)."""

    image: Image
    pose: Pose
    tile: int | None = None
    battery_mv: int = 3000


@dataclass(frozen=True, slots=True)
class Remove:
    """Take tiles away for good."""

    tiles: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """Put tiles at new poses, all at once: moving, turning, splitting and mending are all this.

    Tiles that are `lifted` are in somebody's hand, above the others: they touch nothing until moved again.
    """

    poses: tuple[tuple[int, Pose], ...]
    lifted: bool = False


@dataclass(frozen=True, slots=True)
class Press:
    """Push a tile's button down."""

    tile: int


@dataclass(frozen=True, slots=True)
class Release:
    """Let a tile's button go."""

    tile: int


@dataclass(frozen=True, slots=True)
class Reset:
    """Reset a tile, as its reset pin does."""

    tile: int


@dataclass(frozen=True, slots=True)
class Flash:
    """Write an image to a tile, as a programmer does, and switch it on anew."""

    tile: int
    image: Image


@dataclass(frozen=True, slots=True)
class Send:
    """Send bytes into a tile's service port, back to back."""

    tile: int
    data: bytes
    baud: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Write:
    """Change bytes of a tile's data space, as a debugger does."""

    tile: int
    address: int
    data: bytes


@dataclass(frozen=True, slots=True)
class SetBattery:
    """Change a tile's battery voltage, in millivolts."""

    tile: int
    battery_mv: int


Command: TypeAlias = Add | Remove | Move | Press | Release | Reset | Flash | Send | Write | SetBattery


@dataclass(frozen=True, slots=True)
class Recorded:
    """Give a command and the quantum before which it took effect."""

    quantum: int
    command: Command
