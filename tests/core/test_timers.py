"""Timers 0, 1 and 2 by register name: prescalers, modes, flags, buffered compare values, synchronised start.

From the data sheet's chapters "8-bit Timer/Counter0 with PWM", "16-bit Timer/Counter1 with PWM",
"Timer/Counter0 and 1 Prescalers" and "8-bit Timer/Counter2": a flag rises with the timer clock that leaves
the matching count.
"""

from __future__ import annotations

import itertools

import pytest

from .registers import ADDRESS, BIT
from .rig import Rig

TSM_ALL = 0x83  # TSM, PSRASY, PSRSYNC
TOV, OCFA, OCFB = 1, 2, 4
DIVIDERS = {0: [1, 8, 64, 256, 1024], 1: [1, 8, 64, 256, 1024], 2: [1, 8, 32, 64, 128, 256, 1024]}


class Timer:
    """Set a timer up with all prescalers held, and let it go at a known cycle."""

    def __init__(self, number: int, mode: int = 0, divider: int = 8, **values: int) -> None:
        self.number, self.divider = number, divider
        self.rig = Rig()
        self.rig.set("GTCCR", TSM_ALL)
        select = DIVIDERS[number].index(divider) + 1
        for name, value in values.items():
            self.write(name, value)
        self.rig.set(f"TCCR{number}A", mode & 3)
        self.rig.set(f"TCCR{number}B", select | mode >> 2 << 3)
        self.rig.set("GTCCR", 0)

    def write(self, name: str, value: int) -> None:
        """Write TCNT, OCRA or OCRB."""
        if name == "ICR" or self.number == 1:
            full = {"TCNT": "TCNT1", "OCRA": "OCR1A", "OCRB": "OCR1B", "ICR": "ICR1"}[name]
            self.rig.set(f"{full}H", value >> 8)
            self.rig.set(f"{full}L", value & 0xFF)
        else:
            full = {"TCNT": "TCNT{}", "OCRA": "OCR{}A", "OCRB": "OCR{}B"}[name].format(self.number)
            self.rig.set(full, value)

    @property
    def count(self) -> int:
        if self.number == 1:
            return self.rig.word(ADDRESS["TCNT1L"])
        return self.rig.get(f"TCNT{self.number}")

    @property
    def flags(self) -> int:
        return self.rig.get(f"TIFR{self.number}")

    def clear(self) -> None:
        self.rig.set(f"TIFR{self.number}", 0xFF)

    def counts(self, number: int) -> None:
        """Run so many timer clocks."""
        self.rig.run(number * self.divider)

    def rises(self, bit: int, cap: int) -> list[int]:
        """Return after how many timer clocks a flag rose, each time within `cap` (divider ≥ 2 only)."""
        found = []
        for clock in range(1, cap + 1):
            self.counts(1)
            if self.flags & bit:
                found.append(clock)
                self.clear()
        return found


ALL = [(number, divider) for number, dividers in DIVIDERS.items() for divider in dividers]


@pytest.mark.parametrize(("number", "divider"), ALL)
def test_prescaler(number: int, divider: int):
    """The counter moves once in so many cycles, from the moment the prescalers are let go."""
    timer = Timer(number, divider=divider)
    if divider == 1:
        timer.rig.run(100)
        assert timer.count == 100
        return
    for clocks in (1, 2, 50):
        before = timer.count
        timer.rig.run(clocks * divider - 2)
        assert timer.count == before + clocks - 1
        timer.rig.run(2)
        assert timer.count == before + clocks


@pytest.mark.parametrize("number", [0, 1, 2])
def test_held_while_tsm(number: int):
    """With TSM set and the prescaler reset, a timer stands still; let go, its prescaler starts anew."""
    timer = Timer(number)
    timer.counts(5)
    timer.rig.set("GTCCR", TSM_ALL)
    timer.rig.run(9 * 8 + 4)
    assert timer.count == 5
    assert timer.rig.get("GTCCR") == TSM_ALL
    timer.rig.set("GTCCR", 0)
    timer.rig.run(3 * 8 - 2)
    assert timer.count == 7
    timer.rig.run(2)
    assert timer.count == 8


