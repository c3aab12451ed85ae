"""Ports, pull-ups, the button, infrared faces as pins, pin change interrupts, serial number."""

from __future__ import annotations

import pytest

from .registers import VECTOR
from .rig import Rig

LIT_OSC = 40  # 5 µs of light discharge a cathode


@pytest.mark.parametrize("port", "BCD")
def test_writing_pin_toggles_port(port: str):
    """Ones written to PINx toggle bits of PORTx."""
    rig = Rig()
    rig.set(f"PORT{port}", 0x35)
    rig.set(f"PIN{port}", 0x0F)
    assert rig.get(f"PORT{port}") == 0x3A


def test_port_e_has_four_pins():
    """PINE toggles PORTE in its bits 0 to 3."""
    rig = Rig()
    rig.set("PORTE", 0x05)
    rig.set("PINE", 0x0F)
    assert rig.get("PORTE") & 0x0F == 0x0A


@pytest.mark.parametrize("port", "BD")
def test_outputs_read_back(port: str):
    """A pin that is driven reads as driven."""
    rig = Rig()
    rig.set(f"DDR{port}", 0xFF)
    rig.set(f"PORT{port}", 0xA5)
    rig.step(2)
    assert rig.get(f"PIN{port}") == 0xA5


def test_unused_pins_of_port_c_read_one():
    """PINC bits 6 and 7 are not wired to LEDs and read 1."""
    assert Rig().get("PINC") & 0xC0 == 0xC0


def test_button():
    """PD7 with its pull-up reads 1, and 0 while the button is down."""
    rig = Rig()
    rig.set("PORTD", 0x80)
    assert rig.get("PIND") & 0x80
    rig.chip.press()
    assert not rig.get("PIND") & 0x80
    rig.chip.release()
    assert rig.get("PIND") & 0x80


def test_button_seen_by_a_program():
    """SBIS on PIND sees the button the moment it goes down."""
    rig = Rig("again: sbic PIND, 7\nrjmp again\nstop: rjmp stop")
    rig.set("PORTD", 0x80)
    rig.run(1000)
    assert rig.chip.pc < 4
    rig.chip.press()
    rig.run(10)
    assert rig.chip.pc == 4


def test_pin_change_interrupt():
    """Either edge of the button raises PCINT2 if PCMSK2 lets PCINT23 through."""
    at = 4 * VECTOR["PCINT2"]
    rig = Rig(f".org {at}\nreti\n.org 0x100\nspin: rjmp spin")
    rig.chip.pc = 0x100
    rig.set("PORTD", 0x80)
    rig.set("PCMSK2", 0x80)
    rig.set("PCIFR", 7)
    rig.set("PCICR", 4)
    rig.chip.sreg = 0x80
    rig.run(100)
    assert rig.status.sp == 0x4FF
    for act in (rig.chip.press, rig.chip.release):
        act()
        assert rig.run_to(at, cap=10) <= 12
        assert not rig.get("PCIFR") & 4
        rig.run(50)


def test_pin_change_flag_without_interrupt():
    """PCIF2 rises with PCMSK2 alone and is cleared by writing 1."""
    rig = Rig()
    rig.set("PORTD", 0x80)
    rig.set("PCMSK2", 0x80)
    rig.set("PCIFR", 7)
    rig.chip.press()
    rig.run(10)
    assert rig.get("PCIFR") == 4
    rig.set("PCIFR", 4)
    assert rig.get("PCIFR") == 0
    rig.set("PCMSK2", 0)
    rig.chip.release()
    rig.run(10)
    assert rig.get("PCIFR") == 0


def test_serial_number():
    """Nine bytes at 0xF0 are the serial number, also to LDS."""
    rig = Rig("lds r16, 0xF0\nlds r17, 0xF8")
    rig.step(2)
    assert rig.ram(0xF0, 9) == b"\xb1INKSIM\x01\x02"
    assert (rig.chip.reg(16), rig.chip.reg(17)) == (0xB1, 2)


def test_serial_number_cannot_be_changed():
    """Instructions that write there change nothing."""
    rig = Rig("\n".join(f"sts {address}, r16" for address in range(0xF0, 0xF9)))
    rig.chip.set_reg(16, 0x77)
    rig.step(9)
    assert rig.ram(0xF0, 9) == b"\xb1INKSIM\x01\x02"


@pytest.mark.parametrize(("port", "bits"), [("D", 0x16), ("E", 0x04)])
def test_pull_ups(port: str, bits: int):
    """Pins that nothing drives read 1 with their pull-ups on."""
    rig = Rig()
    rig.set(f"PORT{port}", bits)
    assert rig.get(f"PIN{port}") & bits == bits


def test_receive_line_idles_high():
    """RXD reads 1 while nobody sends."""
    assert Rig().get("PIND") & 1


