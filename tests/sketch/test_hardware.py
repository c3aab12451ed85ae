"""Sketches that go past the library: BIOS entry points, shared RAM, bare hardware, and full to the brim."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from blinks_sim import Table
from blinks_sim.sketch import FLASH_BYTES, RAM_BYTES

from ..firmware.lone import Lone
from .making import PORT, errors, made, printed, running


def test_direct_calls_of_the_bios(tmp_path: Path):
    """A sketch may call the BIOS by address: its version, its display."""
    main = """
    typedef uint8_t (*Version)(); typedef void (*Show)();
    volatile word *const pixels = (volatile word *)0x0100;
    void setup() {
        port.begin(); port.println(((Version)(0x3838 / 2))()); port.println("end");
        pixels[0] = 31 << 1; pixels[3] = 31u << 11;
        ((Show)(0x3820 / 2))();
        for (;;) {}
    }
    void loop() {}"""
    tile = running(made(tmp_path, main_ino=PORT + main))
    assert tile.serial == "2\r\nend\r\n"
    lit = tile.faces > 0.5
    assert lit.tolist() == [[n == 0, False, n == 3] for n in range(6)]


def test_writes_to_the_shared_blocks(tmp_path: Path):
    """Colors written to the shared RAM show; a phase of 5 or more freezes the display as it was."""
    main = """
    void setup() { setColor(RED); }
    void loop() {
        if (millis() > 300) { *(volatile byte *)(0x0100 + 38) = 5; }
        else { FOREACH_FACE(f) { ((volatile word *)0x0100)[f] = 31 << 6; } }
    }"""
    table = Table(seed=1)
    tile = table.add(made(tmp_path, main_ino=main).image)
    table.run(0.7)
    assert tile.color == "GREEN"
    table.run(0.5)
    assert tile.fault is None
    assert sum(face.any() for face in tile.faces) <= 1, "a frozen display lights one face at most"


def test_a_sketch_that_never_returns_from_loop(tmp_path: Path):
    """With a loop of its own, a sketch still sees time go by and shows what it asks the BIOS to show."""
    main = """
    extern "C" void bios_display_pixel_buffer();
    volatile uint32_t *const now = (volatile uint32_t *)0x0131;
    void setup() {}
    void loop() {
        for (;;) { setColor(*now % 200 < 100 ? CYAN : MAGENTA); bios_display_pixel_buffer(); }
    }"""
    table = Table(seed=1)
    tile = table.add(made(tmp_path, main_ino=main).image)
    table.run(0.6)
    seen = set()
    for _ in range(20):
        table.run(0.02)
        seen.add(tile.color)
    assert tile.fault is None
    assert {"CYAN", "MAGENTA"} <= seen


def test_bare_timer1(tmp_path: Path):
    """Timer1 counts CPU cycles for a sketch that sets it up itself."""
    main = """
    void setup() {
        port.begin(); cli();
        TCCR1A = 0; TCCR1B = 0; TIMSK1 = 0; TCNT1 = 0; TCCR1B = 1 << CS11;
        for (byte n = 0; n < 250; n++) { asm volatile("nop"); }
        word took = TCNT1; TCCR1B = 0; sei();
        port.println(took > 120 && took < 260); port.println("end");
    }
    void loop() {}"""
    assert printed(made(tmp_path, main_ino=PORT + main)) == ["1"]


def test_bare_usart(tmp_path: Path):
    """USART0 sends for a sketch that sets it up itself."""
    main = """
    void put(byte b) { while (!(UCSR0A & 1 << UDRE0)) {} UDR0 = b; }
    void setup() {
        UCSR0A = 1 << U2X0; UBRR0 = 0; UCSR0B = 1 << TXEN0 | 1 << RXEN0;
        for (const char *c = "bare"; *c; c++) { put(*c); }
    }
    void loop() {}"""
    assert running(made(tmp_path, main_ino=main)).serial == "bare"


def test_bare_infrared(tmp_path: Path):
    """A sketch that drives the infrared pins itself sends pulses of light."""
    main = """
    void setup() {}
    void loop() {
        cli(); byte ddr = DDRB, port = PORTB, cathode = DDRC;
        for (byte n = 0; n < 5; n++) {
            PORTC &= ~1; DDRC |= 1; DDRB |= 1; PORTB |= 1; _delay_us(10); PORTB &= ~1; _delay_us(100);
        }
        DDRB = ddr; PORTB = port; DDRC = cathode; sei();
        for (;;) {}
    }"""
    lone = Lone(made(tmp_path, main_ino="#include <util/delay.h>\n" + main).image)
    lone.chip.run_until_osc(8000 * 1000)
    assert lone.chip.fault is None
    begins = [osc for osc, lit in lone.chip.pulses() if lit == 1]
    gaps = [after - before for before, after in pairwise(begins)]
    assert len(gaps) == 4
    assert gaps == [pytest.approx(110 * 8, abs=24)] * 4


FULL_FLASH = """
#include "big.h"
volatile word at;
void setup() { at = sizeof filler - 1; setColor(pgm_read_byte(&filler[at]) == 7 ? GREEN : RED); }
void loop() {}
"""


def filler(size: int) -> str:
    return f"const byte filler[{size}] PROGMEM = {{{'7, ' * size}}};\n"


def test_flash_full_to_the_last_byte(tmp_path: Path):
    """Exactly 5,888 bytes fit, with their last byte in use; more is an error that says by how much."""
    small = made(tmp_path, main_ino=FULL_FLASH, big_h=filler(1000))
    size = 1000 + FLASH_BYTES - small.flash_bytes
    full = made(tmp_path, main_ino=FULL_FLASH, big_h=filler(size))
    assert full.flash_bytes == FLASH_BYTES
    assert running(full, 1.0).color == "GREEN"
    assert errors(tmp_path, main_ino=FULL_FLASH, big_h=filler(size + 1)) == [
        "main.ino:1: error: the sketch does not fit: 5,890 bytes of flash, 2 more than its 5,888"
    ]


FULL_RAM = """
#include "big.h"
volatile word at;
void setup() { FOREACH_FACE(f) { filler[at + f] = f; } }
void loop() {
    byte sum = 0;
    for (at = 0; at < sizeof filler; at++) { filler[at]++; sum += filler[at]; }
    setColor(sum ? GREEN : BLUE);
}
"""


def test_ram_as_full_as_public_sketches_have_it(tmp_path: Path):
    """970 bytes in all run; data beyond the RAM there is is an error."""
    small = made(tmp_path, main_ino=FULL_RAM, big_h="byte filler[100];")
    full = made(tmp_path, main_ino=FULL_RAM, big_h=f"byte filler[{100 + 970 - small.ram_bytes}];")
    assert (full.ram_bytes, full.stack_bytes) == (970, RAM_BYTES - 970)
    assert running(full, 1.2).color in ("GREEN", "BLUE")
    assert errors(tmp_path, main_ino=FULL_RAM, big_h="byte filler[700];")[0].startswith(
        f"main.ino:1: error: the sketch does not fit: {small.ram_bytes - 382 + 600} bytes of RAM, "
    )


def test_symbols_name_variables(tmp_path: Path):
    """The image knows where the sketch's variables lie."""
    main = "volatile byte team = 3;\nvoid setup() { team = 5; }\nvoid loop() { team |= 8; }\n"
    built = made(tmp_path, main_ino=main)
    tile = running(built)
    assert tile.read(built.image.symbols["team"] - 0x800000) == bytes([13])
