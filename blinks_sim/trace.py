"""A trace of pins, light and buttons as a VCD file, which GTKWave and other waveform viewers open."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Sequence
from typing import IO, Any, TypeAlias

import numpy as np
from vcd import VCDWriter
from vcd.writer import Variable

from .core import FACES, QUANTUM_PS, Watch
from .errors import TableError
from .table import Table
from .tile import Tile
from .watching import Seen

_Wire: TypeAlias = Variable[Any]

_PORTS = "BCDE"
_DDRB, _PORTB, _APART = 0x24, 0x25, 3  # data addresses; those of the next port lie so far on
_PIN = re.compile(r"P([B-E])([0-7])")
_ANODES = ("PB6", "PE0", "PB7", "PE1", "PD4", "PD2")  # of the colors, by face
_PS_PER_NS = 1000


class Trace:
    """Write what happens on tiles of a table to a VCD file while the table runs.

    Each tile is a scope `tile<id>` with `button` (1 while pressed) and a scope for each face: `ir_out` and
    `ir_in` (1 while it emits, and while light falls on it), `anode` (of its colors: 1 while the face is
    selected). `pins` adds pins by their datasheet names, such as "PD3", as what drives them: 1, 0, or z for
    an input. `tiles` are the ids to trace, all by default; tiles added later are not traced. Use it as a
    context, or `close` it, to stop; the file stays open.

    Not modelled: what timers and the USART drive in place of PORTx (PD3, PD5, PD6, PD1).

    Raises:
        TableError: there is no such tile or pin.
    """

    def __init__(
        self, table: Table, file: IO[str], tiles: Iterable[int] | None = None, pins: Sequence[str] = ()
    ) -> None:
        for pin in pins:
            if not _PIN.fullmatch(pin):
                raise TableError(f"there is no pin {pin!r}; name pins as in 'PD3', ports B to E")
        chosen = table.tiles if tiles is None else [table.tile(number) for number in tiles]
        self._table = table
        self._now_ps = self._written_ps = table.quantum * QUANTUM_PS
        self._writer = VCDWriter(file, timescale="1 ns", init_timestamp=self._now_ps // _PS_PER_NS, date="")
        self._tiles = {tile.id: _TracedTile(self._writer, tile, pins) for tile in chosen}
        self._ahead: list[tuple[int, int, _Wire, str]] = []  # a heap: changes beyond what has been run
        self._count = 0
        self._facing: dict[tuple[int, int], tuple[int, int]] = {}
        for a, face_a, b, face_b in table.contacts:
            self._facing[a, face_a], self._facing[b, face_b] = (b, face_b), (a, face_a)
        self._lit = {tile.id: tile.chip.status().ir_emitting for tile in table.tiles}
        table.watch(self)

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Trace no longer; complete what is in the file."""
        self._table.unwatch(self)
        self._writer.close(self._now_ps // _PS_PER_NS)

    def kinds(self, tile: int) -> Watch:
        """Watch the light of all tiles, as it falls on those traced, and the ports of these."""
        return Watch.LIGHT | Watch.PORTS if tile in self._tiles else Watch.LIGHT

    def see(self, seen: Seen) -> None:
        """Take a slice of a run.

        Raises:
            TableError: the table went back in time, which a file cannot.
        """
        if seen.start_ps < self._now_ps:
            raise TableError("a VCD file cannot go back in time with its table; begin another one")
        self._now_ps = seen.end_ps
        if seen.facing != self._facing:
            self._part(seen)
        for number, events in seen.events.items():
            traced = self._tiles.get(number)
            if traced is not None:
                self._change(seen.start_ps, traced.button, "1" if seen.tiles[number].pressed else "0")
                # The BIOS moves the pins of port C all the time; most traces have none of them.
                events = events[(events["kind"] == Watch.LIGHT) | np.isin(events["where"], traced.ports)]
            for at_ps, kind, where, value in events.tolist():
                if kind == Watch.LIGHT:
                    self._light(at_ps, number, value, seen)
                elif traced is not None:
                    for wire, level in traced.port(where, value):
                        self._change(at_ps, wire, level)
        self._write(seen.end_ps)

    def _part(self, seen: Seen) -> None:
        """Note what falls on the faces that have touched another, or none, since the last slice."""
        for number, traced in self._tiles.items():
            for face, wire in enumerate(traced.ir_in):
                other = seen.facing.get((number, face))
                if other == self._facing.get((number, face)):
                    continue
                self._ahead = [change for change in self._ahead if change[2] is not wire]
                lit = other is not None and self._lit.get(other[0], 0) >> other[1] & 1
                self._change(seen.start_ps, wire, "1" if lit else "0")
        heapq.heapify(self._ahead)
        self._facing = dict(seen.facing)

    def _light(self, at_ps: int, tile: int, lit: int, seen: Seen) -> None:
        """Note the light of a tile's faces, and its arrival one quantum later where a face touches."""
        changed, self._lit[tile] = lit ^ self._lit.get(tile, 0), lit
        for face in range(FACES):
            if not changed & 1 << face:
                continue
            level = "1" if lit & 1 << face else "0"
            if tile in self._tiles:
                self._change(at_ps, self._tiles[tile].ir_out[face], level)
            other = seen.facing.get((tile, face))
            if other is not None and other[0] in self._tiles:
                self._change(at_ps + QUANTUM_PS, self._tiles[other[0]].ir_in[other[1]], level)

    def _change(self, at_ps: int, wire: _Wire, level: str) -> None:
        self._count += 1
        at_ps = max(at_ps, self._written_ps)  # rounding may put the first moment of a slice before it
        heapq.heappush(self._ahead, (at_ps, self._count, wire, level))

    def _write(self, until_ps: int) -> None:
        while self._ahead and self._ahead[0][0] < until_ps:
            at_ps, _, wire, level = heapq.heappop(self._ahead)
            self._writer.change(wire, at_ps // _PS_PER_NS, level)
        self._written_ps = until_ps


class _TracedTile:
    """Hold the wires of one tile, and its ports as far as seen."""

    def __init__(self, writer: VCDWriter, tile: Tile, pins: Sequence[str]) -> None:
        scope = f"tile{tile.id}"
        status = tile.chip.status()

        def wire(where: str, name: str, level: str) -> _Wire:
            return writer.register_var(where, name, "wire", size=1, init=level)

        self._ports = {at: tile.read(at)[0] for n in range(4) for at in (_DDRB + 3 * n, _PORTB + 3 * n)}
        self.button = wire(scope, "button", "1" if tile.pressed else "0")
        self.ir_out, self.ir_in = [], []
        self._pins: list[tuple[str, _Wire]] = [(pin, wire(scope, pin, self._level(pin))) for pin in pins]
        for face in range(FACES):
            inner = f"{scope}.face{face}"
            self.ir_out.append(wire(inner, "ir_out", str(status.ir_emitting >> face & 1)))
            self.ir_in.append(wire(inner, "ir_in", str(status.ir_lit >> face & 1)))
            anode = _ANODES[face]
            self._pins.append((anode, wire(inner, "anode", self._level(anode))))
        self._levels = {wire: self._level(pin) for pin, wire in self._pins}
        traced = {pin[1] for pin, _ in self._pins}
        self.ports = [at for at in self._ports if _PORTS[(at - _DDRB) // _APART] in traced]

    def port(self, where: int, value: int) -> list[tuple[_Wire, str]]:
        """Take a write to a PORTx or DDRx; return the pins it changes, with what drives them now."""
        self._ports[where] = value
        port = _PORTS[(where - _DDRB) // _APART]
        changed = []
        for pin, wire in self._pins:
            if pin[1] == port and (level := self._level(pin)) != self._levels[wire]:
                self._levels[wire] = level
                changed.append((wire, level))
        return changed

    def _level(self, pin: str) -> str:
        index, bit = _APART * _PORTS.index(pin[1]), int(pin[2])
        if not self._ports[_DDRB + index] >> bit & 1:
            return "z"
        return str(self._ports[_PORTB + index] >> bit & 1)
