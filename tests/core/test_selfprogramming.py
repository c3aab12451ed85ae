"""SPM: page buffer, erase, write, timing, read-while-write (data sheet, "Boot Loader Support")."""

from __future__ import annotations

import pytest

from .registers import BIT
from .rig import Rig

BOOT = 0x3800
SPMEN, PGERS, PGWRT, RWWSRE, RWWSB = 0x01, 0x03, 0x05, 0x11, 0x40
COMMAND = """
        out SPMCSR, r20
        {wait}
        spm
stop:   rjmp stop
"""
PAGE = bytes(range(128))


class Programmer:
    """Drive SPM from the boot section (or from elsewhere), one command at a time."""

    def __init__(self, at: int = BOOT, wait: int = 0) -> None:
        self.at, self.wait = at, wait
        self.rig = Rig()
        self.rig.load(COMMAND.format(wait="nop\n" * wait), at)

    def command(self, control: int, z: int, word: int = 0) -> int:
        """Run OUT SPMCSR and SPM; return the cycles they took."""
        chip = self.rig.chip
        chip.write(0, word.to_bytes(2, "little"))
        chip.write(30, z.to_bytes(2, "little"))
        chip.set_reg(20, control)
        chip.pc = self.at
        return self.rig.step(2 + self.wait)

    def fill(self, data: bytes, z: int) -> None:
        for offset in range(0, len(data), 2):
            self.command(SPMEN, z + offset, int.from_bytes(data[offset : offset + 2], "little"))

    def wait_done(self) -> None:
        self.rig.run(8 * 4600)
        assert not self.rig.get("SPMCSR") & SPMEN

    def program(self, data: bytes, z: int) -> None:
        self.command(PGERS, z)
        self.wait_done()
        self.fill(data, z)
        self.command(PGWRT, z)
        self.wait_done()

    def lpm(self, z: int) -> int:
        chip = self.rig.chip
        chip.write(30, z.to_bytes(2, "little"))
        self.rig.load("lpm r7, z\nstop: rjmp stop", BOOT + 0x400)
        self.rig.step()
        return chip.reg(7)


def test_page_is_erased_and_written():
    """Erase makes 0xFF, fill and write put the buffer there; other pages stay."""
    spm = Programmer()
    spm.rig.chip.load_flash(b"\x55" * 384, 0x1000)
    spm.command(PGERS, 0x1080)
    spm.wait_done()
    assert spm.rig.chip.flash(0x1080, 128) == b"\xff" * 128
    spm.fill(PAGE, 0x1080)
    spm.command(PGWRT, 0x1080)
    spm.wait_done()
    assert spm.rig.chip.flash(0x1080, 128) == PAGE
    assert spm.rig.chip.flash(0x1000, 128) == spm.rig.chip.flash(0x1100, 128) == b"\x55" * 128


@pytest.mark.parametrize("control", [PGERS, PGWRT])
def test_operation_time(control: int):
    """An erase or a write takes 3.7 to 4.5 ms, during which SPMEN and RWWSB are set."""
    spm = Programmer()
    spm.command(control, 0x1000)
    spm.rig.run(8 * 3600)
    assert spm.rig.get("SPMCSR") & (SPMEN | RWWSB) == SPMEN | RWWSB
    spm.rig.run(8 * 1000)
    assert spm.rig.get("SPMCSR") & (SPMEN | RWWSB) == RWWSB


def test_operation_time_does_not_depend_on_the_cpu_clock():
    """Flash has its own oscillator: a slow CPU waits fewer cycles."""
    spm = Programmer()
    spm.rig.set("CLKPR", 0x80)
    spm.rig.set("CLKPR", 3)
    assert spm.rig.get("CLKPR") == 3
    spm.command(PGERS, 0x1000)
    before = spm.rig.chip.cycles
    while spm.rig.get("SPMCSR") & SPMEN:
        spm.rig.run(64)
    assert 3700 <= spm.rig.chip.cycles - before <= 4600


def test_filling_takes_no_time():
    """A word goes into the buffer at once and leaves RWWSB clear."""
    spm = Programmer()
    spm.command(SPMEN, 0x1000, 0x1234)
    assert spm.rig.get("SPMCSR") & (SPMEN | RWWSB) == 0


def test_buffer_word_keeps_its_first_value():
    """A word of the buffer is written once; it is free again after the page write."""
    spm = Programmer()
    spm.command(SPMEN, 0x1000, 0x1234)
    spm.command(PGWRT, 0x1000)
    spm.wait_done()
    assert spm.rig.chip.flash(0x1000, 4) == b"\x34\x12\xff\xff"
    spm.command(PGWRT, 0x1080)
    spm.wait_done()
    assert spm.rig.chip.flash(0x1080, 4) == b"\xff" * 4


