"""Pacing a table to the wall clock; the clocks here are the tests' own."""

from __future__ import annotations

import math
import threading

import pytest

from blinks_sim import Table, commands
from blinks_sim.errors import TableError, UsageError
from blinks_sim.pace import FRAME_S, LATE_S, SLICE_S, Meter, Pace, Pacer

from .programs import IDLE

LIMIT_S = 60.0  # a test that has to wait this long has failed


def quanta_over(pace: Pace, seconds: float, took_s_each: float = 0.0) -> int:
    """Let wall time pass in steps as the pacer does, on a machine that needs so long for a quantum."""
    total, now = 0, 0.0
    while now < seconds:
        due = pace.due(now)
        if due:
            total += due
            pace.ran(due, due * took_s_each)
            now += due * took_s_each
        wait_s = pace.wait_s()
        now += 0.1 if wait_s is None else max(wait_s, 1e-9)
    return total


@pytest.mark.parametrize("speed", [0.001, 0.01, 0.5, 1.0, 3.0])
def test_speed_is_table_time_by_wall_time(speed: float):
    """Over a while as many quanta fall due as the speed says."""
    assert quanta_over(Pace(speed, 0.0), 20.0) == pytest.approx(20.0 * speed * 10_000, rel=0.01, abs=1)


def test_nothing_is_due_when_paused():
    """At speed 0 nothing runs and there is nothing to wait for."""
    pace = Pace(0.0, 0.0)
    assert pace.wait_s() is None
    assert quanta_over(pace, 5.0) == 0


def test_a_slow_machine_slows_the_table_down():
    """A machine at a quarter of real time runs without rest, in slices of bounded length."""
    pace = Pace(1.0, 0.0)
    assert quanta_over(pace, 10.0, took_s_each=0.000_4) == pytest.approx(25_000, rel=0.05)
    assert pace.due(11.0) * 0.000_4 <= 1.2 * SLICE_S


def test_there_is_no_catching_up():
    """After a long halt of the machine only a little is owed, then speed is as before."""
    pace = Pace(1.0, 0.0)
    pace.ran(100, 0.0001)
    for _ in range(20):
        pace.ran(100, 0.0001)
    assert pace.due(3600.0) <= LATE_S * 10_000 + 1
    assert pace.due(3600.0 + SLICE_S) <= (LATE_S + SLICE_S) * 10_000 + 1


def test_as_fast_as_possible_always_has_work():
    """At infinite speed a slice is always due."""
    pace = Pace(math.inf, 0.0)
    assert pace.wait_s() == 0.0
    assert pace.due(0.0) > 0
    assert pace.due(0.0) > 0


def test_the_meter_tells_percent_of_real_time():
    """Percent are measured over about a second, and start anew when the table goes back in time."""
    meter = Meter()
    assert meter.mark(0.0, 0) == 0.0
    for step in range(1, 200):
        percent = meter.mark(step * FRAME_S, round(step * FRAME_S * 5_000))
    assert percent == pytest.approx(50.0, rel=0.01)
    assert meter.mark(4.0, 10) == 0.0


@pytest.mark.parametrize("speed", [-1.0, 0.0001, math.nan])
def test_impossible_speeds_are_refused(speed: float):
    """Speeds are 0 or at least a thousandth."""
    with pytest.raises(UsageError, match="cannot be; give 0"):
        Pacer(Table(), speed)


@pytest.fixture
def table() -> Table:
    table = Table()
    table.add(IDLE)
    return table


def until(pacer: Pacer, quantum: int) -> None:
    """Wait until a frame shows that the table has come so far."""
    reached = threading.Event()

    def look(table: Table) -> None:
        if table.quantum >= quantum:
            reached.set()

    while not reached.is_set():
        pacer.call(look).result(LIMIT_S)


def test_commands_are_carried_out_in_order(table: Table):
    """Commands reach a paused table as well, in order, and the frame shows them."""
    with Pacer(table, 0.0) as pacer:
        pacer.submit(commands.Press(0))
        pacer.submit(commands.Release(0))
        done = pacer.submit(commands.Add(IDLE, table.tile(0).pose.moved(9.0, 0.0)))
        assert done.result(LIMIT_S) is None
        names = pacer.call(lambda table: [type(entry.command).__name__ for entry in table.record])
        assert names.result(LIMIT_S) == ["Add", "Press", "Release", "Add"]
    assert len(pacer.frame.tiles) == 2
    assert pacer.frame.quantum == 0


def test_a_command_that_fails_does_not_stop_the_table(table: Table):
    """The TableError of a command is in what `submit` returned; the table goes on."""
    with Pacer(table, math.inf) as pacer:
        with pytest.raises(TableError, match="no tile 9"):
            pacer.submit(commands.Press(9)).result(LIMIT_S)
        until(pacer, table.quantum + 100)


def test_a_bug_in_the_thread_reaches_the_owner(table: Table):
    """An unexpected error ends the thread and is raised at the end of the block; nobody is left waiting."""
    go = threading.Event()
    pacer = Pacer(table, 0.0)
    failed = pacer.call(lambda table: go.wait(LIMIT_S) and 1 // 0)
    waiting = pacer.call(lambda table: 1)
    with pytest.raises(ZeroDivisionError), pacer:
        go.set()
    assert isinstance(failed.exception(LIMIT_S), ZeroDivisionError)
    assert waiting.cancelled()


def test_a_dead_thread_takes_no_commands(table: Table, monkeypatch: pytest.MonkeyPatch):
    """After an error in the simulation itself every question raises it."""
    died = threading.Event()

    def run(self: Table, seconds: float) -> None:
        died.set()
        raise RuntimeError("core broke")

    monkeypatch.setattr(Table, "run", run)
    pacer = Pacer(table, math.inf)
    with pytest.raises(RuntimeError, match="core broke"), pacer:
        assert died.wait(LIMIT_S)
    for ask in (lambda: pacer.frame, lambda: pacer.submit(commands.Press(0))):
        with pytest.raises(RuntimeError, match="core broke"):
            ask()


def test_speed_can_change_while_it_runs(table: Table):
    """A paused table starts, and a running one pauses, without a command."""
    with Pacer(table, 0.0) as pacer:
        pacer.speed = math.inf
        until(pacer, 500)
        pacer.speed = 0.0
        first = pacer.call(lambda table: table.quantum).result(LIMIT_S)
        assert pacer.call(lambda table: table.quantum).result(LIMIT_S) == first
        assert pacer.speed == 0.0
    assert table.quantum == first


def test_pacing_changes_no_result(table: Table):
    """A table paced in whatever slices ends as one that is run at once."""
    with Pacer(table, math.inf) as pacer:
        until(pacer, 2000)
    plain = Table()
    plain.add(IDLE)
    plain.run(table.time_s)
    assert plain.digest() == table.digest()
