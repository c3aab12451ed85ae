"""The oracle and the assembler themselves, against examples worked by hand from the manual."""

from __future__ import annotations

import pytest

from . import oracle
from .assembler import assemble
from .oracle import C, H, N, S, T, V, Z


@pytest.mark.parametrize(
    ("name", "d", "r", "sreg", "expected"),
    [
        ("ADD", 0x80, 0x80, 0, (0x00, S | V | Z | C)),
        ("ADC", 0x7F, 0x00, C, (0x80, H | V | N)),
        ("SUB", 0x00, 0x01, T, (0xFF, T | H | S | N | C)),
        ("SBC", 0x00, 0xFF, C | Z, (0x00, H | Z | C)),
        ("SBC", 0x00, 0xFF, C, (0x00, H | C)),
        ("CP", 0x7F, 0x80, 0, (0x7F, V | N | C)),
        ("AND", 0xF0, 0x8F, V | C, (0x80, S | N | C)),
    ],
)
def test_two_operands(name: str, d: int, r: int, sreg: int, expected: tuple[int, int]):
    """Two-operand flags as the manual's examples have them."""
    assert oracle.TWO[name](d, r, sreg) == expected


def test_others():
    """One-operand, word and multiply flags as the manual has them."""
    assert oracle.ONE["NEG"](0x80, 0) == (0x80, V | N | C)
    assert oracle.ONE["COM"](0xFF, V) == (0x00, Z | C)
    assert oracle.ONE["DEC"](0x80, C) == (0x7F, S | V | C)
    assert oracle.ONE["ROR"](0x01, C) == (0x80, V ^ (N | C) ^ V ^ S)
    assert oracle.word_step(0x7FFF, 1, 0) == (0x8000, N | V)
    assert oracle.word_step(0x0000, -1, 0) == (0xFFFF, S | N | C)
    assert oracle.MULTIPLY["FMULS"](0x80, 0x80, 0) == (0x8000, 0)
    assert oracle.MULTIPLY["MULSU"](0xFF, 0xFF, 0) == (0xFF01, C)


def test_assembler_lays_labels_and_gaps():
    """Labels count words, `.org` leaves erased flash, I/O names lose 0x20."""
    program = "start: out PORTB, r1\n.org 8\nback: rjmp start\nbreq back\nlds r2, UDR0"
    words = assemble(program)
    assert words[:2] == (0xB815).to_bytes(2, "little")
    assert words[2:8] == b"\xff" * 6
    assert words[8:] == bytes.fromhex("fbcf f1f3 2090 c600")
