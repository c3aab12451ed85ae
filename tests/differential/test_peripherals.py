"""Timers and USART beside libsimavr's, coarsely: counts of interrupts and bytes sent.

libsimavr 1.6 takes no time to enter an interrupt, and the phase of a prescaler is its own; so counts are
compared to within two, not single cycles. Only modes that both have are run.
"""

from __future__ import annotations

import ctypes

import pytest

from blinks_sim.core import Chip
from tests.core.assembler import assemble
from tests.core.registers import VECTOR

from .simavr import SimAvr

FUSES = (0xE2, 0xDF, 0xF9)
CYCLES = 2_000_000
COUNTS = 0x200  # a 16-bit count for each vector
COUNTED = [
    "TIMER2_COMPA", "TIMER2_COMPB", "TIMER2_OVF", "TIMER1_COMPA", "TIMER1_COMPB", "TIMER1_OVF",
    "TIMER0_COMPA", "TIMER0_COMPB", "TIMER0_OVF",
]  # fmt: skip

HANDLERS = "        jmp main\n" + "".join(
    f".org {4 * VECTOR[name]}\n        jmp count{number}\n" for number, name in enumerate(COUNTED)
)
COUNTERS = "".join(
    f"""
count{number}: push r24
        in r24, SREG
        push r24
        push r25
        lds r24, {COUNTS + 2 * number}
        lds r25, {COUNTS + 2 * number} + 1
        adiw r24, 1
        sts {COUNTS + 2 * number}, r24
        sts {COUNTS + 2 * number} + 1, r25
        pop r25
        pop r24
        out SREG, r24
        pop r24
        reti
"""
    for number in range(len(COUNTED))
)


def counting(setup: list[tuple[str, int]]) -> bytes:
    """Return a program that writes registers in order, then counts its interrupts for ever."""
    lines = [f"        ldi r16, {value}\n        sts {name}, r16\n" for name, value in setup]
    main = ".org 0x100\nmain:\n" + "".join(lines) + "        sei\nspin:   rjmp spin\n"
    return assemble(HANDLERS + main + COUNTERS)


def counts(program: bytes, door: ctypes.CDLL) -> tuple[list[int], list[int]]:
    """Run a program on both; return ours and libsimavr's counts of interrupts."""
    chip, other = Chip(fuses=FUSES), SimAvr(door)
    for machine in (chip, other):
        machine.load_flash(program)
        machine.write(COUNTS, bytes(2 * len(COUNTED)))
    chip.run_until_osc(CYCLES)
    other.run_until(CYCLES)
    both = []
    for machine in (chip, other):
        data = machine.read(COUNTS, 2 * len(COUNTED))
        both.append([int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)])
    other.close()
    assert chip.fault is None
    return both[0], both[1]


@pytest.mark.parametrize("select", [2, 3, 4, 5])
def test_timers_in_normal_mode(simavr_door: ctypes.CDLL, select: int):
    """All three timers overflow and match as often at each prescaler that they share."""
    setup = [("OCR0A", 100), ("OCR0B", 200), ("OCR2A", 50), ("OCR2B", 250), ("OCR1AH", 0x40), ("OCR1AL", 0)]
    setup += [("OCR1BH", 0xC0), ("OCR1BL", 0), ("TIMSK0", 7), ("TIMSK1", 7), ("TIMSK2", 7)]
    setup += [("TCCR0B", select), ("TCCR1B", select), ("TCCR2B", select)]
    ours, theirs = counts(counting(setup), simavr_door)
    assert max(ours) > 4
    assert [abs(a - b) <= 2 for a, b in zip(ours, theirs, strict=True)] == [True] * len(COUNTED), (
        ours,
        theirs,
    )


@pytest.mark.parametrize("top", [20, 99, 127, 255])
def test_clear_on_compare(simavr_door: ctypes.CDLL, top: int):
    """CTC of all three timers at clk/8 gives an interrupt every (OCRA + 1) · 8 cycles on both."""
    setup = [("OCR0A", top), ("OCR2A", top), ("OCR1AH", 1), ("OCR1AL", top)]
    setup += [("TCCR0A", 2), ("TCCR2A", 2), ("TIMSK0", 2), ("TIMSK1", 2), ("TIMSK2", 2)]
    setup += [("TCCR0B", 2), ("TCCR1B", 0x0A), ("TCCR2B", 2)]
    ours, theirs = counts(counting(setup), simavr_door)
    assert [abs(a - b) <= 2 for a, b in zip(ours, theirs, strict=True)] == [True] * len(COUNTED), (
        ours,
        theirs,
    )
    assert abs(ours[COUNTED.index("TIMER0_COMPA")] - CYCLES / (8 * (top + 1))) <= 2
    assert abs(ours[COUNTED.index("TIMER1_COMPA")] - CYCLES / (8 * (256 + top + 1))) <= 2


def test_fast_pwm(simavr_door: ctypes.CDLL):
    """Mode 3 of timers 0 and 2 and mode 15 of timer 1, as the tile's display and clock use them."""
    setup = [("OCR2A", 128), ("OCR0A", 60), ("OCR1AH", 0x0F), ("OCR1AL", 0x9F), ("TCCR0A", 3), ("TCCR2A", 3)]
    setup += [("TCCR1A", 3), ("TIMSK0", 1), ("TIMSK1", 2), ("TIMSK2", 3)]
    setup += [("TCCR0B", 2), ("TCCR1B", 0x19), ("TCCR2B", 2)]
    ours, theirs = counts(counting(setup), simavr_door)
    assert [abs(a - b) <= 2 for a, b in zip(ours, theirs, strict=True)] == [True] * len(COUNTED), (
        ours,
        theirs,
    )
    assert abs(ours[COUNTED.index("TIMER1_COMPA")] - CYCLES / 4000) <= 2


SEND = """
        ldi r16, 0x18
        sts UCSR0B, r16
        ldi r16, 2
        sts UCSR0A, r16
        ldi r16, 0
        clr r20
        clr r21
next:   lds r17, UCSR0A
        sbrs r17, UDRE0
        rjmp next
        sts UDR0, r16
        subi r16, 0xF9
        dec r18
        brne next
stop:   rjmp stop
"""


def test_sent_bytes(simavr_door: ctypes.CDLL):
    """Both send the same bytes through UDR0."""
    chip, other = Chip(fuses=FUSES), SimAvr(simavr_door)
    other.listen()
    for machine in (chip, other):
        machine.load_flash(assemble("ldi r18, 200\n" + SEND))
    chip.run_until_osc(CYCLES)
    other.run_until(CYCLES)
    sent = chip.take_serial()
    assert sent == bytes(7 * number & 0xFF for number in range(200))
    assert other.sent() == sent
    other.close()
