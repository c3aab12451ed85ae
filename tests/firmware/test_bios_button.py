"""The BIOS's button: debounce, clicks and holds, to 2 ms."""

from __future__ import annotations

from itertools import pairwise

import pytest

from blinks_sim.core import Chip

from .bios_rig import CLICK_COUNT, DOWN, EVENTS, IDLE, MILLIS, SLEEP_TIME, booted, run_ms, word

PRESSED, LONG, RELEASED, SINGLE, DOUBLE, MULTI, HELD_3S, HELD_6S = (1 << bit for bit in range(8))


def _watch(tile: Chip, ms: int, log: list[tuple[float, int]], start: float) -> None:
    """Run millisecond by millisecond; log the time and the flag of every event, clearing it."""
    for _ in range(ms):
        run_ms(tile, 1)
        events = tile.read(EVENTS)[0]
        for bit in range(8):
            if events >> bit & 1:
                log.append((tile.osc / 8000 - start, 1 << bit))
        tile.write(EVENTS, b"\0")


def _play(*steps: int) -> tuple[Chip, list[tuple[float, int]]]:
    """Hold down and let go in turn for so many milliseconds each; return the events since the first press."""
    tile = booted(IDLE)
    log: list[tuple[float, int]] = []
    start = tile.osc / 8000
    for index, ms in enumerate(steps):
        if index % 2:
            tile.release()
        else:
            tile.press()
        _watch(tile, ms, log, start)
    return tile, log


def _times(log: list[tuple[float, int]], flag: int) -> list[float]:
    return [time for time, event in log if event == flag]


def test_single_click() -> None:
    """A press, its release, and a single click 330 ms after the press."""
    _, log = _play(60, 500)
    assert [event for _, event in log] == [PRESSED, RELEASED, SINGLE]
    assert [time for time, _ in log] == pytest.approx([0, 60, 330], abs=2)


def test_window_restarts_at_each_press() -> None:
    """Two clicks count as a double click 330 ms after the second press, three as a multi click."""
    _, log = _play(60, 240, 60, 500)
    assert _times(log, DOUBLE) == pytest.approx([300 + 330], abs=2)
    assert not _times(log, SINGLE)
    tile, log = _play(60, 60, 60, 60, 60, 500)
    assert _times(log, MULTI) == pytest.approx([240 + 330], abs=2)
    assert tile.read(CLICK_COUNT) == b"\x03"


def test_click_count_of_many() -> None:
    """The count of a multi click is stored; double and single clicks leave it alone."""
    tile, log = _play(*[50] * 13, 500, 60, 500)
    assert [event for _, event in log if event in (SINGLE, DOUBLE, MULTI)] == [MULTI, SINGLE]
    assert tile.read(CLICK_COUNT) == b"\x07"


def test_window_closing_on_a_held_button() -> None:
    """Clicks pending when the window closes with the button down are dropped."""
    _, log = _play(60, 60, 500, 500)
    assert not [event for _, event in log if event in (SINGLE, DOUBLE, MULTI)]


def test_bounces_are_ignored() -> None:
    """Bounces within 20 ms of a press change nothing, and the state settles."""
    _, log = _play(3, 2, 4, 3, 60, 500)
    assert [event for _, event in log] == [PRESSED, RELEASED, SINGLE]


def test_short_press_sticks() -> None:
    """A release within 20 ms of the press goes unseen until a longer press is released."""
    tile, log = _play(10, 300)
    assert tile.read(DOWN) == b"\x01"
    assert [event for _, event in log] == [PRESSED]
    tile.press()
    run_ms(tile, 60)
    tile.release()
    run_ms(tile, 5)
    assert tile.read(DOWN) == b"\0"


def test_holding() -> None:
    """Long press at 1,201 ms, the 3-s flag each millisecond from 3,001 ms, the 6-s flag at 6,001 ms."""
    _, log = _play(9500, 100)
    assert _times(log, LONG) == pytest.approx([1201], abs=2)
    assert _times(log, HELD_6S) == pytest.approx([6001], abs=2)
    three = _times(log, HELD_3S)
    assert three[0] == pytest.approx(3001, abs=2)
    gap = [b - a for a, b in pairwise(three)]
    assert sorted(gap)[-2] < 3 and max(gap) == pytest.approx(3001, abs=4)
    assert sum(time < 6001 for time in three) == pytest.approx(3000, abs=3)


def test_a_press_postpones_sleep() -> None:
    """Press and release each set the time of sleep eleven minutes ahead."""
    tile = booted(IDLE)
    for act in (tile.press, tile.release):
        tile.write(SLEEP_TIME, (600_000).to_bytes(4, "little"))
        run_ms(tile, 50)
        act()
        run_ms(tile, 3)
        ahead = word(tile, SLEEP_TIME, 4) - word(tile, MILLIS, 4)
        assert ahead == pytest.approx(660_000, abs=5)
