"""CLKPR: the timed sequence, CKDIV8, and cycles against oscillator time."""

from __future__ import annotations

import pytest

from .rig import Rig

CHANGE = """
        ldi r16, 0x80
        ldi r17, {value}
        sts CLKPR, r16
        {wait}
        sts CLKPR, r17
stop:   rjmp stop
"""


def changed(value: int, wait: int = 0) -> Rig:
    rig = Rig(CHANGE.format(value=value, wait="nop\n" * wait))
    rig.step(4 + wait)
    return rig


@pytest.mark.parametrize("shift", range(9))
def test_prescaler_divides_the_cpu_clock(shift: int):
    """After CLKPR = n a CPU cycle lasts 2ⁿ oscillator cycles."""
    rig = changed(shift)
    assert rig.get("CLKPR") == shift
    before = rig.status
    rig.run(2048)
    after = rig.status
    assert abs((after.cycles - before.cycles) * 2**shift - 2048) <= 2 * 2**shift


def test_starts_divided_by_eight():
    """CKDIV8 programmed starts at 1 MHz; unprogrammed at 8."""
    shipped = Rig(fuses=(0x62, 0xDF, 0xF9))
    assert shipped.get("CLKPR") == 3
    shipped.run(8000)
    assert shipped.chip.cycles in range(998, 1003)
    assert Rig().get("CLKPR") == 0


@pytest.mark.parametrize(("wait", "ok"), [(0, True), (1, True), (2, True), (4, False), (9, False)])
def test_timed_sequence(wait: int, ok: bool):
    """The division changes only within four cycles of writing CLKPCE."""
    assert (changed(2, wait).get("CLKPR") & 0x0F == 2) == ok


def test_no_change_without_clkpce():
    """A plain write does nothing, nor does one together with CLKPCE."""
    rig = Rig()
    rig.set("CLKPR", 3)
    assert rig.get("CLKPR") & 0x0F == 0
    rig.set("CLKPR", 0x83)
    rig.run(100)
    assert rig.get("CLKPR") & 0x0F == 0


def test_timers_follow_the_divided_clock():
    """Timers count CPU cycles, whatever CLKPR divides them from."""
    rig = changed(3)
    rig.set("TCCR0B", 2)
    rig.set("TCNT0", 0)
    rig.run(8 * 8 * 100)
    assert rig.get("TCNT0") in (99, 100, 101)


def test_reset_restores_the_division():
    """A reset sets CLKPR by the fuse again; osc goes on, cycles go on."""
    rig = changed(4)
    before = rig.status
    rig.chip.reset()
    assert rig.get("CLKPR") == 0
    assert rig.status.osc >= before.osc
    assert rig.status.cycles >= before.cycles
