"""A log of what passes between tiles: every packet on every contact, decoded, with all that is wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import FACES, Watch
from ..table import Table
from ..watching import Seen
from .packets import PACKET_MAX, meaning
from .reader import SILENCE_PS, Reader, Sent

__all__ = ["Entry", "IrLog"]

Face = tuple[int, int]

_BYTES_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """Tell of one thing that a face sent.

    Times are picoseconds of table time: the leading edges of its first and last pulse. `sender` is (tile,
    face), `receiver` the face it touched at the start, or None: sent into the void. `kind` is that of
    `packets.Meaning`, or "broken" for what is no whole packet (`data` are its whole bytes then), "noise" for
    light that does not even begin one, or "cut" for what was under way when watching ended. `faults` may be
    "parity", "checksum", "length", "collision" (the faces on both sides of the contact were sending) and
    "parted" (they did not touch until the end).
    """

    start_ps: int
    end_ps: int
    sender: Face
    receiver: Face | None
    kind: str
    data: bytes
    faults: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        """Write the entry as a line: start, how long, who to whom, kind, bytes, meaning, faults."""
        to = "-" if self.receiver is None else "{}.{}".format(*self.receiver)
        way = f"{self.sender[0]}.{self.sender[1]} > {to}"
        shown = self.data[:_BYTES_SHOWN].hex(" ").upper() + " …" * (len(self.data) > _BYTES_SHOWN)
        faults = f"  [{', '.join(self.faults)}]" if self.faults else ""
        took = (self.end_ps - self.start_ps) / 1e9
        start = self.start_ps / 1e12
        return f"{start:12.6f} s {took:8.3f} ms  {way:15} {self.kind:8} {shown}  {self.text}{faults}"


@dataclass(slots=True)
class _Line:
    """Keep what is known of the light of one face."""

    reader: Reader
    receiver: Face | None = None
    collided: bool = False


class IrLog:
    """Watch the light of all tiles of a table and keep the last entries; hand each on to `out` if given.

    Entries come in the order in which they end. Use it as a context, or `close` it, to stop watching.
    """

    def __init__(self, table: Table, out: Callable[[Entry], None] | None = None, keep: int = 1000) -> None:
        self.entries: deque[Entry] = deque(maxlen=keep)
        self._table = table
        self._out = out
        self._lines: dict[Face, _Line] = {}
        self._lit: dict[int, int] = {}
        self._facing: dict[Face, Face] = {}
        table.watch(self)

    def __enter__(self) -> IrLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Watch no longer; log what is under way as cut."""
        self._table.unwatch(self)
        for face, line in sorted(self._lines.items()):
            self._log(face, line, line.reader.stop())

    def kinds(self, tile: int) -> Watch:
        """Watch the light of every tile."""
        return Watch.LIGHT

    def see(self, seen: Seen) -> None:
        """Take the light of a slice of a run."""
        self._facing = dict(seen.facing)
        for tile in seen.fresh:
            self._forget(tile)
        for tile in {face[0] for face in self._lines} - seen.tiles.keys():
            self._forget(tile)
        edges: list[tuple[int, int, int]] = []
        for tile, events in seen.events.items():
            edges += self._edges(tile, events[events["kind"] == Watch.LIGHT])
        for at_ps, tile, mask in sorted(edges):
            for number in range(FACES):
                if mask & 1 << number:
                    self._pulse((tile, number), at_ps)
        for face, line in self._lines.items():
            self._log(face, line, line.reader.silence(seen.end_ps))

    def _edges(self, tile: int, events: NDArray[Any]) -> list[tuple[int, int, int]]:
        """Return when light went on: (time, tile, mask of faces)."""
        if not len(events):
            return []
        lit = events["value"]
        before = np.concatenate(([np.uint8(self._lit.get(tile, 0))], lit[:-1]))
        self._lit[tile] = int(lit[-1])
        risen = lit & ~before
        on = risen != 0
        times = events["ps"][on].tolist()
        return [(at, tile, mask) for at, mask in zip(times, risen[on].tolist(), strict=True)]

    def _forget(self, tile: int) -> None:
        self._lit.pop(tile, None)
        for number in range(FACES):
            self._lines.pop((tile, number), None)

    def _pulse(self, face: Face, at_ps: int) -> None:
        line = self._lines.setdefault(face, _Line(Reader()))
        self._log(face, line, line.reader.silence(at_ps))
        receiver = self._facing.get(face)
        if not line.reader.active:
            line.receiver, line.collided = receiver, False
        if receiver is not None:
            other = self._lines.get(receiver)
            if other and other.reader.active and at_ps - other.reader.last_ps < SILENCE_PS:
                line.collided = other.collided = True
        self._log(face, line, line.reader.pulse(at_ps))

    def _log(self, face: Face, line: _Line, sent: Sent | None) -> None:
        if sent is None:
            return
        faults: tuple[str, ...] = ()
        if not sent.kind:
            means = meaning(sent.data)
            kind, faults, text = means.kind, means.faults, means.text
            if len(sent.data) > PACKET_MAX and "length" not in faults:
                faults, text = (*faults, "length"), f"{len(sent.data)} bytes; a receiver takes {PACKET_MAX}"
        else:
            kind, text = sent.kind, sent.problem
        if line.collided:
            faults = (*faults, "collision")
        if line.receiver != self._facing.get(face):
            faults = (*faults, "parted")
        entry = Entry(sent.start_ps, sent.end_ps, face, line.receiver, kind, sent.data, faults, text)
        line.receiver, line.collided = self._facing.get(face), False
        self.entries.append(entry)
        if self._out is not None:
            self._out(entry)
