"""Serial text: Arduino's Print on the service port."""

from __future__ import annotations

import pytest

from blinks_sim import Table

from .building import build_sketch, printed

# A C++ expression, what print() of it writes.
PRINTED = [
    ('"text"', "text"),
    ('F("flash")', "flash"),
    ("'c'", "c"),
    ("(byte)65", "65"),
    ("(byte)65, HEX", "41"),
    ("true", "1"),
    ("-5", "-5"),
    ("-32768", "-32768"),
    ("65535u", "65535"),
    ("0", "0"),
    ("10, BIN", "1010"),
    ("64, OCT", "100"),
    ("48879u, HEX", "BEEF"),
    ("-1, HEX", "FFFFFFFF"),
    ("-2, BIN", "1" * 31 + "0"),
    ("65, 0", "A"),
    ("77L, 1", "77"),
    ("35, 36", "Z"),
    ("-2147483647L - 1", "-2147483648"),
    ("4294967295UL", "4294967295"),
    ("3.14159", "3.14"),
    ("-2.5", "-2.50"),
    ("1.999", "2.00"),
    ("0.0", "0.00"),
    ("2.5, 0", "3"),
    ("1.5, 4", "1.5000"),
    ("1.0f / 3, 5", "0.33333"),
    ("5e9", "ovf"),
    ("-5e9", "ovf"),
    ("(double)INFINITY", "inf"),
    ("(double)NAN", "nan"),
]

SKETCH = """
#include "Serial.h"
ServicePortSerial port;
void setup() {{ port.begin(); {body} port.println("end"); }}
void loop() {{}}
"""


@pytest.mark.parametrize("part", [PRINTED[:16], PRINTED[16:]])
def test_print_of_every_type(part: list[tuple[str, str]]) -> None:
    """Print and println write each type and base as Arduino does, and count the characters."""
    body = "".join(
        f"{{ word n = port.print({what}); n += port.println(); port.println(n); }} port.println({what});"
        for what, _ in part
    )
    expected = [line for _, text in part for line in (text, str(len(text) + 2), text)]
    assert printed(SKETCH.format(body=body)) == expected


def test_write_forms() -> None:
    """Write sends a byte, a text, or so many bytes as they are, and counts them."""
    body = """
        const byte raw[] = {'x', 'y', 'z'};
        word n = port.write((byte)'a') + port.write("bc") + port.write(raw, 2) + port.write("defg", 3);
        port.println(); port.println(n);
    """
    assert printed(SKETCH.format(body=body)) == ["abcxydef", "8"]


def test_flush_returns_after_the_last_byte() -> None:
    """Flush returns when the last byte has left: the 10 bits of one take 80 cycles, each time."""
    body = """
        for (byte i = 0; i < 3; ++i) {
            port.flush();   // at first there is nothing to wait for
            noInterrupts();
            TCCR1A = 0;
            TCCR1B = _BV(CS10);
            TCNT1 = 0;
            port.write((byte)'x');
            port.flush();
            word cycles = TCNT1;
            TCCR1B = 0;
            interrupts();
            port.println(cycles);
        }
    """
    lines = printed(SKETCH.format(body=body))
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("x")
        assert 80 <= int(line[1:]) < 120


@pytest.mark.parametrize("sent", [b"Q", bytes(range(256))])
def test_echo(sent: bytes) -> None:
    """What comes in at 1 Mbaud while the sketch listens is read byte for byte."""
    text = """
        #include "Serial.h"
        ServicePortSerial port;
        void setup() {
            port.begin();
            noInterrupts();   // a byte lasts 80 cycles, less than the BIOS's interrupts
            for (;;) { if (port.available()) { port.write(port.read()); } }
        }
        void loop() {}
    """
    table = Table(seed=1)
    tile = table.add(build_sketch(text))
    table.run(1.0)
    tile.send(sent)
    table.run(0.05)
    assert tile.serial.encode("latin-1") == sent