def test_write_without_erase_only_clears_bits():
    """Programming can turn ones into zeros, never back."""
    spm = Programmer()
    spm.program(b"\x0f" * 128, 0x1000)
    spm.fill(b"\x3c" * 128, 0x1000)
    spm.command(PGWRT, 0x1000)
    spm.wait_done()
    assert spm.rig.chip.flash(0x1000, 128) == b"\x0c" * 128


def test_section_is_not_readable_until_enabled():
    """While RWWSB is set LPM does not see the section's contents; RWWSRE opens it again."""
    spm = Programmer()
    spm.rig.chip.load_flash(b"\x55\x55", 0x0200)
    assert spm.lpm(0x0200) == 0x55
    spm.command(PGERS, 0x1000)
    assert spm.lpm(0x0200) == 0xFF
    spm.wait_done()
    assert spm.lpm(0x0200) == 0xFF
    spm.command(RWWSRE, 0)
    assert not spm.rig.get("SPMCSR") & RWWSB
    assert spm.lpm(0x0200) == 0x55


def test_boot_section_stays_readable():
    """While the read-while-write section is busy, code in the boot section runs and reads itself."""
    spm = Programmer()
    spm.command(PGERS, 0x1000)
    assert spm.lpm(BOOT) == spm.rig.chip.flash(BOOT, 1)[0]
    assert spm.rig.chip.fault is None


def test_running_code_there_is_a_fault():
    """Executing in the section that is being written stops the chip with a fault that says so."""
    spm = Programmer()
    spm.rig.chip.load_flash(b"\0\0" * 8, 0x0200)
    spm.command(PGERS, 0x1000)
    spm.rig.chip.pc = 0x0200
    spm.rig.step(2)
    fault = spm.rig.chip.fault
    assert fault is not None
    assert (fault.kind.name, fault.pc) == ("RWW", 0x0200)


def test_code_runs_again_afterwards():
    """After RWWSRE new code in the section runs, not what was there before."""
    spm = Programmer()
    spm.rig.load("inc r16\ninc r16", 0x1000)
    spm.rig.step(2)
    before = spm.rig.chip.reg(16)
    spm.program(b"\x0a\x95" * 64, 0x1000)  # DEC r16
    spm.command(RWWSRE, 0)
    spm.rig.chip.pc = 0x1000
    spm.rig.step(2)
    assert spm.rig.chip.reg(16) == before - 2


@pytest.mark.parametrize("at", [0x0400, 0x37F0])
def test_outside_the_boot_section_spm_does_nothing(at: int):
    """SPM from below the boot section changes no flash."""
    spm = Programmer(at=at)
    spm.rig.chip.load_flash(b"\x55" * 128, 0x1000)
    spm.command(PGERS, 0x1000)
    spm.rig.run(8 * 5000)
    assert spm.rig.chip.flash(0x1000, 128) == b"\x55" * 128
    assert spm.rig.chip.fault is None


@pytest.mark.parametrize(("wait", "ok"), [(0, True), (2, True), (4, False)])
def test_window(wait: int, ok: bool):
    """SPM counts only within four cycles of writing SPMCSR."""
    spm = Programmer(wait=wait)
    spm.rig.chip.load_flash(b"\x55" * 128, 0x1000)
    spm.command(PGERS, 0x1000)
    spm.rig.run(8 * 5000)
    assert (spm.rig.chip.flash(0x1000, 1) == b"\xff") == ok


def test_own_section_halts_the_cpu():
    """Erasing a page of the boot section halts the CPU until it is done."""
    spm = Programmer()
    spm.rig.chip.load_flash(b"\x55" * 128, 0x3F80)
    spm.command(PGERS, 0x3F80)
    before = spm.rig.chip.osc
    spm.rig.step()
    assert 8 * 3600 < spm.rig.chip.osc - before < 8 * 4700 or spm.rig.chip.osc > 8 * 3600
    assert spm.rig.chip.flash(0x3F80, 128) == b"\xff" * 128
    assert spm.rig.chip.fault is None


def test_signature():
    """LPM reads the signature after SIGRD: 1E 94 15."""
    rig = Rig()
    rig.load("out SPMCSR, r20\nlpm r7, z", BOOT)
    found = []
    for address in (0, 2, 4):
        rig.chip.set_reg(20, 1 << BIT["SIGRD"] | 1)
        rig.chip.write(30, address.to_bytes(2, "little"))
        rig.chip.pc = BOOT
        rig.step(2)
        found.append(rig.chip.reg(7))
    assert found == [0x1E, 0x94, 0x15]
