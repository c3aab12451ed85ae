"""Presses and releases on their way to the tiles, spaced in table time so that no click is lost.

A tile's BIOS takes a press for real after 20 ms. A quick hand, or a table that runs slower than real time,
would press and release within that. So every press, and every pause between two, lasts a while of table time.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..commands import Press, Release
from ..errors import TableError
from .source import Source

if TYPE_CHECKING:
    from ..table import Table

APART_S = 0.040  # table time from a press to its release, and from there to the next press
WINDOW_S = 0.350  # table time after a press in which a click may follow up another


@dataclass(slots=True)
class _Finger:
    """Follow one tile's button."""

    waiting: deque[bool] = field(default_factory=deque)  # down or up, in order
    last: Future[float] | None = None  # when, in table time, the last one took effect


class Buttons:
    """Hand presses and releases to a table in order, tile by tile."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._fingers: dict[int, _Finger] = {}

    def put(self, tile: int, down: bool) -> None:
        """Take a press or a release."""
        self._fingers.setdefault(tile, _Finger()).waiting.append(down)
        self.pass_on(self._source.frame.time_s)

    def pass_on(self, time_s: float) -> None:
        """Hand over what is due at a table time."""
        for tile, finger in list(self._fingers.items()):
            since_s = _since(finger.last, time_s)
            if since_s is None:  # refused: the tile is gone
                del self._fingers[tile]
            elif finger.waiting and since_s >= APART_S:
                finger.last = self._send(tile, finger.waiting.popleft())
            elif not finger.waiting and since_s > WINDOW_S:
                del self._fingers[tile]

    @property
    def busy(self) -> bool:
        """Tell whether a hand is clicking: something is under way, or may follow within the click window."""
        return bool(self._fingers)

    def _send(self, tile: int, down: bool) -> Future[float]:
        command = Press(tile) if down else Release(tile)

        def carry_out(table: Table) -> float:
            table.submit(command)
            return table.time_s

        return self._source.call(carry_out)


def _since(done: Future[float] | None, time_s: float) -> float | None:
    """Return how long ago something took effect: endless without anything, None where it failed."""
    if done is None:
        return float("inf")
    if not done.done():
        return 0.0
    try:
        return time_s - done.result()
    except TableError:
        return None
