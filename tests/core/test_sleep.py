"""Sleep modes (data sheet, "Power Management and Sleep Modes"): what stops, what wakes, and how fast."""

from __future__ import annotations

import pytest

from .registers import VECTOR
from .rig import Rig

IDLE, ADC_QUIET, POWER_DOWN = 0, 1, 2
PROGRAM = f"""
        rjmp main
.org {4 * VECTOR["PCINT2"]}
        reti
.org {4 * VECTOR["WDT"]}
        reti
.org {4 * VECTOR["TIMER2_OVF"]}
        reti
.org {4 * VECTOR["TIMER0_OVF"]}
        reti
.org 0x100
main:   sei
        sleep
        inc r20
stop:   rjmp stop
"""


def asleep(mode: int, *, timer: bool = True, button: bool = True) -> Rig:
    """Return a chip that has just gone to sleep, Timer0 running at clk/8 from 0; the button can wake it."""
    rig = Rig(PROGRAM)
    rig.chip.pc = 0x100
    rig.chip.set_reg(20, 0)
    rig.set("PORTD", 0x80)
    if button:
        rig.set("PCMSK2", 0x80)
        rig.set("PCICR", 4)
    rig.set("TIMSK0", int(timer))
    rig.set("SMCR", mode << 1 | 1)
    rig.set("TCNT0", 0)
    rig.set("TCCR0B", 2)
    rig.step(2)
    return rig


@pytest.mark.parametrize(
    ("mode", "name"), [(IDLE, "IDLE"), (ADC_QUIET, "ADC_QUIET"), (POWER_DOWN, "POWER_DOWN")]
)
def test_mode_is_entered(mode: int, name: str):
    """SLEEP with SE set enters the mode that SM selects."""
    rig = asleep(mode)
    assert rig.status.sleep.name == name
    assert rig.chip.pc == 0x104


def test_no_sleep_without_se():
    """SLEEP with SE clear does nothing."""
    rig = Rig("sleep\nnop")
    rig.step(2)
    assert rig.status.sleep.name == "AWAKE"
    assert rig.chip.pc == 4


def test_idle_wakes_by_a_timer():
    """In idle the timers run on; their interrupt wakes, and its handler returns behind SLEEP."""
    rig = asleep(IDLE)
    rig.run(2100)
    assert rig.status.sleep.name == "AWAKE"
    assert rig.chip.reg(20) == 1
    assert rig.get("TCNT0") in (4, 5, 6)


def test_waking_from_idle_takes_four_cycles_more():
    """The response to an interrupt that ends idle takes eight cycles instead of four."""
    rig = asleep(IDLE)
    while rig.status.sleep.name != "AWAKE" or rig.chip.pc == 0x104:
        rig.step()
    assert rig.chip.pc == 4 * VECTOR["TIMER0_OVF"]
    # TOV0 rose at a multiple of 8 cycles from the write of TCCR0B, which was at cycle 0
    assert rig.chip.cycles == 2048 + 8


@pytest.mark.parametrize("mode", [ADC_QUIET, POWER_DOWN])
def test_deep_sleep_stops_the_timers(mode: int):
    """In ADC noise reduction and in power-down Timer0 stands still and cannot wake the chip."""
    rig = asleep(mode)
    count = rig.get("TCNT0")
    rig.run(1_000_000)
    assert rig.status.sleep.name != "AWAKE"
    assert rig.get("TCNT0") == count


@pytest.mark.parametrize("mode", [IDLE, ADC_QUIET, POWER_DOWN])
def test_button_wakes(mode: int):
    """A pin change wakes from every mode; the program goes on behind SLEEP after the handler."""
    rig = asleep(mode, timer=False)
    rig.run(50_000)
    assert rig.status.sleep.name != "AWAKE"
    rig.chip.press()
    rig.run(100)
    assert rig.status.sleep.name == "AWAKE"
    assert rig.chip.reg(20) == 1


def test_power_down_counts_no_cycles():
    """CPU cycles stand still in power-down, the oscillator's time goes on."""
    rig = asleep(POWER_DOWN)
    before = rig.status
    rig.run(800_000)
    after = rig.status
    assert after.cycles - before.cycles == 0
    assert after.osc - before.osc >= 800_000


def test_masked_pin_does_not_wake():
    """A pin change that PCMSK2 leaves out wakes nobody."""
    rig = asleep(POWER_DOWN, button=False)
    rig.chip.press()
    rig.run(50_000)
    assert rig.status.sleep.name == "POWER_DOWN"


def test_watchdog_interrupt_wakes_from_power_down():
    """The watchdog has its own clock and wakes from power-down."""
    rig = asleep(POWER_DOWN, button=False)
    rig.set("WDTCSR", 0x40)
    rig.run(8000 * 40)
    assert rig.status.sleep.name == "AWAKE"
    assert rig.chip.reg(20) == 1


def test_reset_ends_sleep():
    """A reset wakes the chip and clears SMCR."""
    rig = asleep(POWER_DOWN)
    rig.chip.reset()
    assert rig.status.sleep.name == "AWAKE"
    assert rig.chip.pc == 0
    assert rig.get("SMCR") == 0
