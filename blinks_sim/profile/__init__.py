"""Where a sketch's time and memory go: cycles by function and round of the main loop, loop rate, stack, maps.

A round of the main loop is the time from one call of the BIOS to show the pixels to the next: loop() itself
often does not exist as a function after optimisation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core import QUANTUM_PS, Watch
from ..errors import TableError
from ..table import Table
from ..tile import Tile
from ..watching import Seen
from .places import RAM_END, Place, data_end, flash_places, function_entries, ram_places

__all__ = ["FunctionCost", "Place", "Profile", "Profiler"]

DISPLAY_ENTRY = 0x3820


@dataclass(frozen=True, slots=True)
class FunctionCost:
    """Give the cycles spent in a function itself, not in what it calls or in interrupts, and its calls.

    A function that the compiler put into others counts for itself. `size` is that of its code in bytes, all
    copies together; `calls` is how often its first instruction ran: for one put into others, about its calls.
    """

    name: str
    size: int
    cycles: int
    calls: int


@dataclass(frozen=True, slots=True)
class Profile:
    """Give what a tile did in so many seconds of table time.

    `cycles` are those of the CPU awake. `round_ms` is the shortest, mean and longest time of a round, None
    with less than one. `functions` come by cycles, most first; those that never ran are left out.
    `stack_bytes` is the deepest stack since profiling began, of `stack_room`; interrupts included.
    """

    seconds: float
    cycles: int
    rounds: int
    round_ms: tuple[float, float, float] | None
    functions: tuple[FunctionCost, ...]
    stack_bytes: int
    stack_room: int
    flash: tuple[Place, ...]
    ram: tuple[Place, ...]

    @property
    def loop_hz(self) -> float:
        """Rounds of the main loop in a second, on average over whole rounds; 0 with none."""
        return 1000 / self.round_ms[1] if self.round_ms else 0.0


class Profiler:
    """Count what code a tile runs from now on, while its table runs; results do not depend on it.

    `restart` begins the counts anew, but for the deepest stack. Use it as a context, or `close` it, to stop.

    Raises:
        TableError: the tile was removed.
    """

    def __init__(self, table: Table, tile: Tile) -> None:
        self._table = table
        self._tile = table.tile(tile.id)
        self._chip = tile.chip
        self._rounds = _Rounds()
        table.watch(self)
        self._chip.mark(DISPLAY_ENTRY)
        self._places, self._entries = flash_places(tile.image), function_entries(tile.image)
        self._start_ps = table.quantum * QUANTUM_PS
        self._base = self._counts()

    def __enter__(self) -> Profiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Count no longer."""
        self._table.unwatch(self)

    def restart(self) -> None:
        """Forget the cycles and rounds so far."""
        self._base, self._rounds = self._counts(), _Rounds()
        self._start_ps = self._table.quantum * QUANTUM_PS

    def kinds(self, tile: int) -> Watch:
        """Watch the code of one tile."""
        return Watch.CODE if tile == self._tile.id else Watch(0)

    def see(self, seen: Seen) -> None:
        """Take the rounds of a slice of a run."""
        events = seen.events.get(self._tile.id)
        if events is not None:
            self._rounds.add(events["ps"][events["kind"] == Watch.CODE])

    def result(self) -> Profile:
        """Return what was counted.

        Raises:
            TableError: the tile was removed, or the table went back to a snapshot, meanwhile.
        """
        cycles, runs = (now - base for now, base in zip(self._counts(), self._base, strict=True))
        costs: dict[str, FunctionCost] = {}
        for place in self._places:
            words = slice(place.start // 2, (place.start + place.size + 1) // 2)
            spent = int(cycles[words].sum())
            before = costs.get(place.name)
            if before is not None:
                costs[place.name] = replace(
                    before, size=before.size + place.size, cycles=before.cycles + spent
                )
            else:
                entries = self._entries.get(place.name, [place.start])
                calls = sum(int(runs[entry // 2]) for entry in entries)
                costs[place.name] = FunctionCost(place.name, place.size, spent, calls)
        ran = [cost for cost in costs.values() if cost.cycles]
        count = self._chip.code_count()
        assert count is not None
        return Profile(
            seconds=(self._table.quantum * QUANTUM_PS - self._start_ps) / 1e12,
            cycles=int(cycles.sum()),
            rounds=self._rounds.count,
            round_ms=self._rounds.times_ms,
            functions=tuple(sorted(ran, key=lambda cost: -cost.cycles)),
            stack_bytes=max(RAM_END - 1 - count.lowest_sp, 0),
            stack_room=RAM_END - data_end(self._tile.image),
            flash=tuple(self._places),
            ram=tuple(ram_places(self._tile.image)),
        )

    def _counts(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        count = self._chip.code_count() if self._tile.chip is self._chip else None
        if count is None:
            raise TableError(f"tile {self._tile.id} is not profiled any more; begin anew")
        return count.cycles, count.runs


class _Rounds:
    """Keep how many rounds there were and how long they took, not each of them."""

    def __init__(self) -> None:
        self.count = 0
        self._first_ps = self._last_ps = 0
        self._marks = 0
        self._shortest_ps, self._longest_ps = 1 << 63, 0

    def add(self, marks: NDArray[Any]) -> None:
        """Take the times at which rounds ended, in picoseconds."""
        if not len(marks):
            return
        if not self._marks:
            self._first_ps = int(marks[0])
        else:
            marks = np.concatenate(([np.uint64(self._last_ps)], marks))
        gaps = np.diff(marks)
        self._marks = 1
        self._last_ps = int(marks[-1])
        if len(gaps):
            self.count += len(gaps)
            self._shortest_ps = min(self._shortest_ps, int(gaps.min()))
            self._longest_ps = max(self._longest_ps, int(gaps.max()))

    @property
    def times_ms(self) -> tuple[float, float, float] | None:
        """Shortest, mean and longest round in milliseconds; None without one."""
        if not self.count:
            return None
        mean = (self._last_ps - self._first_ps) / self.count
        return self._shortest_ps / 1e9, mean / 1e9, self._longest_ps / 1e9
