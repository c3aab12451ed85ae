"""ALU instructions over all operands and carries, result and SREG against the Python oracle.

The chip does the walking: a small loop works through the 256 values of one operand with the other and SREG
given, and leaves results and SREG values in SRAM; the test compares whole pages of answers.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from . import oracle
from .rig import Rig

RESULTS, SREGS = 0x100, 0x200  # 256 bytes each
START_SREGS = (0x00, 0x02, 0x7D, 0x7F)  # C and Z in all four ways, the others with them; I stays clear
BYTES = np.arange(256)

# r18 = first operand, r19 = the second, from 0 to 255; r20 = SREG to start with
LOOP = """
start:  ldi xl, 0
        ldi xh, {page}
        ldi yl, 0
        ldi yh, {page} + 1
        ldi r19, 0
next:   {prepare}
        out SREG, r20
        {operation}
        in r22, SREG
        {result}
        st y+, r22
        inc r19
        brne next
stop:   rjmp stop
"""


def answers(rig: Rig, first: int, sreg: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return results and SREG values for one first operand and the 256 second ones."""
    rig.chip.set_reg(18, first)
    rig.chip.set_reg(20, sreg)
    rig.chip.pc = 0
    rig.run(256 * 24)
    assert rig.chip.reg(19) == 0
    both = np.frombuffer(rig.ram(RESULTS, 512), dtype=np.uint8).astype(np.int64)
    return both[:256], both[256:]


def loop(operation: str, prepare: str = "mov r21, r18", result: str = "st x+, r21") -> Rig:
    text = LOOP.format(page=RESULTS >> 8, prepare=prepare, operation=operation, result=result)
    return Rig(text)


def check(name: str, first: int, sreg: int, found: object, expected: object) -> None:
    for what, got, want in zip(("result", "SREG"), found, expected, strict=True):
        wrong = np.flatnonzero(got != np.broadcast_to(want, (256,)))
        assert not wrong.size, (
            f"{name} {first:#04x}, {wrong[0]:#04x} with SREG {sreg:#04x}: {what} {got[wrong[0]]:#04x},"
            f" expected {np.broadcast_to(want, (256,))[wrong[0]]:#04x} ({wrong.size} of 256 wrong)"
        )


@pytest.mark.parametrize("name", ["ADD", "ADC", "SUB", "SBC", "CP", "CPC", "AND", "OR", "EOR", "MOV"])
def test_two_registers(name: str):
    """Register-register operations: all byte pairs, C and Z both ways."""
    rig = loop(f"{name.lower()} r21, r19")
    for sreg in START_SREGS:
        for first in range(256):
            found = answers(rig, first, sreg)
            check(name, first, sreg, found, oracle.TWO[name](first, BYTES, sreg))


@pytest.mark.parametrize("name", ["SUBI", "SBCI", "CPI", "ANDI", "ORI", "LDI"])
def test_immediate(name: str):
    """Operations with a constant: all values and all constants, C and Z both ways."""
    for constant in range(256):
        rig = loop(f"{name.lower()} r21, {constant}", prepare="mov r21, r19")
        for sreg in START_SREGS:
            found = answers(rig, constant, sreg)
            check(name, constant, sreg, found, oracle.TWO[name](BYTES, constant, sreg))


@pytest.mark.parametrize("name", sorted(oracle.ONE))
def test_one_register(name: str):
    """Single-operand operations: all bytes from every SREG."""
    rig = loop(f"{name.lower()} r21", prepare="mov r21, r19")
    for sreg in range(128):
        check(name, 0, sreg, answers(rig, 0, sreg), oracle.ONE[name](BYTES, sreg))


@pytest.mark.parametrize("half", ["r0", "r1"])
@pytest.mark.parametrize("name", sorted(oracle.MULTIPLY))
def test_multiply(name: str, half: str):
    """The six multiplications: all byte pairs, both halves of the product."""
    rig = loop(f"{name.lower()} r18, r19" if name == "MUL" else f"{name.lower()} r22, r23",
               prepare="movw r22, r18", result=f"st x+, {half}")  # fmt: skip
    for sreg in (0x00, 0x7F):
        for first in range(256):
            product, flags = oracle.MULTIPLY[name](first, BYTES, sreg)
            found = answers(rig, first, sreg)
            check(name, first, sreg, found, (product >> 8 if half == "r1" else product & 0xFF, flags))


@pytest.mark.parametrize("half", ["low", "high"])
@pytest.mark.parametrize(("name", "sign"), [("ADIW", 1), ("SBIW", -1)])
def test_word_steps(name: str, sign: int, half: str):
    """ADIW and SBIW: every low byte with all 64 constants, high bytes around each edge."""
    for constant in range(64):
        rig = loop(
            f"{name.lower()} r24, {constant}",
            prepare="mov r24, r19\nmov r25, r18",
            result="st x+, r24" if half == "low" else "st x+, r25",
        )
        for first in (0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF):
            for sreg in (0x00, 0x7F):
                value, flags = oracle.word_step(first << 8 | BYTES, sign * constant, sreg)
                found = answers(rig, first, sreg)
                check(name, first, sreg, found, (value >> 8 if half == "high" else value & 0xFF, flags))


@pytest.mark.parametrize("bit", range(8))
def test_bit_moves(bit: int):
    """BST takes one bit into T and no other flag; BLD puts T there and leaves the other bits."""
    rig = loop(f"bst r19, {bit}", prepare="mov r21, r18")
    for sreg in (0x00, 0x7F):
        flags = sreg & ~oracle.T | (BYTES >> bit & 1) * oracle.T
        check("BST", 0x5A, sreg, answers(rig, 0x5A, sreg), (0x5A, flags))
    rig = loop(f"bld r21, {bit}", prepare="mov r21, r19")
    for sreg in (0x3F, 0x40):
        value = BYTES | 1 << bit if sreg & oracle.T else BYTES & ~(1 << bit)
        check("BLD", 0, sreg, answers(rig, 0, sreg), (value, sreg))