@pytest.mark.parametrize(("number", "bit"), [(0, 1), (1, 1), (2, 2)])
def test_prescaler_reset(number: int, bit: int):
    """PSRSYNC starts the prescaler of timers 0 and 1 anew, PSRASY that of 2; the bits clear themselves."""
    timer = Timer(number, divider=64)
    timer.rig.run(60)
    timer.rig.set("GTCCR", bit)
    assert timer.rig.get("GTCCR") == 0
    timer.rig.run(60)
    assert timer.count == 0
    timer.rig.run(4)
    assert timer.count == 1


def test_prescaler_reset_of_one_leaves_the_other():
    """PSRASY does not touch timers 0 and 1."""
    timer = Timer(0, divider=64)
    timer.rig.run(60)
    timer.rig.set("GTCCR", 2)
    timer.rig.run(4)
    assert timer.count == 1


@pytest.mark.parametrize(("number", "top"), [(0, 0xFF), (2, 0xFF), (1, 0xFFFF)])
def test_normal_mode(number: int, top: int):
    """TOV rises as the counter wraps to 0; compare flags one clock after their count."""
    timer = Timer(number, TCNT=top - 9, OCRA=top - 5, OCRB=top)
    assert timer.rises(OCFA, 9) == [5]
    timer = Timer(number, TCNT=top - 9, OCRA=top - 5, OCRB=top)
    assert timer.rises(OCFB, 12) == [10]
    timer = Timer(number, TCNT=top - 9, OCRA=top - 5, OCRB=top)
    assert timer.rises(TOV, 12) == [10]
    assert timer.count == 2


@pytest.mark.parametrize(("number", "mode"), [(0, 2), (2, 2), (1, 4)])
def test_clear_on_compare(number: int, mode: int):
    """CTC counts to OCRA and back to 0: OCFA every OCRA + 1 clocks, no overflow."""
    timer = Timer(number, mode, OCRA=9, OCRB=4)
    assert timer.rises(OCFA, 45) == [10, 20, 30, 40]
    assert not timer.flags & TOV
    assert timer.count == 5
    timer.clear()
    assert timer.rises(OCFB, 20) == [10, 20]


@pytest.mark.parametrize("number", [0, 2])
def test_fast_pwm_to_max(number: int):
    """Mode 3 overflows every 256 clocks and matches at OCRA + 1."""
    timer = Timer(number, 3, OCRA=128, OCRB=200)
    assert timer.rises(TOV, 600) == [256, 512]
    timer = Timer(number, 3, OCRA=128)
    timer.counts(256)
    timer.clear()
    assert timer.rises(OCFA, 512) == [129, 385]


@pytest.mark.parametrize("number", [0, 2])
def test_fast_pwm_to_ocra(number: int):
    """Mode 7 overflows every OCRA + 1 clocks."""
    timer = Timer(number, 7, OCRA=19)
    timer.clear()
    while not timer.flags & TOV:
        timer.counts(1)
    timer.clear()
    assert timer.rises(TOV, 65) == [20, 40, 60]


@pytest.mark.parametrize("number", [0, 2])
def test_phase_correct(number: int):
    """Mode 1 counts up to 255 and down again: 510 clocks from overflow to overflow, at BOTTOM."""
    timer = Timer(number, 1, OCRA=100)
    rises = timer.rises(TOV, 1100)
    assert [b - a for a, b in itertools.pairwise(rises)] == [510] * (len(rises) - 1)
    assert len(rises) >= 2
    timer = Timer(number, 1)
    timer.counts(255)
    assert timer.count == 255
    timer.counts(5)
    assert timer.count == 250


