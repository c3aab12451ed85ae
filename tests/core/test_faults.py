"""Faults stop the chip they happen on, say where and why, and leave others running; a reset clears them."""

from __future__ import annotations

import pytest

from blinks_sim.core import Chip, ChipTable

from .assembler import assemble
from .rig import PLAIN_FUSES, Rig


def fault_of(rig: Rig) -> tuple[str, int, int]:
    fault = rig.chip.fault
    assert fault is not None
    return fault.kind.name, fault.pc, fault.word


def test_illegal_opcode():
    """The opcode and its address are told; nothing runs any more, time goes on."""
    rig = Rig("nop\nnop\n.word 0xFFFF")
    rig.run(100)
    assert fault_of(rig) == ("OPCODE", 4, 0xFFFF)
    before = rig.status
    rig.run(1000)
    assert rig.status.pc == before.pc
    assert rig.status.osc >= before.osc + 900


def test_erased_flash():
    """A chip without a program stops at once."""
    chip = Chip(fuses=PLAIN_FUSES)
    chip.run_until_osc(1000)
    assert chip.fault is not None
    assert (chip.fault.kind.name, chip.fault.pc, chip.fault.word) == ("OPCODE", 0, 0xFFFF)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("nop", 0x3FFE),
        ("jmp 0x2000", 0x1000),
        ("ldi zl, 0\nldi zh, 0x40\nijmp", 0x1000),
        ("ldi zl, 0\nldi zh, 0xFF\nicall", 0x1000),
        ("call 0x3456", 0x1000),
    ],
)
def test_pc_outside_flash(text: str, at: int):
    """Running or jumping beyond flash is a PC fault."""
    rig = Rig(text, at)
    rig.step(5)
    assert fault_of(rig)[0] == "PC"


def test_return_to_nowhere():
    """RET to an address outside flash is a PC fault."""
    rig = Rig("ret")
    rig.chip.sp = 0x400
    rig.chip.write(0x401, b"\xab\xcd")
    rig.step(2)
    assert fault_of(rig)[0] == "PC"


@pytest.mark.parametrize("text", ["push r1", "rcall .+0", "icall", "call 0"])
@pytest.mark.parametrize("sp", [0x0000, 0x0500, 0x8000])
def test_push_outside_memory(text: str, sp: int):
    """Pushing where there is no SRAM is a stack fault that tells SP."""
    rig = Rig(text, 0x100)
    rig.chip.write(30, b"\0\0")
    rig.chip.sp = sp
    rig.step()
    kind, pc, word = fault_of(rig)
    assert (kind, pc) == ("STACK", 0x100)
    assert word in range(sp - 2 & 0xFFFF, sp + 1) or sp == 0


@pytest.mark.parametrize(
    ("text", "sp"),
    [(text, sp) for text in ("pop r1", "ret", "reti") for sp in (0x04FF, 0x00FE, 0xFFFF)]
    + [("ret", 0x04FE), ("reti", 0x04FE)],
)
def test_pop_outside_memory(text: str, sp: int):
    """Popping what does not lie in SRAM is a stack fault."""
    rig = Rig(text, 0x100)
    rig.chip.sp = sp
    rig.step()
    assert fault_of(rig)[:2] == ("STACK", 0x100)


def test_whole_sram_is_stack():
    """The stack may fill SRAM to its first byte."""
    rig = Rig("push r1\npush r1\npop r2\npop r2")
    rig.chip.sp = 0x101
    rig.step(4)
    assert rig.chip.fault is None
    assert rig.status.sp == 0x101


def test_reset_clears_a_fault():
    """After a reset the chip runs again."""
    rig = Rig("nop\n.word 0xFFFF")
    rig.run(100)
    assert rig.chip.fault is not None
    rig.chip.reset()
    assert rig.chip.fault is None
    rig.step()
    assert rig.chip.pc == 2


def test_a_fault_stops_one_chip_of_a_table():
    """The others on the table play on."""
    table = ChipTable()
    good, bad = Chip(seed=1, fuses=PLAIN_FUSES), Chip(seed=2, fuses=PLAIN_FUSES)
    good.load_flash(assemble("again: adiw r24, 1\nrjmp again"))
    bad.load_flash(assemble("nop\n.word 0xFFFF"))
    good.write(24, b"\0\0")
    table.add(good)
    table.add(bad)
    table.run(200)
    assert bad.fault is not None
    assert good.fault is None
    # 200 quanta of 100 µs are 160,000 cycles, up to 4 ms less, for tiles are powered on by hand; a turn
    # takes four
    assert 31_998 <= int.from_bytes(good.read(24, 2), "little") <= 40_000
