"""Playing a session again, and finding where another run of it went elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import SessionError, TableError
from ..table import QUANTUM_S, Table
from .record import FIELDS, Checkpoint, Session, checkpoint


@dataclass(frozen=True, slots=True)
class Divergence:
    """Say where a replay first differed: at a checkpoint's time, in which tile and which of its fields."""

    time_s: float
    tile: int
    field: str

    def __str__(self) -> str:
        return f"diverged at {self.time_s:g} s: tile {self.tile}, {self.field}"


class Replay:
    """Play a session on a table of its own, as far as asked.

    Raises:
        SessionError: a command cannot be carried out (`run_to`).
    """

    def __init__(self, session: Session, threads: int = 1) -> None:
        self.session = session
        self.table = Table(seed=session.seed, skew_ppm=session.skew_ppm, threads=threads)
        self._done = 0

    def run_to(self, quantum: int) -> None:
        """Play on until a quantum, the commands that take effect before it included."""
        for recorded in self.session.commands[self._done :]:
            if recorded.quantum > quantum:
                break
            self._run(recorded.quantum)
            try:
                self.table.submit(recorded.command)
            except TableError as error:
                when = f"{recorded.quantum * QUANTUM_S:g} s"
                raise SessionError(f"at {when} the session does what cannot be done: {error}") from None
            self._done += 1
        self._run(quantum)

    def finish(self) -> Table:
        """Play to the end and return the table."""
        self.run_to(self.session.end)
        return self.table

    def verify(self, progress: Callable[[float], None] = lambda share: None) -> Divergence | None:
        """Play to the end, comparing at every checkpoint; return the first difference, None if there is none.

        `progress` is told the share that is done, 0 to 1.
        """
        for point in self.session.checkpoints:
            self.run_to(point.quantum)
            found = _difference(point, checkpoint(self.table))
            if found is not None:
                return found
            progress(point.quantum / max(self.session.end, 1))
        self.finish()
        return None

    def _run(self, quantum: int) -> None:
        self.table.run(max(quantum - self.table.quantum, 0) * QUANTUM_S)


def _difference(expected: Checkpoint, found: Checkpoint) -> Divergence | None:
    for number in sorted(expected.tiles.keys() | found.tiles.keys()):
        one, other = expected.tiles.get(number), found.tiles.get(number)
        if one is None or other is None:
            return Divergence(expected.time_s, number, "presence")
        for field in FIELDS:
            if one[field] != other[field]:
                return Divergence(expected.time_s, number, field)
    return None
