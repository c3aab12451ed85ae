"""What the desk asks of whatever runs its table. `Pacer` is one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..commands import Command
from ..moments import Frame

if TYPE_CHECKING:
    from ..table import Table

T = TypeVar("T")


class Source(Protocol):
    """Run a table beside the window."""

    speed: float  # table time by wall time: 1 is real time, 0 paused

    @property
    def frame(self) -> Frame:
        """Give the latest frame."""

    @property
    def percent(self) -> float:
        """Give the speed achieved over about the last second, in percent of real time."""

    def submit(self, command: Command) -> Future[None]:
        """Have a command carried out before the next quantum."""

    def call(self, function: Callable[[Table], T]) -> Future[T]:
        """Have a function called with the table before the next quantum."""
