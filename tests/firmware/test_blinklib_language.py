"""C++ as public sketches write it, Arduino's macros, and every name of the library together."""

from __future__ import annotations

from blinks_sim import Table

from .building import build_sketch, printed

LANGUAGE = """
#include <Arduino.h>
#include <avr/pgmspace.h>
#include <string.h>
#include "blinklib.h"
#include "Serial.h"

ServicePortSerial port;

enum class Mode : byte { IDLE, RUN };
enum Tool { ROCK, PAPER = 5 };
namespace game {
byte score;
Timer clock;
void add(byte points) { score += points; }
}
struct Bits { byte low : 3; byte high : 5; int whole; };
union Either { Bits bits; byte raw[sizeof(Bits)]; Timer timer; Color color; };
class Shape {
public:
    virtual ~Shape() {}
    virtual byte sides() const = 0;
};
class Hexagon : public Shape {
public:
    byte sides() const override { return FACE_COUNT; }
};
class Counted {
public:
    Counted() { ++made; }
    static byte made;
};
byte Counted::made;
Counted one, two;
Hexagon hexagon;
Shape *shape = &hexagon;
template <typename T> T twice(T value) { return value + value; }
const byte TABLE[] PROGMEM = {B0, B101, B11111111, B00001111};
Color palette[] = {RED, makeColorRGB(255, 128, 0), MAKECOLOR_5BIT_RGB(1, 2, 3)};
const Color STORED PROGMEM = CYAN;
ISR(TIMER1_COMPA_vect) { game::score = 0; }

static byte counted() {
    static byte calls = 10;
    return ++calls;
}

void setup() {
    port.begin();
    game::add(3);
    port.println(game::score);
    port.println(shape->sides());
    port.println(Counted::made);
    port.println(twice(21));
    port.println(counted() + counted());
    port.println(pgm_read_byte(&TABLE[1]) + pgm_read_byte(&TABLE[3]));
    Color stored = pgm_read_word(&STORED);
    port.println(stored == CYAN && stored != RED);
    port.println(palette[1].g);
    palette[0].g = 7;
    port.println(GET_5BIT_G(palette[0]));
    Either either;
    either.bits.low = game::score + 6;
    port.println(either.raw[0] & 7);
    port.println((byte)Mode::RUN + PAPER);
    byte noise = 250;
    noise += 10;
    port.println(noise);
    port.println(7 / 2);
    port.println(100.0 * sin(HALF_PI / 3));
    byte loaded;
    asm volatile("ldi %0, 42" : "=d"(loaded));
    port.println(loaded);
    port.println(min(3, 4) + max(3, 4) + abs(-5) + constrain(9, 1, 6));
    byte flags = 0;
    bitSet(flags, 3);
    bitWrite(flags, 0, 1);
    port.println(flags + bitRead(flags, 3) + bit(4));
    port.println(word(1, 2) + lowByte(0x1234) + highByte(0x1234));
    port.println(COUNT_OF(palette));
    port.println(sizeof(int) + sizeof(word) + sizeof(long) + sizeof(double) + sizeof(Color));
    port.println(F_CPU / 1000000);
    char text[8];
    itoa(-12, text, 10);
    port.println(text);
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    port.println(grid[1][2]);
    port.println("end");
}
void loop() {}
"""

EVERYTHING = """
#include "Serial.h"
ServicePortSerial port;
Timer timer;
void setup() {
    setColor(OFF); setColorOnFace(RED, 0); setFaceColor(1, GREEN);
    setColorOnFace(dim(ORANGE, 128), 2); setColorOnFace(lighten(BLUE, 128), 3);
    setColorOnFace(makeColorHSB(30, 200, MAX_BRIGHTNESS), 4);
    setColorOnFace(makeColorRGB(8 * (BRIGHTNESS_LEVELS_5BIT - 1), 0, 0), 5);
    port.begin();
    timer.set(200);
}
void loop() {
    setValueSentOnAllFaces(IR_DATA_VALUE_MAX);
    setValueSentOnFace(1, 2);
    FOREACH_FACE(f) {
        if (didValueOnFaceChange(f)) { port.print(getLastValueReceivedOnFace(f)); }
        if (isValueReceivedOnFaceExpired(f)) { continue; }
        if (isDatagramReadyOnFace(f)) {
            port.print(getDatagramOnFace(f)[getDatagramLengthOnFace(f) - 1]);
            markDatagramReadOnFace(f);
        }
        sendDatagramOnFace("hello, neighbors", IR_DATAGRAM_LEN, f);
    }
    if (buttonDown() || buttonPressed() || buttonReleased() || buttonSingleClicked() || buttonDoubleClicked()
        || buttonMultiClicked() || buttonLongPressed() || buttonLongLongPressed()) {
        port.print(buttonClickCount());
    }
    if (timer.isExpired()) {
        timer.set(map(random(10), 0, 10, 100, 200));
        timer.add(randomWord() & 7);
        port.print(timer.getRemaining() + sin8_C(millis()) + getSerialNumberByte(0) + SERIAL_NUMBER_LEN);
        port.print(getBlinkbiosVersion() + isMAXblink() + isNFCblink() + hasWoken() + isAlone());
        port.print(startState() == START_STATE_POWER_UP || startState() == START_STATE_WE_ARE_ROOT
                   || startState() == START_STATE_DOWNLOAD_SUCCESS);
        port.println(saveGameStat(&timer, sizeof timer));
    }
}
"""


def test_language() -> None:
    """Classes, templates, unions, constructors, floating point and inline assembly work as on a tile."""
    assert printed(LANGUAGE) == [
        *("3", "6", "2", "42", "23", "20", "1", "16", "7", "1", "6", "4", "3", "50.00", "42", "18", "26"),
        *("328", "3", "14", "8", "-12", "6"),
    ]


def test_every_name_compiles_and_runs() -> None:
    """A sketch that calls everything fits into a tile and runs, alone and with neighbors that run it too."""
    table = Table(seed=1)
    image = build_sketch(EVERYTHING)
    tiles = [table.add(image, cell=cell) for cell in [(0, 0), (1, 0), (0, 1)]]
    table.run(1.0)
    tiles[0].click(3)
    table.run(1.0)
    for tile in tiles:
        assert tile.fault is None
        assert len(tile.serial) > 20
        assert "115" in tile.serial  # a datagram's last byte, an s
        assert tile.faces.any(axis=1).all()
