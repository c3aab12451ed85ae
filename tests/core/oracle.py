"""The ALU in plain Python: every function takes operands and SREG and returns (result, SREG).

Flags are derived from what they mean (carries out of bit 3 and 7, signed range), not from the manual's
boolean formulas, so that a slip in one is not repeated in the other. Operands may be ints or numpy integer
arrays: only operators that work on both are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

C, Z, N, V, S, H, T, I = (1 << bit for bit in range(8))  # noqa: E741

Value = Any  # int or numpy integer array
Result = tuple[Value, Value]


def _signed(value: Value, bits: int = 8) -> Value:
    half = 1 << (bits - 1)
    return (value ^ half) - half


def _flag(condition: Value, bit: int) -> Value:
    return (condition != 0) * bit


def _signs(result: Value, overflow: Value, bits: int = 8) -> Value:
    negative = (result >> (bits - 1)) & 1
    return (
        _flag(negative, N) + _flag(overflow, V) + _flag(negative ^ (overflow != 0), S) + _flag(result == 0, Z)
    )


def _keep(sreg: Value, new: Value, mask: int) -> Value:
    return sreg & ~mask & 0xFF | new & mask


def _add(d: Value, r: Value, sreg: Value, carry: Value) -> Result:
    total = d + r + carry
    wide = _signed(d) + _signed(r) + carry
    overflow = (wide < -128) | (wide > 127)
    flags = (
        _flag(total > 0xFF, C) + _flag((d & 15) + (r & 15) + carry > 15, H) + _signs(total & 0xFF, overflow)
    )
    return total & 0xFF, _keep(sreg, flags, C | Z | N | V | S | H)


def _subtract(d: Value, r: Value, sreg: Value, carry: Value, chained: bool) -> Result:
    total = d - r - carry
    wide = _signed(d) - _signed(r) - carry
    overflow = (wide < -128) | (wide > 127)
    flags = _flag(total < 0, C) + _flag((d & 15) - (r & 15) - carry < 0, H) + _signs(total & 0xFF, overflow)
    if chained:  # SBC, SBCI, CPC: a zero byte leaves Z as the lower bytes set it
        flags = flags & ~Z | flags & sreg & Z
    return total & 0xFF, _keep(sreg, flags, C | Z | N | V | S | H)


def _logic(result: Value, sreg: Value) -> Result:
    return result, _keep(sreg, _signs(result, result & 0), Z | N | V | S)


def _shift_right(d: Value, top: Value, sreg: Value) -> Result:
    result = d >> 1 | top
    carry = d & 1
    flags = _signs(result, (result >> 7) ^ carry) + _flag(carry, C)  # V = N xor C after the shift
    return result, _keep(sreg, flags, C | Z | N | V | S)


def _complement(d: Value, sreg: Value) -> Result:
    result = 0xFF - d
    return result, _keep(sreg, _signs(result, d & 0) + C, C | Z | N | V | S)


def _negate(d: Value, sreg: Value) -> Result:
    return _subtract(d & 0, d, sreg, 0, chained=False)


def _step(d: Value, by: int, sreg: Value) -> Result:
    wide = _signed(d) + by
    result = wide & 0xFF
    return result, _keep(sreg, _signs(result, (wide > 127) | (wide < -128)), Z | N | V | S)


TWO: dict[str, Callable[[Value, Value, Value], Result]] = {
    "ADD": lambda d, r, s: _add(d, r, s, 0),
    "ADC": lambda d, r, s: _add(d, r, s, s & C),
    "SUB": lambda d, r, s: _subtract(d, r, s, 0, chained=False),
    "SBC": lambda d, r, s: _subtract(d, r, s, s & C, chained=True),
    "CP": lambda d, r, s: (d, _subtract(d, r, s, 0, chained=False)[1]),
    "CPC": lambda d, r, s: (d, _subtract(d, r, s, s & C, chained=True)[1]),
    "AND": lambda d, r, s: _logic(d & r, s),
    "OR": lambda d, r, s: _logic(d | r, s),
    "EOR": lambda d, r, s: _logic(d ^ r, s),
    "MOV": lambda d, r, s: (r, s),
}
TWO |= {f"{name}I": TWO[name] for name in ("SUB", "SBC", "CP", "AND", "OR")}
TWO["LDI"] = TWO["MOV"]

ONE: dict[str, Callable[[Value, Value], Result]] = {
    "COM": _complement,
    "NEG": _negate,
    "SWAP": lambda d, s: (d >> 4 | d << 4 & 0xF0, s),
    "INC": lambda d, s: _step(d, 1, s),
    "DEC": lambda d, s: _step(d, -1, s),
    "ASR": lambda d, s: _shift_right(d, d & 0x80, s),
    "LSR": lambda d, s: _shift_right(d, d & 0, s),
    "ROR": lambda d, s: _shift_right(d, (s & C) << 7, s),
}


def word_step(value: Value, by: Value, sreg: Value) -> Result:
    """Model ADIW (positive `by`) and SBIW (negative): 16-bit result and SREG."""
    total = value + by
    wide = _signed(value, 16) + by
    result = total & 0xFFFF
    overflow = (wide < -0x8000) | (wide > 0x7FFF)
    flags = _flag((total < 0) | (total > 0xFFFF), C) + _signs(result, overflow, 16)
    return result, _keep(sreg, flags, C | Z | N | V | S)


def _product(d: Value, r: Value, sreg: Value, fraction: bool) -> Result:
    product = (d * r) & 0xFFFF
    carry = product >> 15 & 1  # the product's bit 15, before the fraction's shift
    result = product << 1 & 0xFFFF if fraction else product
    return result, _keep(sreg, _flag(carry, C) + _flag(result == 0, Z), C | Z)


MULTIPLY: dict[str, Callable[[Value, Value, Value], Result]] = {
    "MUL": lambda d, r, s: _product(d, r, s, False),
    "MULS": lambda d, r, s: _product(_signed(d), _signed(r), s, False),
    "MULSU": lambda d, r, s: _product(_signed(d), r, s, False),
    "FMUL": lambda d, r, s: _product(d, r, s, True),
    "FMULS": lambda d, r, s: _product(_signed(d), _signed(r), s, True),
    "FMULSU": lambda d, r, s: _product(_signed(d), r, s, True),
}
