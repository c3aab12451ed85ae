"""Real time: run a table beside its owner, paced to the wall clock."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from .commands import Command
from .errors import BlinksError, UsageError
from .moments import Frame
from .table import QUANTUM_S, Table

FRAME_S = 1 / 60
SLICE_S = (
    FRAME_S / 2
)  # the table is run in pieces that take about so long, so that commands never wait longer
LATE_S = (
    2 * FRAME_S
)  # what the machine is late beyond this is dropped: the table slows down, it never hurries
SLOWEST = 0.001

_METER_S = 1.0
T = TypeVar("T")


class Pace:
    """Say how many quanta are due, given the wall clock; knows no clock itself.

    `speed` is table time by wall time: 1 is real time, 0 paused, infinite as fast as the machine can.
    """

    def __init__(self, speed: float, now: float) -> None:
        self.speed = speed
        self._then = now
        self._owed_s = 0.0
        self._most = 10.0  # quanta the machine runs in a slice, as last seen

    def due(self, now: float) -> int:
        """Return how many quanta to run now, never more than a slice."""
        if math.isinf(self.speed):
            self._then, self._owed_s = now, 0.0
            return int(self._most)
        self._owed_s += (now - self._then) * self.speed
        self._owed_s = min(self._owed_s, max(LATE_S * self.speed, QUANTUM_S))
        self._then = now
        quanta = min(int(self._owed_s / QUANTUM_S + 1e-6), int(self._most))
        self._owed_s -= quanta * QUANTUM_S
        return quanta

    def ran(self, quanta: int, took_s: float) -> None:
        """Learn how long the machine took for quanta it was given."""
        possible = quanta * SLICE_S / max(took_s, 1e-6)
        self._most = min(max(0.5 * (self._most + possible), 1.0), 10_000.0)

    def wait_s(self) -> float | None:
        """Return how long nothing is due, in seconds of the wall clock; None: until the speed changes."""
        if self.speed == 0:
            return None
        if math.isinf(self.speed):
            return 0.0
        lacking = max(QUANTUM_S, min(SLICE_S * self.speed, int(self._most) * QUANTUM_S)) - self._owed_s
        return max(lacking / self.speed, 0.0)


class Meter:
    """Measure what share of real time a table achieves, over about the last second."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def mark(self, now: float, quantum: int) -> float:
        """Note where the table is now; return its speed since the oldest mark, in percent of real time."""
        if self._marks and quantum < self._marks[-1][1]:
            self._marks.clear()  # a snapshot was restored
        self._marks.append((now, quantum))
        while len(self._marks) > 2 and now - self._marks[1][0] >= _METER_S:
            self._marks.popleft()
        then, start = self._marks[0]
        return 100.0 * (quantum - start) * QUANTUM_S / (now - then) if now > then else 0.0


@dataclass(frozen=True, slots=True)
class _Job(Generic[T]):
    """Hold a function that wants the table, and where its result will be."""

    function: Callable[[Table], T]
    done: Future[T] = field(default_factory=Future)

    def carry_out(self, table: Table) -> None:
        if not self.done.set_running_or_notify_cancel():
            return
        try:
            self.done.set_result(self.function(table))
        except BlinksError as error:
            self.done.set_exception(error)
        except BaseException as error:
            self.done.set_exception(error)
            raise


class Pacer:
    """Run a table on a thread of its own, as a context manager.

    While it runs nobody else may touch the table: `submit` and `call` reach it, in order, between two quanta;
    `frame` is the latest picture of it, made about 60 times a second. None of them ever waits for the
    simulation. When the machine cannot keep up the table slows down; it never hurries to catch up.

    An error in the thread is raised to its owner by `frame`, `submit`, `call` and at the end of the `with`.
    """

    def __init__(
        self, table: Table, speed: float = 1.0, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._table = table
        self._clock = clock
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._pace = Pace(_checked(speed), clock())
        self._meter = Meter()
        self._percent = 0.0
        self._frame = table.frame()
        self._frame_due = clock()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name="table", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self._jobs.put(None)
        self._thread.join()
        if kind is None:
            self._check()

    # For the owner -----------------------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The latest frame."""
        self._check()
        return self._frame

    @property
    def percent(self) -> float:
        """Speed of the table over about the last second, in percent of real time."""
        return self._percent

    @property
    def speed(self) -> float:
        """Table time by wall time: 1 is real time, 0 paused, infinite as fast as possible; settable."""
        return self._pace.speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._pace.speed = _checked(speed)
        self._jobs.put(_Job(lambda table: None))  # it may be waiting

    def submit(self, command: Command) -> Future[None]:
        """Have a command carried out before the next quantum.

        What it returns tells when it is done; its `result()` raises TableError where it could not be done.
        """
        return self.call(lambda table: table.submit(command))

    def call(self, function: Callable[[Table], T]) -> Future[T]:
        """Have a function called with the table before the next quantum; return where its result will be."""
        job = _Job(function)
        self._jobs.put(job)
        self._check()  # after putting: a thread that dies cancels the job, or has died before
        return job.done

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    # On the thread -----------------------------------------------------------------------------------

    def _main(self) -> None:
        try:
            while self._work_off():
                self._run_due()
        except BaseException as error:  # whatever it is, it belongs to the owner
            self._error = error
        while not self._jobs.empty():
            job = self._jobs.get()
            if job is not None:
                job.done.cancel()  # nobody shall wait for what will never be done

    def _work_off(self) -> bool:
        """Do what has been asked for, waiting for it while nothing is due; tell whether to go on."""
        worked = False
        wait_s = self._pace.wait_s()
        try:
            while True:
                job = self._jobs.get(block=wait_s != 0.0, timeout=wait_s)
                if job is None:
                    return False
                job.carry_out(self._table)
                worked, wait_s = True, 0.0
        except queue.Empty:
            pass
        if worked:
            self._publish(self._clock())
        return True

    def _run_due(self) -> None:
        start = self._clock()
        quanta = self._pace.due(start)
        if quanta == 0:
            return
        self._table.run(quanta * QUANTUM_S)
        end = self._clock()
        self._pace.ran(quanta, end - start)
        if end >= self._frame_due:
            self._publish(end)

    def _publish(self, now: float) -> None:
        self._frame = self._table.frame()
        self._percent = 0.0 if self._pace.speed == 0 else self._meter.mark(now, self._table.quantum)
        self._frame_due = max(self._frame_due + FRAME_S, now)  # on average 60 a second, never several at once


def _checked(speed: float) -> float:
    if not (speed == 0 or speed >= SLOWEST):
        raise UsageError(f"speed {speed} cannot be; give 0 (paused) or {SLOWEST} and more (1 is real time)")
    return speed
