"""A tile as a person meets it: its faces and button, its serial port, and a look into its memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from . import commands
from .colors import color_name
from .core import Chip, Fault, FaultKind
from .errors import TableError, VariableError
from .hexgrid import Cell, Pose
from .image import ACTIVE, BUILT_IN, Image
from .variables import Place, variables

FACES = 6
MILLIS_AT = 0x0131  # uint32 in the time block of the RAM that BIOS and sketch share

_FAULTS = {
    FaultKind.OPCODE: "illegal opcode",
    FaultKind.PC: "program counter outside flash",
    FaultKind.STACK: "stack outside RAM",
    FaultKind.RWW: "read of flash while it is written",
}


class _Table(Protocol):
    """What a tile asks of the table it lies on."""

    def submit(self, command: commands.Command) -> None: ...
    def run(self, seconds: float) -> None: ...
    def click(self, tiles: list[Tile], count: int = 1) -> None: ...
    def neighbors(self, tile: Tile) -> list[Tile | None]: ...


class Tile:
    """Stand for one tile of a table; `Table.add` makes it.

    Whatever changes the tile goes through the table as a command and so is recorded. After the tile was
    removed every question about its chip raises TableError; its serial text remains.
    """

    def __init__(self, table: _Table, number: int, image: Image, chip: Chip, pose: Pose) -> None:
        self._table = table
        self._chip: Chip | None = chip
        self._serial = bytearray()
        self.id = number
        self.image = image
        self.pose = pose
        self.lifted = False
        self.pressed = False

    def __repr__(self) -> str:
        return f"<Tile {self.id}: {self.image.name}>"

    @property
    def chip(self) -> Chip:
        """The tile's microcontroller and board. Changes made here directly are not recorded."""
        if self._chip is None:
            raise TableError(f"tile {self.id} was removed from the table; add a new one")
        return self._chip

    # Where it lies --------------------------------------------------------------------------------

    @property
    def cell(self) -> Cell | None:
        """Cell of the table's lattice, or None when the tile lies off it."""
        place = self.pose.place
        return place[0] if place else None

    @property
    def turn(self) -> int | None:
        """Clockwise turn in steps of 60° (0–5), or None when the tile lies off the lattice."""
        place = self.pose.place
        return place[1] if place else None

    @property
    def neighbors(self) -> list[Tile | None]:
        """The tiles that touch faces 0 to 5; None where none does."""
        return self._table.neighbors(self)

    # What one sees --------------------------------------------------------------------------------

    @property
    def faces(self) -> NDArray[np.float32]:
        """Light of the faces, shape (6, 3): linear RGB, 1.0 is full level, averaged over complete frames."""
        return self.chip.light()

    @property
    def color(self) -> str | None:
        """Name of the one color that all faces show ("OFF" when dark), or None if they differ."""
        names = {color_name(face) for face in self.faces.tolist()}
        return names.pop() if len(names) == 1 else None

    @property
    def fault(self) -> str | None:
        """Why the tile stands still, or None while it runs."""
        fault = self.chip.fault
        return None if fault is None else self._explain(fault)

    def _explain(self, fault: Fault) -> str:
        where = f"{fault.pc:#06x}{_symbol(self.image.symbols, fault.pc)}"
        word = f"{'sp' if fault.kind is FaultKind.STACK else 'word'} {fault.word:#06x}"
        return f"{_FAULTS[fault.kind]}: {word} at {where}"

    # What one does --------------------------------------------------------------------------------

    def press(self) -> None:
        """Push the button down."""
        self._table.submit(commands.Press(self.id))

    def release(self) -> None:
        """Let the button go."""
        self._table.submit(commands.Release(self.id))

    def click(self, count: int = 1) -> None:
        """Click so many times, 60 ms down and 60 ms up each, and run the table until the tile has noticed."""
        self._table.click([self], count)

    def hold(self, seconds: float) -> None:
        """Hold the button down while the table runs for so many seconds, then let go."""
        self.press()
        self._table.run(seconds)
        self.release()

    def reset(self) -> None:
        """Reset the tile, as its reset pin does."""
        self._table.submit(commands.Reset(self.id))

    def flash(self, image: Image) -> None:
        """Write another image to the tile, as a programmer does, and switch it on anew."""
        self._table.submit(commands.Flash(self.id, image))

    @property
    def battery_mv(self) -> int:
        """Battery voltage in millivolts; settable."""
        return self.chip.battery_mv

    @battery_mv.setter
    def battery_mv(self, millivolts: int) -> None:
        self._table.submit(commands.SetBattery(self.id, millivolts))

    # Service port and memory ----------------------------------------------------------------------

    @property
    def serial(self) -> str:
        """All that the tile has sent on its service port, a character a byte (Latin-1)."""
        return self._serial.decode("latin-1")

    def send(self, data: bytes, baud: int = 1_000_000) -> None:
        """Send bytes into the service port, back to back."""
        self._table.submit(commands.Send(self.id, data, baud))

    @property
    def millis(self) -> int:
        """The tile's own clock in milliseconds, as its BIOS keeps it."""
        return int.from_bytes(self.read(MILLIS_AT, 4), "little")

    @overload
    def read(self, where: int, length: int = 1) -> bytes: ...
    @overload
    def read(self, where: str) -> Any: ...
    def read(self, where: int | str, length: int = 1) -> Any:
        """Return a variable by name, or bytes of the data space (registers from 0, RAM from 0x0100).

        Names are the sketch's, as in "teamIndex", "ns::x" or "faces[2].value"; values are int, bool, float,
        `EnumValue`, list or dict: see `blinks_sim.variables`.

        Raises:
            VariableError: the image does not know the name, or the tile no longer runs its image's sketch.
        """
        if isinstance(where, int):
            return self.chip.read(where, length)
        place = self._place(where)
        look = {"ram": self.chip.read, "flash": self.chip.flash, "eeprom": self.chip.eeprom}[place.space]
        return place.decode(look(place.address, place.size))

    @overload
    def write(self, where: int, value: bytes) -> None: ...
    @overload
    def write(self, where: str, value: Any) -> None: ...
    def write(self, where: int | str, value: Any) -> None:
        """Change a variable by name, or bytes of the data space.

        Raises:
            VariableError: as `read`; it lies in flash or EEPROM; or the value does not fit it.
        """
        if isinstance(where, str):
            place = self._place(where)
            if place.space != "ram":
                raise VariableError(f"{where} lies in {place.space}; only variables in RAM can be written")
            where, value = place.address, place.encode(value, self.chip.read(place.address, place.size))
        self._table.submit(commands.Write(self.id, where, value))

    def _place(self, path: str) -> Place:
        """Return where a variable lies, unless the tile runs another sketch than its image's by now."""
        place = variables(self.image).place(path)
        length = self.image.sketch_bytes
        own = self.image.flash[BUILT_IN : BUILT_IN + length]
        running = self.chip.flash(ACTIVE, length)
        # Each reset copies the sketch there page by page; until it has, the rest is erased.
        if length and not own.startswith(running.rstrip(b"\xff")):
            raise VariableError(
                f"tile {self.id} runs another sketch than {self.image.name}, so it has no {path!r}; "
                "ask a tile that does"
            )
        return place


def _symbol(symbols: Mapping[str, int], pc: int) -> str:
    """Name the function or label around a byte address of flash, as " (loop+6)"; "" where none is known."""
    before = [(address, name) for name, address in symbols.items() if address <= pc]
    if not before:
        return ""
    address, name = max(before)
    return f" ({name}+{pc - address})" if pc > address else f" ({name})"
