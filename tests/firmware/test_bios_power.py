"""The BIOS at its ends: sleep, low battery, and abend's red blinks."""

from __future__ import annotations

import numpy as np
import pytest

from blinks_sim.core import Chip, Sleep

from .bios_rig import (
    COLORS,
    DOWN,
    ENTROPY,
    EVENTS,
    MILLIS,
    SHOW,
    SLEEP_TIME,
    WOKE,
    booted,
    chip,
    run_ms,
    word,
)

SLEEPER = """
here: lds r24, 0x02F0
tst r24
breq here
clr r24
sts 0x02F0, r24
call sleep_now
lds r24, 0x02F1
inc r24
sts 0x02F1, r24
rjmp here
"""


def _blinks(tile: Chip, seconds: float) -> list[tuple[bool, float]]:
    """Return runs of (red?, duration in ms) over a while, the first and last cut off."""
    runs: list[tuple[bool, float]] = []
    for _ in range(round(seconds * 1000 / 7.68)):
        run_ms(tile, 7.68)
        light = tile.light()
        assert not light[:, 1:].any()
        red = bool(light[:, 0].min() > 0.5)
        if runs and runs[-1][0] == red:
            runs[-1] = (red, runs[-1][1] + 7.68)
        else:
            runs.append((red, 7.68))
    return runs[1:-1]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_abend_blinks(count: int) -> None:
    """abend(n) blinks n times 184 ms red, 184 ms dark, waits 1.84 s more, and begins again."""
    tile = booted(f"ldi r24, {count}\ncall abend\nhere: rjmp here")
    runs = _blinks(tile, 2 * (count * 0.37 + 2.2))
    pause = next(index for index, (red, ms) in enumerate(runs) if not red and ms > 1000)
    assert runs[pause][1] == pytest.approx(1840 + 184, abs=20)
    after = runs[pause + 1 : pause + 2 * count]
    assert [red for red, _ in after] == [True, False] * (count - 1) + [True]
    assert [ms for _, ms in after] == pytest.approx([184] * (2 * count - 1), abs=17)


def test_press_ends_abend() -> None:
    """A press during abend restarts the tile through the watchdog."""
    tile = booted("ldi r24, 4\ncall abend\nhere: rjmp here")
    run_ms(tile, 500)
    resets = tile.status().resets
    tile.press()
    run_ms(tile, 100)
    assert tile.status().resets == resets + 1
    tile.release()
    assert tile.fault is None


@pytest.mark.parametrize(("millivolts", "low"), [(2200, True), (2280, True), (2340, False), (3000, False)])
def test_battery_at_start(millivolts: int, low: bool) -> None:
    """Below about 2.31 V a tile blinks twice instead of starting its sketch."""
    tile = chip("ldi r24, 1\nsts 0x0300, r24\n" + SHOW, battery_mv=millivolts)
    tile.write(0x300, b"\0")
    run_ms(tile, 900)
    assert (tile.read(0x300) == b"\0") == low
    if low:
        reds = [red for red, _ in _blinks(tile, 5)]
        assert reds.count(True) in (3, 4, 5)
    else:
        assert not tile.light().any()


def test_sleep_now_and_wake() -> None:
    """The tile waits for the release and powers down; a press wakes it, with the woke flag cleared."""
    tile = booted(SLEEPER)
    tile.write(COLORS, b"\xff" * 12)
    tile.write(WOKE, b"\x01")
    tile.press()
    run_ms(tile, 50)
    tile.write(0x2F0, b"\x01")
    tile.write(0x2F1, b"\0")
    run_ms(tile, 1500)
    assert tile.sleep is Sleep.AWAKE  # the button is still down
    tile.release()
    run_ms(tile, 150)
    assert tile.sleep is Sleep.AWAKE
    run_ms(tile, 150)
    assert tile.sleep is Sleep.POWER_DOWN
    assert not tile.light().any()
    millis = word(tile, MILLIS, 4)
    run_ms(tile, 5000)
    assert tile.sleep is Sleep.POWER_DOWN
    tile.press()
    run_ms(tile, 20)
    assert (tile.read(0x2F1), tile.read(WOKE)) == (b"\x01", b"\0")
    assert word(tile, MILLIS, 4) - millis < 30
    assert word(tile, SLEEP_TIME, 4) - word(tile, MILLIS, 4) == pytest.approx(660_000, abs=30)


def test_light_does_not_wake() -> None:
    """Infrared light cannot wake a tile that has powered down."""
    tile = booted(SLEEPER)
    tile.write(0x2F0, b"\x01")
    run_ms(tile, 500)
    assert tile.sleep is Sleep.POWER_DOWN
    tile.shine(0, True)
    run_ms(tile, 100)
    tile.shine(0, False)
    assert tile.sleep is Sleep.POWER_DOWN


def test_timeout_sleeps() -> None:
    """A tile whose time has passed goes to sleep by itself, and carries on where it was when pressed."""
    tile = booted("here: lds r24, 0x02F0\ninc r24\nsts 0x02F0, r24\nrjmp here")
    tile.write(SLEEP_TIME, (word(tile, MILLIS, 4) + 100).to_bytes(4, "little"))
    run_ms(tile, 90)
    assert tile.sleep is Sleep.AWAKE
    run_ms(tile, 450)
    assert tile.sleep is Sleep.POWER_DOWN
    tile.press()
    run_ms(tile, 30)
    tile.release()
    run_ms(tile, 60)
    assert tile.sleep is Sleep.AWAKE and tile.fault is None
    assert tile.read(DOWN) == b"\0" and tile.read(EVENTS)[0] & 1
    before = tile.read(0x2F0)
    run_ms(tile, 0.9)
    assert tile.read(0x2F0) != before


def test_low_battery_on_waking() -> None:
    """A battery that has run down during sleep ends in two red blinks."""
    tile = booted(SLEEPER)
    tile.write(0x2F0, b"\x01")
    run_ms(tile, 500)
    assert tile.sleep is Sleep.POWER_DOWN
    tile.battery_mv = 2000
    tile.press()
    run_ms(tile, 20)
    tile.release()
    lit = [np.any(tile.light()[:, 0] > 0.5) for _ in range(300) if run_ms(tile, 7.68) is None]
    assert any(lit) and not all(lit)


def test_entropy_of_the_watchdog() -> None:
    """Each watchdog interrupt leaves another moment of Timer0 for the sketch to see."""
    tile = booted("ldi r24, 0x18\nldi r25, 0x40\nsts WDTCSR, r24\nsts WDTCSR, r25\nhere: rjmp here")
    seen = set()
    for _ in range(40):
        run_ms(tile, 17)
        seen.add(tile.read(ENTROPY))
    assert len(seen) > 20
