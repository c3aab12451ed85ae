"""USART0 by register name: timing at 1 Mbaud, the two-byte receive buffer, overrun, flags."""

from __future__ import annotations

import pytest

from .registers import BIT
from .rig import Rig

RXC, TXC, UDRE, FE, DOR = (1 << BIT[name] for name in ("RXC0", "TXC0", "UDRE0", "FE0", "DOR0"))
BYTE_OSC = 80  # ten bits of 8 cycles: 1,000,000 baud at 8 MHz


def fast() -> Rig:
    """Return a chip set to 1,000,000 baud 8N1 (U2X, UBRR 0), both directions on."""
    rig = Rig()
    rig.set("UCSR0A", 1 << BIT["U2X0"])
    rig.set("UCSR0C", 0x06)
    rig.set("UCSR0B", 1 << BIT["TXEN0"] | 1 << BIT["RXEN0"])
    return rig


def test_state_at_reset():
    """UDRE0 is set at reset, all other flags are clear, the frame format is 8N1."""
    rig = Rig()
    assert rig.get("UCSR0A") == UDRE
    assert rig.get("UCSR0C") == 0x06


def test_send_one_byte():
    """A byte leaves in ten bits; TXC rises after its stop bit, UDRE long before."""
    rig = fast()
    rig.set("UDR0", 0x5A)
    rig.run(10)
    assert rig.get("UCSR0A") & (UDRE | TXC) == UDRE
    rig.run(BYTE_OSC - 14)
    assert not rig.get("UCSR0A") & TXC
    rig.run(20)
    assert rig.get("UCSR0A") & TXC
    assert rig.chip.take_serial() == b"\x5a"
    assert rig.chip.take_serial() == b""


def test_txc_clears_by_writing_one():
    """TXC0 is cleared by writing 1 to it."""
    rig = fast()
    rig.set("UDR0", 1)
    rig.run(100)
    rig.set("UCSR0A", TXC | 1 << BIT["U2X0"])
    assert not rig.get("UCSR0A") & TXC


def test_send_buffer_holds_one_byte_more():
    """The second byte waits in the buffer with UDRE clear; both leave back to back."""
    rig = fast()
    rig.set("UDR0", 0x11)
    rig.run(10)
    rig.set("UDR0", 0x22)
    assert not rig.get("UCSR0A") & UDRE
    rig.run(BYTE_OSC)
    assert rig.get("UCSR0A") & UDRE
    rig.run(BYTE_OSC - 20)
    assert not rig.get("UCSR0A") & TXC
    rig.run(20)
    assert rig.get("UCSR0A") & TXC
    assert rig.chip.take_serial() == b"\x11\x22"


@pytest.mark.parametrize(
    ("ubrr", "double", "bit_cycles"), [(0, True, 8), (0, False, 16), (103, True, 832), (25, False, 416)]
)
def test_baud_rates(ubrr: int, double: bool, bit_cycles: int):
    """A bit lasts 8·(UBRR + 1) cycles with U2X and 16·(UBRR + 1) without."""
    rig = Rig()
    rig.set("UCSR0A", double << BIT["U2X0"])
    rig.set("UBRR0H", ubrr >> 8)
    rig.set("UBRR0L", ubrr & 0xFF)
    rig.set("UCSR0B", 1 << BIT["TXEN0"])
    rig.set("UDR0", 0)
    rig.run(10 * bit_cycles - 4)
    assert not rig.get("UCSR0A") & TXC
    rig.run(bit_cycles + 8)
    assert rig.get("UCSR0A") & TXC


def test_send_by_a_program():
    """A program that waits for UDRE sends at the line's full rate: 80 cycles a byte."""
    rig = fast()
    rig.load("""
            ldi r16, 0
    next:   lds r17, UCSR0A
            sbrs r17, UDRE0
            rjmp next
            sts UDR0, r16
            inc r16
            cpi r16, 100
            brne next
    stop:   rjmp stop
    """)
    before = rig.chip.cycles
    rig.run_to(0x14)
    # two bytes are still on their way when the last one has been written
    assert 98 * BYTE_OSC - 16 <= rig.chip.cycles - before <= 98 * BYTE_OSC + 40
    rig.run(200)
    assert rig.chip.take_serial() == bytes(range(100))


