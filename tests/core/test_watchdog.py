"""The watchdog: its own seeded clock, interrupt, reset, timed sequence (data sheet, "Watchdog Timer")."""

from __future__ import annotations

import pytest

from .registers import VECTOR
from .rig import PLAIN_FUSES, Rig

WDIF, WDIE, WDCE, WDE = 0x80, 0x40, 0x10, 0x08
OSC_16_MS = 128_000
VECTOR_AT = 4 * VECTOR["WDT"]
SPIN = f"stop: rjmp stop\n.org {VECTOR_AT}\ninc r20\nreti\n.org 0x100\nspin: rjmp spin"


def spinning(control: int, seed: int = 1) -> Rig:
    rig = Rig(SPIN, seed=seed)
    rig.chip.pc = 0x100
    rig.chip.sreg = 0x80
    rig.chip.set_reg(20, 0)
    change(rig, control)
    return rig


def change(rig: Rig, control: int) -> None:
    """Write WDTCSR by the timed sequence."""
    back = rig.chip.pc
    rig.load("sts WDTCSR, r16\nsts WDTCSR, r17", 0x200)
    rig.chip.set_reg(16, WDCE | WDE)
    rig.chip.set_reg(17, control)
    rig.step(2)
    rig.chip.pc = back


def interrupts(seed: int, count: int = 8) -> list[int]:
    """Return the oscillator times between watchdog interrupts."""
    rig = spinning(WDIE, seed)
    times = []
    for _ in range(count):
        before, seen = rig.chip.osc, rig.chip.reg(20)
        while rig.chip.reg(20) == seen:
            assert rig.chip.osc < before + 4 * OSC_16_MS
            rig.run(64)
        times.append(rig.chip.osc - before)
    return times


def test_interrupt_period():
    """In interrupt mode with prescaler 0 an interrupt comes about every 16 ms."""
    times = interrupts(seed=1)
    assert all(OSC_16_MS * 0.7 < time < OSC_16_MS * 1.3 for time in times[1:])


def test_jitter_is_seeded():
    """The watchdog's clock wanders; the seed alone decides how."""
    assert interrupts(1) == interrupts(1)
    assert len({tuple(interrupts(seed)) for seed in (1, 2, 3, 4)}) == 4
    assert len(set(interrupts(1, 16))) > 3


@pytest.mark.parametrize(("prescaler", "factor"), [(0, 1), (1, 2), (3, 8), (5, 32)])
def test_prescaler(prescaler: int, factor: int):
    """Each prescaler step doubles the period."""
    rig = spinning(WDIE | prescaler)
    rig.run(int(OSC_16_MS * factor * 0.7))
    assert rig.chip.reg(20) == 0
    rig.run(int(OSC_16_MS * factor * 0.6))
    assert rig.chip.reg(20) == 1


def test_reset_mode():
    """With WDE alone the chip is reset, WDRF tells, and WDE stays forced while WDRF is set."""
    rig = spinning(WDE)
    rig.run(int(OSC_16_MS * 1.3))
    assert rig.status.resets == 2
    assert rig.get("MCUSR") & 8
    assert rig.get("WDTCSR") & WDE
    change(rig, 0)
    assert rig.get("WDTCSR") & WDE
    rig.set("MCUSR", 0)
    change(rig, 0)
    assert not rig.get("WDTCSR") & WDE


def test_interrupt_then_reset():
    """With WDIE and WDE the first time-out interrupts and clears WDIE, the second resets."""
    rig = spinning(WDIE | WDE)
    rig.run(int(OSC_16_MS * 1.3))
    assert rig.status.resets == 1
    assert rig.get("WDTCSR") & (WDIE | WDE) == WDE
    rig.run(int(OSC_16_MS * 1.3))
    assert rig.status.resets == 2


def test_wdr_keeps_it_quiet():
    """WDR in time starts the period anew."""
    rig = spinning(WDE)
    rig.load("again: wdr\nrjmp again", 0x100)
    rig.run(OSC_16_MS * 6)
    assert rig.status.resets == 1


@pytest.mark.parametrize(("wait", "changed"), [(0, True), (2, True), (4, False)])
def test_timed_sequence(wait: int, changed: bool):
    """WDE is cleared only within four cycles of writing WDCE."""
    rig = spinning(WDE)
    rig.load("sts WDTCSR, r16\n" + "nop\n" * wait + "sts WDTCSR, r17", 0x200)
    rig.chip.set_reg(16, WDCE | WDE)
    rig.chip.set_reg(17, 0)
    rig.step(2 + wait)
    assert (rig.get("WDTCSR") & WDE == 0) == changed


def test_no_change_without_wdce():
    """A plain write changes neither WDE nor the prescaler, only WDIE."""
    rig = spinning(WDE)
    rig.set("WDTCSR", WDIE | 7)
    assert rig.get("WDTCSR") & 0x7F == WDIE | WDE


def test_wdton_fuse_is_not_programmed():
    """The shipped high fuse leaves the watchdog off after power-on."""
    rig = Rig(SPIN, fuses=PLAIN_FUSES)
    rig.chip.pc = 0x100
    rig.run(OSC_16_MS * 3)
    assert rig.status.resets == 1
