"""Pixels: what a person sees is light summed over whole display frames, in linear RGB, 1.0 = full level.

Full level of one colour is its period of the five-phase frame at compare value 1 (255 − 1 of 256 counts).
"""

from __future__ import annotations

import numpy as np
import pytest

from .rig import Rig

# (port, bit) of the anode of each face, and the timer output of each colour
ANODES = [("B", 6), ("E", 0), ("B", 7), ("E", 1), ("D", 4), ("D", 2)]
FRAME_OSC = 61_440

# One face after the other through pump, rest, blue, red, green, at clk/8, as the board wants it. Compare
# values in r2 (red), r3 (green), r4 (blue) are the same for all faces that r5 selects (bit n: face n);
# the others stay dark.
DISPLAY = """
        .org 0
        ldi r16, 0x80 | 0x40
        out DDRB, r16
        ldi r16, 0x74           ; PD2, PD4, PD5, PD6 outputs; PD3 when blue is shown
        out DDRD, r16
        ldi r16, 0x03
        out DDRE, r16
        ldi r20, 255
        out OCR0A, r20
        out OCR0B, r20
        sts OCR2B, r20
        ldi r16, 0xA3           ; OC0A, OC0B clear on match, fast PWM
        out TCCR0A, r16
        ldi r16, 0x23           ; OC2B likewise
        sts TCCR2A, r16
        ldi r16, 0x83
        out GTCCR, r16
        ldi r16, 2
        out TCCR0B, r16
        sts TCCR2B, r16
        ldi r16, 0
        out TCNT0, r16
        sts TCNT2, r16
        out GTCCR, r16
frame:  ldi r21, 1              ; bit of this face
face:   mov r22, r5
        and r22, r21
        ; phase 1: charge the pump
        rcall period
        sbi DDRE, 3             ; sink PE3 low
        sbi PORTD, 3
        sbi DDRD, 3
        ; phase 2: rest, anode on; blue's compare value for the next period
        rcall period
        cbi DDRE, 3
        rcall anode_on
        mov r16, r20
        tst r22
        breq blue_off
        mov r16, r4
blue_off: sts OCR2B, r16
        ; phase 3: blue shows; red's value for the next
        rcall period
        sts OCR2B, r20
        mov r16, r20
        tst r22
        breq red_off
        mov r16, r2
red_off: out OCR0A, r16
        ; phase 4: red shows; green's value
        rcall period
        cbi PORTD, 3
        cbi DDRD, 3
        out OCR0A, r20
        mov r16, r20
        tst r22
        breq green_off
        mov r16, r3
green_off: out OCR0B, r16
        ; phase 5: green shows
        rcall period
        out OCR0B, r20
        ; the next face; its first period still shows this anode until it ends
        lsl r21
        cpi r21, 0x40
        brne face
        rjmp frame
period: sbis TIFR0, 0
        rjmp period
        sbi TIFR0, 0
        ret
anode_on: cbi PORTB, 6
        cbi PORTB, 7
        cbi PORTE, 0
        cbi PORTE, 1
        cbi PORTD, 4
        cbi PORTD, 2
        sbrc r21, 0
        sbi PORTB, 6
        sbrc r21, 1
        sbi PORTE, 0
        sbrc r21, 2
        sbi PORTB, 7
        sbrc r21, 3
        sbi PORTE, 1
        sbrc r21, 4
        sbi PORTD, 4
        sbrc r21, 5
        sbi PORTD, 2
        ret
"""


def show(red: int, green: int, blue: int, faces: int = 0x3F) -> np.ndarray:
    """Return the light of a display that shows these compare values on the faces of a mask."""
    rig = Rig(DISPLAY)
    for register, value in zip((2, 3, 4, 5), (red, green, blue, faces), strict=True):
        rig.chip.set_reg(register, value)
    rig.run(6 * FRAME_OSC)
    assert rig.chip.fault is None
    return rig.chip.light()


def level(ocr: int) -> float:
    return (255 - ocr) / 254


@pytest.mark.parametrize("ocr", [255, 254, 200, 128, 59, 19, 1])
def test_levels(ocr: int):
    """A colour's light is (255 − OCR) of 256 counts in its period, 1.0 at the full level."""
    light = show(ocr, ocr, ocr)
    assert light.shape == (6, 3)
    np.testing.assert_allclose(light, level(ocr), atol=0.012)


@pytest.mark.parametrize("colour", range(3))
def test_colours_are_apart(colour: int):
    """Red is OC0A, green OC0B, blue OC2B; none leaks into another."""
    values = [255, 255, 255]
    values[colour] = 1
    expected = np.zeros((6, 3))
    expected[:, colour] = 1
    np.testing.assert_allclose(show(*values), expected, atol=0.012)


@pytest.mark.parametrize("face", range(6))
def test_faces_are_apart(face: int):
    """Each face has its own anode."""
    light = show(1, 59, 126, faces=1 << face)
    expected = np.zeros((6, 3))
    expected[face] = [level(1), level(59), level(126)]
    np.testing.assert_allclose(light, expected, atol=0.012)


def test_light_is_steady():
    """A steady display gives the same light in every frame, wherever in the frame one looks."""
    rig = Rig(DISPLAY)
    for register, value in zip((2, 3, 4, 5), (19, 59, 126, 0x3F), strict=True):
        rig.chip.set_reg(register, value)
    rig.run(3 * FRAME_OSC)
    seen = []
    for _ in range(24):
        rig.run(FRAME_OSC // 5 + 777)
        seen.append(rig.chip.light())
    np.testing.assert_allclose(np.ptp(seen, axis=0), 0, atol=0.012)


def test_dark_after_reset():
    """A chip that drives nothing is dark, also after it has shone."""
    assert not Rig().chip.light().any()
    rig = Rig(DISPLAY)
    for register, value in zip((2, 3, 4, 5), (1, 1, 1, 0x3F), strict=True):
        rig.chip.set_reg(register, value)
    rig.run(4 * FRAME_OSC)
    assert rig.chip.light().any()
    rig.chip.reset()
    rig.load("stop: rjmp stop", 0)
    rig.chip.pc = 0
    rig.run(3 * FRAME_OSC)
    assert not rig.chip.light().any()


def test_a_static_pin_shines_for_the_whole_frame():
    """A cathode held low by its port is light all the time: thirty periods instead of one."""
    rig = Rig()
    rig.set("DDRD", 0x40)
    rig.set("PORTD", 0)
    rig.set("DDRB", 0x40)
    rig.set("PORTB", 0x40)
    rig.run(3 * FRAME_OSC)
    light = rig.chip.light()
    assert light[0, 0] == pytest.approx(30 * 256 / 254, rel=0.01)
    light[0, 0] = 0
    assert not light.any()
