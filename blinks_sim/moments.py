"""A table at one moment: a frame to draw, a snapshot to return to. All frozen values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .commands import Recorded
from .hexgrid import Cell, Contact, Pose
from .image import Image


@dataclass(frozen=True, slots=True)
class TileView:
    """Show one tile at one moment: what is drawn of it.

    `faces` is light, shape (6, 3), linear RGB; `neighbors` are ids by face; `lifted` tiles are in a hand.
    """

    id: int
    sketch: str
    pose: Pose
    cell: Cell | None
    turn: int | None
    lifted: bool
    pressed: bool
    faces: NDArray[np.float32]
    neighbors: tuple[int | None, ...]
    fault: str | None


@dataclass(frozen=True, slots=True)
class Frame:
    """Show a whole table at one moment, immutable; tiles in the order of their ids."""

    quantum: int
    time_s: float
    tiles: tuple[TileView, ...]
    contacts: frozenset[Contact]


@dataclass(frozen=True, slots=True)
class SavedTile:
    """Keep one tile as it was."""

    id: int
    image: Image
    pose: Pose
    lifted: bool
    pressed: bool
    battery_mv: int
    serial: bytes
    state: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Keep a table as it was: `Table.restore` returns to it. Good for the program that made it."""

    seed: int
    skew_ppm: int | None
    quantum: int
    due_ps: int
    used: frozenset[int]
    record: tuple[Recorded, ...]
    tiles: tuple[SavedTile, ...]
