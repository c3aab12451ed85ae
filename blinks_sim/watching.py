"""Watchers of a table: they see the light, ports and code of its tiles as it runs, and change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from .core import Chip, Watch
from .tile import Tile


@dataclass(frozen=True, slots=True)
class Seen:
    """Give what was seen in a slice of a run, times in picoseconds of table time.

    `events` are arrays of `core.EVENT` by tile id, oldest first; an instruction that the end of the slice
    cuts may lie a little beyond it. `facing` tells for (tile, face) which (tile, face) touches it. `fresh`
    are the tiles seen for the first time, or for the first time since the table went back to a snapshot.
    """

    start_ps: int
    end_ps: int
    tiles: Mapping[int, Tile]
    events: Mapping[int, NDArray[Any]]
    facing: Mapping[tuple[int, int], tuple[int, int]]
    fresh: frozenset[int]


class Watcher(Protocol):
    """Be told what happens on a table: `Table.watch` takes one."""

    def kinds(self, tile: int) -> Watch:
        """Return what to watch of a tile."""
        ...

    def see(self, seen: Seen) -> None:
        """Take what was seen in a slice of a run."""
        ...


class Watching:
    """Hand what the chips of a table tell to all who watch it. A chip is watched for all of them at once."""

    def __init__(self) -> None:
        self._watchers: list[Watcher] = []
        self._watched: dict[int, tuple[Chip, Watch]] = {}
        self._fresh: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._watchers or self._watched)

    def add(self, watcher: Watcher) -> None:
        """Let somebody watch from now on."""
        self._watchers.append(watcher)

    def remove(self, watcher: Watcher) -> None:
        """Let somebody watch no longer."""
        self._watchers.remove(watcher)

    def prepare(self, tiles: Mapping[int, Tile]) -> None:
        """Tell each chip what to watch in the slice to come."""
        before, self._watched = self._watched, {}
        for number, tile in tiles.items():
            wanted = Watch(0)
            for watcher in self._watchers:
                wanted |= watcher.kinds(number)
            chip, kinds = before.get(number, (None, Watch(0)))
            if chip is not tile.chip:
                kinds = Watch(0)
                self._fresh.add(number)
            if kinds != wanted:
                tile.chip.watch(wanted)
            if self._watchers:
                self._watched[number] = tile.chip, wanted

    def collect(
        self,
        start_ps: int,
        end_ps: int,
        tiles: Mapping[int, Tile],
        facing: Mapping[tuple[int, int], tuple[int, int]],
    ) -> None:
        """Hand on what was seen in a slice."""
        events = {number: chip.events() for number, (chip, kinds) in self._watched.items() if kinds}
        seen = Seen(start_ps, end_ps, tiles, events, facing, frozenset(self._fresh))
        self._fresh.clear()
        for watcher in list(self._watchers):
            watcher.see(seen)
