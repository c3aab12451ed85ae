"""What a session is, and how a table's run becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..commands import Recorded
from ..core import Watch
from ..table import QUANTUM_S, Table
from ..tile import Tile
from ..watching import Seen

CHECKPOINT_S = 2.0
FIELDS = ("pose", "flash", "eeprom", "memory", "chip")
"""Fields of a tile that a checkpoint tells apart: `memory` is registers and SRAM, `chip` everything."""

_FLASH_BYTES, _EEPROM_BYTES, _MEMORY_BYTES = 16_384, 512, 0x500


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Keep what a table was at one quantum: for each tile a digest (16 hexadecimal digits) by field."""

    quantum: int
    tiles: Mapping[int, Mapping[str, str]]

    @property
    def time_s(self) -> float:
        """Give the table time, in seconds."""
        return self.quantum * QUANTUM_S


@dataclass(frozen=True, slots=True)
class Session:
    """Keep a whole run: replaying `commands` on a table with this seed and skew gives its checkpoints.

    `end` is the quantum at which it stopped; `program` the version that recorded it.
    """

    seed: int
    skew_ppm: int | None
    end: int
    commands: tuple[Recorded, ...]
    checkpoints: tuple[Checkpoint, ...]
    program: str

    @property
    def seconds(self) -> float:
        """Give how long the run was, in table time."""
        return self.end * QUANTUM_S

    def save(self, path: str | Path) -> None:
        """Write the session to a file, whole or not at all.

        Raises:
            SessionError: the file cannot be written.
        """
        from .file import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Session:
        """Read a session from a file.

        Raises:
            SessionError: it cannot be read, is damaged, no session, or from a newer program.
        """
        from .file import load

        return load(Path(path))


class Recorder:
    """Record a table from now on, in a `with` block or between `Table.watch` and `Table.unwatch`.

    What was done to the table before is in its own record. Checkpoints are taken every two seconds of table
    time; they change nothing.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._due = 0
        self._checkpoints: list[Checkpoint] = []

    def __enter__(self) -> Recorder:
        self._table.watch(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._table.unwatch(self)

    def kinds(self, tile: int) -> Watch:
        """Want nothing of a tile but to be told that time went on."""
        return Watch(0)

    def see(self, seen: Seen) -> None:
        """Take a checkpoint when one is due."""
        if self._table.quantum < self._due:
            return
        self._due = self._table.quantum + round(CHECKPOINT_S / QUANTUM_S)
        self._checkpoints.append(checkpoint(self._table))

    def session(self) -> Session:
        """Return the run so far, with a checkpoint of how the table is now."""
        table = self._table
        kept = [point for point in self._checkpoints if point.quantum < table.quantum]
        return Session(
            seed=table.seed,
            skew_ppm=table.skew_ppm,
            end=table.quantum,
            commands=table.record,
            checkpoints=(*kept, checkpoint(table)),
            program=_program(),
        )


def _program() -> str:
    try:
        return version("blinks-sim")
    except PackageNotFoundError:
        return "not installed"  # run from its sources


def checkpoint(table: Table) -> Checkpoint:
    """Return a table's checkpoint of this moment."""
    return Checkpoint(table.quantum, {tile.id: _digests(tile) for tile in table.tiles})


def _digests(tile: Tile) -> dict[str, str]:
    chip = tile.chip
    where = (tile.pose.place or (tile.pose.x, tile.pose.y, tile.pose.angle), tile.lifted)
    parts = (
        repr(where).encode(),
        chip.flash(0, _FLASH_BYTES),
        chip.eeprom(0, _EEPROM_BYTES),
        chip.read(0, _MEMORY_BYTES),
        chip.digest().to_bytes(8, "little"),
    )
    return {name: blake2b(part, digest_size=8).hexdigest() for name, part in zip(FIELDS, parts, strict=True)}