def test_nothing_leaves_while_the_sender_is_off():
    """Without TXEN0 a write to UDR0 sends nothing."""
    rig = Rig()
    rig.set("UDR0", 0x5A)
    rig.run(1000)
    assert rig.chip.take_serial() == b""


def take(rig: Rig) -> tuple[int, int]:
    """Read UCSR0A and then UDR0 by instructions, as a program must."""
    rig.load("lds r16, UCSR0A\nlds r17, UDR0", 0x400)
    rig.step(2)
    return rig.chip.reg(16), rig.chip.reg(17)


def test_receive():
    """Bytes arrive after ten bits each; RXC stays until UDR0 is read."""
    rig = fast()
    rig.chip.give_serial(b"\xa5\x3c")
    rig.run(BYTE_OSC - 12)
    assert not rig.get("UCSR0A") & RXC
    rig.run(20)
    assert rig.get("UCSR0A") & RXC
    status, byte = take(rig)
    assert (status & (RXC | FE | DOR), byte) == (RXC, 0xA5)
    assert not rig.get("UCSR0A") & RXC
    rig.chip.pc = 0
    rig.run(BYTE_OSC)
    assert take(rig)[1] == 0x3C


def test_looking_does_not_take_a_byte():
    """Reading the data space from outside leaves the receive buffer alone."""
    rig = fast()
    rig.chip.give_serial(b"\x77")
    rig.run(100)
    rig.get("UDR0")
    assert rig.get("UCSR0A") & RXC


def test_overrun():
    """Two bytes wait in the buffer and one in the shift register; the next is lost and DOR0 says so."""
    rig = fast()
    rig.chip.give_serial(b"\x01\x02\x03")
    rig.run(5 * BYTE_OSC)
    assert not rig.get("UCSR0A") & DOR
    assert [take(rig)[1] for _ in range(2)] == [1, 2]
    assert take(rig)[1] == 3
    rig.chip.pc = 0
    rig.chip.give_serial(b"\x11\x12\x13\x14\x15")
    rig.run(7 * BYTE_OSC)
    taken = [take(rig) for _ in range(3)]
    assert [byte for _, byte in taken] == [0x11, 0x12, 0x13]
    assert any(status & DOR for status, _ in taken)
    assert not rig.get("UCSR0A") & RXC


def test_turning_the_receiver_off_empties_the_buffer():
    """RXEN0 cleared flushes what has arrived."""
    rig = fast()
    rig.chip.give_serial(b"\x01\x02")
    rig.run(300)
    rig.set("UCSR0B", 1 << BIT["TXEN0"])
    rig.set("UCSR0B", 1 << BIT["TXEN0"] | 1 << BIT["RXEN0"])
    assert not rig.get("UCSR0A") & RXC


def test_nothing_arrives_while_the_receiver_is_off():
    """Without RXEN0 the line is not heard."""
    rig = Rig()
    rig.chip.give_serial(b"\x01")
    rig.run(1000)
    assert not rig.get("UCSR0A") & RXC


def test_wrong_baud_rate_mangles():
    """A byte at a quarter of the chip's rate does not arrive as it was."""
    rig = fast()
    rig.chip.give_serial(b"\x55", baud=250_000)
    rig.run(2000)
    status, byte = take(rig)
    assert status & FE or byte != 0x55


def test_receive_interrupt():
    """RXCIE0 calls vector 18."""
    rig = fast()
    rig.load(".org 72\nreti\n.org 0x200\nspin: rjmp spin")
    rig.chip.pc = 0x200
    rig.set("UCSR0B", rig.get("UCSR0B") | 1 << BIT["RXCIE0"])
    rig.chip.sreg = 0x80
    rig.chip.give_serial(b"x")
    assert 60 <= rig.run_to(72) <= 100