def test_general_purpose_registers():
    """GPIOR0 to 2 are storage, cleared by reset."""
    rig = Rig()
    for number in range(3):
        rig.set(f"GPIOR{number}", 0x5A + number)
    assert [rig.get(f"GPIOR{number}") for number in range(3)] == [0x5A, 0x5B, 0x5C]
    rig.chip.reset()
    assert [rig.get(f"GPIOR{number}") for number in range(3)] == [0, 0, 0]


def charge(rig: Rig, face: int) -> None:
    """Charge a face's LED in reverse (cathode high, anode low) for 2 µs, then let the cathode float."""
    bit = 1 << face
    rig.set("DDRB", 0x3F)
    rig.set("PORTB", 0)
    rig.set("PORTC", bit)
    rig.set("DDRC", bit)
    rig.run(16)
    rig.set("DDRC", 0)
    rig.set("PORTC", 0)


@pytest.mark.parametrize("face", range(6))
def test_charge_and_discharge(face: int):
    """A charged cathode reads 1 in the dark, 0 after 5 µs of light, and stays so until charged again."""
    rig = Rig()
    bit = 1 << face
    charge(rig, face)
    rig.run(8000)
    assert rig.get("PINC") & bit
    assert rig.status.ir_charged & bit
    rig.chip.shine(face, True)
    assert rig.status.ir_lit == bit
    rig.run(LIT_OSC - 8)
    assert rig.get("PINC") & bit
    rig.run(16)
    assert not rig.get("PINC") & bit
    rig.chip.shine(face, False)
    rig.run(8000)
    assert not rig.get("PINC") & bit
    charge(rig, face)
    rig.run(80)
    assert rig.get("PINC") & bit


def test_light_shorter_than_the_discharge_leaves_the_charge():
    """2 µs of light are not enough."""
    rig = Rig()
    charge(rig, 3)
    rig.chip.shine(3, True)
    rig.run(16)
    rig.chip.shine(3, False)
    rig.run(400)
    assert rig.get("PINC") & 8


def test_light_during_the_charge_counts_from_its_end():
    """While the cathode is driven high light cannot discharge it."""
    rig = Rig()
    rig.chip.shine(2, True)
    rig.set("DDRB", 0x3F)
    rig.set("PORTC", 4)
    rig.set("DDRC", 4)
    rig.run(400)
    rig.set("DDRC", 0)
    rig.set("PORTC", 0)
    assert rig.get("PINC") & 4
    rig.run(LIT_OSC + 8)
    assert not rig.get("PINC") & 4


def test_only_the_lit_face_discharges():
    """Light on one face leaves the other faces' charges alone."""
    rig = Rig()
    rig.set("DDRB", 0x3F)
    rig.set("PORTC", 0x3F)
    rig.set("DDRC", 0x3F)
    rig.run(16)
    rig.set("DDRC", 0)
    rig.set("PORTC", 0)
    rig.chip.shine(4, True)
    rig.run(100)
    assert rig.get("PINC") & 0x3F == 0x3F & ~0x10


EMIT = """
        ldi r16, 0x3F
        out DDRB, r16
        out DDRC, r16       ; cathodes driven low
        nop
        sbi PORTB, {face}   ; anode high: light
        {wait}
        cbi PORTB, {face}
stop:   rjmp stop
"""


@pytest.mark.parametrize("face", range(6))
def test_emission(face: int):
    """Anode high and cathode driven low is light; its edges are told with their times."""
    rig = Rig(EMIT.format(face=face, wait="nop\n" * 158))
    rig.run(400)
    edges = rig.chip.pulses()
    assert [mask for _, mask in edges] == [1 << face, 0]
    assert edges[1][0] - edges[0][0] == 160
    assert rig.chip.pulses() == []


def test_no_light_without_both_ends():
    """Anode high alone, or with the cathode floating or high, emits nothing."""
    rig = Rig()
    rig.set("DDRB", 0x3F)
    rig.set("PORTB", 0x3F)
    rig.run(10)
    assert rig.status.ir_emitting == 0
    rig.set("PORTC", 0x3F)
    rig.set("DDRC", 0x3F)
    rig.run(10)
    assert rig.status.ir_emitting == 0
    rig.set("PORTC", 0x2A)
    rig.run(10)
    assert rig.status.ir_emitting == 0x15


def test_toggling_recharge():
    """Writing PINC to raise the cathode, as the BIOS recharges, charges it."""
    rig = Rig()
    rig.set("DDRB", 0x3F)
    rig.set("PINC", 0x01)
    rig.set("DDRC", 0x01)
    rig.run(16)
    rig.set("DDRC", 0x00)
    rig.set("PINC", 0x01)
    assert rig.get("PORTC") == 0
    rig.run(800)
    assert rig.get("PINC") & 1
