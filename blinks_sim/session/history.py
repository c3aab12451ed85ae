"""Going back and forth on a table that is being played on."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import replace

from ..commands import Recorded
from ..core import QUANTUM_PS, Watch
from ..table import QUANTUM_S, Table
from ..watching import Seen

KEEP_S = 1.0
FRAME_QUANTA = 167  # a sixtieth of a second


class History:
    """Keep a table's past from now on, so that `go` reaches any moment of it.

    A snapshot is kept each second of table time, compressed; between two of them the recorded commands are
    carried out again. Playing on from the past starts a new branch: what came after it is forgotten.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept: list[tuple[int, int, bytes]] = []  # quantum, commands done, snapshot
        self._line: tuple[Recorded, ...] = ()
        self._last = table.quantum
        self._due = table.quantum
        self._going = False
        self._keep()
        table.watch(self)

    def close(self) -> None:
        """Keep nothing more."""
        self._table.unwatch(self)

    @property
    def reach_s(self) -> tuple[float, float]:
        """Give the earliest and the latest moment that `go` reaches, in table time."""
        return self._kept[0][0] * QUANTUM_S, max(self._last, self._table.quantum) * QUANTUM_S

    @property
    def kept_bytes(self) -> int:
        """Give the memory that the snapshots take."""
        return sum(len(packed) for *_, packed in self._kept)

    def kinds(self, tile: int) -> Watch:
        """Want nothing of a tile but to be told that time went on."""
        return Watch(0)

    def see(self, seen: Seen) -> None:
        """Keep a snapshot when one is due; forget a future that is not going to happen."""
        if self._going:
            return
        start = round(seen.start_ps / 1e12 / QUANTUM_S)
        if start < self._last:
            self._forget_after(start)
        self._last, self._line = self._table.quantum, self._table.record
        if self._table.quantum >= self._due:
            self._keep()

    def _forget_after(self, quantum: int) -> None:
        self._kept = [kept for kept in self._kept if kept[0] <= quantum]
        self._due = self._kept[-1][0] + round(KEEP_S / QUANTUM_S)

    def _keep(self) -> None:
        self._line = self._table.record
        # Within a run more time is due already; whoever comes back here asks for it himself.
        due_ps = self._table.quantum * QUANTUM_PS
        snapshot = replace(self._table.snapshot(), record=(), due_ps=due_ps)
        packed = zlib.compress(pickle.dumps(snapshot), 1)
        self._kept.append((self._table.quantum, len(self._line), packed))
        self._due = self._table.quantum + round(KEEP_S / QUANTUM_S)

    def go(self, time_s: float) -> None:
        """Put the table to how it was at a moment, the nearest that can be reached."""
        record = self._table.record
        if record != self._line[: len(record)]:  # something was done here: a new branch begins
            self._last, self._line = self._table.quantum, record
            self._forget_after(self._last)
        first, last = self.reach_s
        target = round(min(max(time_s, first), last) / QUANTUM_S)
        _, count, packed = next(kept for kept in reversed(self._kept) if kept[0] <= target)
        self._going = True
        try:
            snapshot = pickle.loads(zlib.decompress(packed))
            self._table.restore(replace(snapshot, record=self._line[:count]))
            for done in self._line[count:]:
                if done.quantum > target:
                    break
                self._run(done.quantum)
                self._table.submit(done.command)
            self._run(target)
        finally:
            self._going = False

    def step(self, frames: int = 1) -> None:
        """Go so many frames on, or back if negative; past the latest moment the table runs on."""
        target = self._table.quantum + frames * FRAME_QUANTA
        self.go(target * QUANTUM_S)
        self._run(max(target, self._table.quantum))

    def _run(self, quantum: int) -> None:
        self._table.run((quantum - self._table.quantum) * QUANTUM_S)