@pytest.mark.parametrize(("name", "flag"), [("OCRA", OCFA), ("OCRB", OCFB)])
@pytest.mark.parametrize("number", [0, 2])
def test_compare_is_double_buffered_in_pwm(number: int, name: str, flag: int):
    """A compare value written in one period acts in the next; reads give what was written."""
    timer = Timer(number, 3, **{name: 200})
    timer.counts(256)
    timer.clear()
    timer.counts(100)
    timer.write(name, 150)
    assert timer.rig.get(f"OCR{number}{name[3]}") == 150
    assert [100 + clock for clock in timer.rises(flag, 570)] == [201, 256 + 151, 512 + 151]


@pytest.mark.parametrize(("name", "flag"), [("OCRA", OCFA), ("OCRB", OCFB)])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_waiting_compare_value_comes_into_force_when_pwm_ends(number: int, name: str, flag: int):
    """A timer set back to normal mode knows no buffer: what was written last acts at once."""
    timer = Timer(number, 7 if number == 1 else 3, **{name: 200})
    timer.counts(1024)
    timer.write(name, 150)
    timer.rig.set(f"TCCR{number}A", 0)
    timer.rig.set(f"TCCR{number}B", 2)
    timer.write("TCNT", 100)
    timer.clear()
    assert timer.rises(flag, 120) == [51]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_compare_is_immediate_in_normal_mode(number: int):
    """Outside PWM a compare value acts at once."""
    timer = Timer(number, OCRA=200)
    timer.counts(100)
    timer.write("OCRA", 104)
    timer.counts(4)
    assert not timer.flags & OCFA
    timer.counts(1)
    assert timer.flags & OCFA


@pytest.mark.parametrize("number", [0, 1, 2])
def test_write_to_counter_blocks_the_match(number: int):
    """Writing TCNT blocks the compare match of the next timer clock."""
    timer = Timer(number, OCRA=50)
    timer.write("TCNT", 50)
    timer.counts(3)
    assert not timer.flags & OCFA
    timer.write("TCNT", 49)
    timer.counts(2)
    assert timer.flags & OCFA


def test_timer1_mode_15():
    """Mode 15: TOP is OCR1A, double buffered; OCF1A and TOV1 every OCR1A + 1 clocks; OCR1B only stores."""
    timer = Timer(1, 15, OCRA=99)
    timer.rig.run(8 * 100)
    timer.clear()
    while not timer.flags & TOV:
        timer.counts(1)
    assert timer.flags & OCFA
    timer.clear()
    start = timer.count
    assert timer.rises(TOV, 320) == [100, 200, 300]
    timer.write("OCRB", 0xBEEF)
    assert (timer.rig.get("OCR1BH"), timer.rig.get("OCR1BL")) == (0xBE, 0xEF)
    assert timer.count == (start + 320) % 100
    timer.write("OCRA", 39)
    assert timer.rises(TOV, 200) == [80, 120, 160, 200]


def test_timer1_mode_14_counts_to_icr():
    """Mode 14: TOP is ICR1; ICF1 rises with TOP."""
    timer = Timer(1, 14, ICR=49)
    while not timer.flags & TOV:
        timer.counts(1)
    assert timer.flags & 0x20
    timer.clear()
    assert timer.rises(TOV, 110) == [50, 100]


@pytest.mark.parametrize(("mode", "top"), [(5, 0xFF), (6, 0x1FF), (7, 0x3FF)])
def test_timer1_fixed_fast_pwm(mode: int, top: int):
    """Modes 5, 6 and 7 count to 8, 9 and 10 bits."""
    timer = Timer(1, mode)
    rises = timer.rises(TOV, 2 * top + 10)
    assert rises[-1] - rises[-2] == top + 1


EXACT = """
        ldi r16, 1
        {store} TCCR{n}B, r16
        ldi r17, 0x30
        {store} TCNT{n}, r17
        {load} r18, TCNT{n}
        {load} r19, TCNT{n}
        nop
        {load} r20, TCNT{n}
        lds r21, TCNT{n}
stop:   rjmp stop
"""


