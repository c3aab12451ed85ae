"""EEPROM by register name: write time, the EEMPE window, reading (data sheet, "EEPROM Data Memory")."""

from __future__ import annotations

import pytest

from .registers import BIT
from .rig import Rig

EEPE = 1 << BIT["EEPE"]
WRITE = """
        ldi r16, 0x42
        ldi r17, 1
        ldi r18, 0x10
        out EEARH, r17
        out EEARL, r18
        out EEDR, r16
        sbi EECR, EEMPE
        {wait}
        sbi EECR, EEPE
stop:   rjmp stop
"""
READ = """
        ldi r17, {high}
        ldi r18, {low}
        out EEARH, r17
        out EEARL, r18
        sbi EECR, EERE
        in r20, EEDR
stop:   rjmp stop
"""


def written(wait: int = 0) -> Rig:
    rig = Rig(WRITE.format(wait="nop\n" * wait))
    rig.step(8 + wait)
    return rig


def test_write_takes_its_time():
    """EEPE stays set for about 3.4 ms; then the byte is there."""
    rig = written()
    assert rig.get("EECR") & EEPE
    rig.run(8 * 2000)
    assert rig.get("EECR") & EEPE
    rig.run(8 * 2500)
    assert not rig.get("EECR") & EEPE
    assert rig.chip.eeprom(0x110, 1) == b"\x42"
    assert rig.chip.eeprom(0, 0x110) == b"\xff" * 0x110


@pytest.mark.parametrize(("wait", "ok"), [(0, True), (1, True), (4, False)])
def test_window(wait: int, ok: bool):
    """EEPE counts only within four cycles of EEMPE."""
    rig = written(wait)
    rig.run(8 * 5000)
    assert (rig.chip.eeprom(0x110, 1) == b"\x42") == ok


def test_cpu_halts_two_cycles_after_a_write_starts():
    """After EEPE the CPU stands still for two cycles."""
    rig = Rig(WRITE.format(wait=""))
    rig.step(7)
    assert rig.step() == 4


def test_read():
    """EERE brings the byte into EEDR and halts the CPU for four cycles."""
    rig = Rig(READ.format(high=1, low=0xFE))
    rig.chip.load_eeprom(b"\x99", 0x1FE)
    rig.step(4)
    assert rig.step() == 6
    rig.step()
    assert rig.chip.reg(20) == 0x99
    assert rig.get("EECR") & 1 == 0


def test_write_of_a_second_byte_waits():
    """While a write runs another one does not start."""
    rig = written()
    rig.set("EEDR", 0x43)
    rig.set("EECR", 4)
    rig.set("EECR", 6)
    rig.run(8 * 10_000)
    assert rig.chip.eeprom(0x110, 1) == b"\x42"


def test_survives_reset():
    """EEPROM keeps its bytes over a reset."""
    rig = written()
    rig.run(8 * 5000)
    rig.chip.reset()
    assert rig.chip.eeprom(0x110, 1) == b"\x42"