def test_counter_read_at_a_known_cycle():
    """At clk/1, IN right after OUT reads what was written, each cycle later one more; LDS reads later."""
    rig = Rig(EXACT.format(n=0, store="out", load="in"))
    rig.step(9)
    assert [rig.chip.reg(n) for n in range(18, 22)] == [0x30, 0x31, 0x33, 0x35]


def test_counter2_read_at_a_known_cycle():
    """The same through STS and LDS, which touch the register in their second cycle."""
    rig = Rig(EXACT.format(n=2, store="sts", load="lds"))
    rig.step(9)
    assert [rig.chip.reg(n) for n in range(18, 22)] == [0x31, 0x33, 0x36, 0x38]


def test_sixteen_bit_access_goes_through_temp():
    """Reading TCNT1L latches TCNT1H; writing OCR1AH waits for OCR1AL."""
    text = """
        ldi r16, 0x12
        sts OCR1AH, r16
        lds r18, OCR1AH
        ldi r16, 0x34
        sts OCR1AL, r16
        lds r19, OCR1AH
        lds r20, OCR1AL
        ldi r16, 0x01
        sts TCNT1H, r16
        ldi r16, 0xFF
        sts TCNT1L, r16
        ldi r16, 1
        sts TCCR1B, r16
        lds r21, TCNT1L
        nop
        nop
        nop
        lds r22, TCNT1H
    stop: rjmp stop
    """
    rig = Rig(text)
    rig.step(18)
    assert (rig.chip.reg(19), rig.chip.reg(20)) == (0x12, 0x34)
    assert rig.chip.reg(18) != 0x34
    low, high = rig.chip.reg(21), rig.chip.reg(22)
    assert (high << 8 | low) in range(0x1FF, 0x203)


def test_flags_clear_by_writing_one():
    """Writing a flag as 1 clears it and no other; SBI on TIFR0 clears its one flag."""
    timer = Timer(0, TCNT=0xF0, OCRA=0xF1, OCRB=0xF2)
    timer.counts(0x20)
    assert timer.flags == TOV | OCFA | OCFB
    timer.rig.set("TIFR0", 0)
    assert timer.flags == TOV | OCFA | OCFB
    timer.rig.set("TIFR0", OCFA)
    assert timer.flags == TOV | OCFB
    timer.rig.load("sbi TIFR0, 2", 0x100)
    timer.rig.step()
    assert timer.flags == TOV


def test_interrupt_clears_its_flag():
    """Entering the overflow interrupt clears TOV0."""
    timer = Timer(0, TCNT=0xFF)
    timer.rig.load(".org 0x40\nreti\n.org 0x200\nspin: rjmp spin")
    timer.rig.chip.pc = 0x200
    timer.rig.set("TIMSK0", 1 << BIT["TOIE0"])
    timer.rig.chip.sreg = 0x80
    timer.rig.run_to(0x40)
    assert timer.flags & TOV == 0


def test_two_timers_start_in_step():
    """Timers 0 and 2, both at clk/8, let go together, always show the same count."""
    rig = Rig()
    rig.set("GTCCR", TSM_ALL)
    for number in (0, 2):
        rig.set(f"TCCR{number}A", 3)
        rig.set(f"TCCR{number}B", 2)
        rig.set(f"TCNT{number}", 0)
    rig.set("GTCCR", 0)
    for _ in range(300):
        rig.run(38)
        assert rig.get("TCNT0") == rig.get("TCNT2")


def test_stopped_timer_keeps_its_count():
    """Clock select 0 stops the counter; it goes on from there."""
    timer = Timer(0)
    timer.counts(7)
    timer.rig.set("TCCR0B", 0)
    timer.rig.run(500)
    assert timer.count == 7
