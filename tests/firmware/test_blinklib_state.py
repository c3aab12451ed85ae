"""Button, time, chance, identity and the guard, as a sketch sees them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from blinks_sim import Image, Table

from .building import build_sketch, printed
from .lone import Lone

WDTCSR = 0x60


def clicks(seconds_down: float, table: Table) -> str:
    """Return what the demo of the button prints for one press of that length."""
    tile = table.tiles[0]
    before = len(tile.serial)
    tile.hold(seconds_down)
    table.run(0.5)
    return tile.serial[before:]


def test_button_events() -> None:
    """Press, release, single, double and multi click with their count arrive, each once."""
    table = Table(seed=1)
    tile = table.add(Image.load("clicks"))
    table.run(1.0)
    edge = "pressed\r\nreleased\r\n"
    for count, event in [(1, "single"), (2, "double"), (3, "multi 3"), (7, "multi 7")]:
        before = len(tile.serial)
        tile.click(count)
        table.run(0.1)
        assert tile.serial[before:] == edge * count + event + "\r\n"


def test_long_press() -> None:
    """A press of 1.2 s is a long one, once, and no click."""
    table = Table(seed=1)
    table.add(Image.load("clicks"))
    table.run(1.0)
    assert clicks(1.15, table) == "pressed\r\nreleased\r\n"
    assert clicks(2.5, table) == "pressed\r\nlong\r\nreleased\r\n"


def test_long_long_press_among_neighbors() -> None:
    """With a neighbor the 3-s flag comes with every loop from 3 s on."""
    table = Table(seed=1)
    tile = table.add(Image.load("clicks"))
    table.add(Image.load("hello"), cell=(1, 0))
    table.run(1.0)
    lines = clicks(4.0, table).splitlines()
    assert lines[:2] == ["pressed", "long"]
    assert "released" in lines[-2:]  # the loop that sees the release may see the flag once more
    assert set(lines[2:]) == {"long long", "released"}
    assert 50 < len(lines) < 150  # 74 to 114 loops a second
    assert tile.fault is None


def test_flags_wait_until_they_are_read() -> None:
    """Events of several loops are kept together until the sketch asks; asking clears them."""
    sketch = """
        #include "Serial.h"
        ServicePortSerial port;
        static Timer wait;
        void setup() { port.begin(); wait.set(2000); }
        void loop() {
            if (wait.isExpired()) {
                for (byte i = 0; i < 2; ++i) {
                    port.print(buttonPressed()); port.print(buttonReleased());
                    port.print(buttonSingleClicked());
                    port.print(buttonDoubleClicked()); port.print(buttonMultiClicked());
                    port.print(buttonLongPressed()); port.println(buttonLongLongPressed());
                }
                port.println(buttonClickCount());
                port.println(buttonDown());
                wait.never();
            }
        }
    """
    table = Table(seed=1)
    tile = table.add(build_sketch(sketch))
    table.run(0.8)
    tile.click(4)
    tile.click(1)
    table.run(1.0)
    assert tile.serial.splitlines() == ["1110100", "0000000", "4", "0"]


def test_timer() -> None:
    """A Timer expires after its target, not at it; add() extends and saturates; never() is the end."""
    sketch = """
        #include "Serial.h"
        ServicePortSerial port;
        Timer fresh, timer;
        static void show() {
            port.print(timer.isExpired()); port.print(' '); port.println(timer.getRemaining());
        }
        void setup() {
            port.begin();
            port.println(millis());
            port.println(fresh.isExpired());
        }
        void loop() {
            static byte loops;
            if (++loops > 1) { return; }
            port.println(fresh.isExpired());
            unsigned long before = millis();
            for (volatile word i = 0; i < 20000; ++i) {}
            port.println(millis() - before);
            timer.set(0); show();
            timer.set(100); show();
            timer.add(65535); show();
            timer.set(100000); show();
            timer.never(); port.println(timer.getRemaining() + millis()); port.println(timer.isExpired());
            timer.add(1); port.println(timer.getRemaining() + millis());
            timer.set(4294967294UL - millis()); timer.add(5); port.println(timer.getRemaining() + millis());
            port.println("end");
        }
    """
    assert printed(sketch) == [
        *("0", "0", "1", "0"),
        *("0 0", "0 100", "0 65635", "0 100000"),
        *("4294967295", "0", "4294967295", "4294967295"),
    ]


def test_timer_expires_strictly_after() -> None:
    """A Timer of 50 ms is found expired in the first loop more than 50 ms later."""
    sketch = """
        #include "Serial.h"
        ServicePortSerial port;
        Timer timer;
        static unsigned long start;
        void setup() { port.begin(); }
        void loop() {
            static byte rounds;
            if (rounds < 20 && timer.isExpired()) {
                if (start) { port.println(millis() - start); }
                start = millis();
                timer.set(50);
                if (++rounds == 20) { port.println("end"); }
            }
        }
    """
    waits = [int(line) for line in printed(sketch, 3.0)]
    assert len(waits) == 19
    assert min(waits) > 50
    assert max(waits) < 50 + 70  # a loop in which all faces send lasts longest


def test_change_is_told_once() -> None:
    """DidValueOnFaceChange tells each change once, and takes a first 0 for none."""
    sketch = """
        #include "Serial.h"
        ServicePortSerial port;
        void setup() { port.begin(); }
        void loop() {
            if (didValueOnFaceChange(1)) { port.println(getLastValueReceivedOnFace(1)); }
        }
    """
    lone = Lone(build_sketch(sketch))
    lone.start()
    for byte in (0x80, 0x07, 0x07, 0x80, 0x07):
        lone.receive(1, bytes([0x37, byte]))
        lone.run_ms(50)
    assert lone.text.splitlines() == ["7", "0", "7"]


def test_randomize() -> None:
    """After randomize() every tile draws differently, the same seed the same; the watchdog is off."""

    def drawn(seed: int) -> list[list[str]]:
        table = Table(seed=seed)
        tiles = [table.add(Image.load("randoms"), cell=(3 * n, 0)) for n in range(3)]
        table.run(1.6)
        assert [tile.read(WDTCSR)[0] & 0x48 for tile in tiles] == [0, 0, 0]
        return [tile.serial.splitlines() for tile in tiles]

    first = drawn(1)
    assert all(len(lines) == 20 for lines in first)
    assert len({tuple(lines[:10]) for lines in first}) == 1
    assert len({tuple(lines[10:]) for lines in first + drawn(2)}) == 6
    assert drawn(1) == first


def test_randomize_collects_32_bits() -> None:
    """Randomize takes a bit from each of 32 watchdog interrupts, 16 ms apart."""
    sketch = """
        #include "Serial.h"
        ServicePortSerial port;
        void setup() { port.begin(); port.print('<'); randomize(); port.print('>'); }
        void loop() {}
    """
    lone = Lone(build_sketch(sketch))
    marks = {}
    while lone.now_ms < 2000 and ">" not in marks:
        lone.run_ms(1)
        for character in lone.text:
            marks.setdefault(character, lone.now_ms)
    assert 32 * 16 * 0.9 < marks[">"] - marks["<"] < 34 * 16 * 1.1


def test_identity() -> None:
    """Serial number, BIOS version, start state and the features of newer tiles."""
    sketch = """
        #include "Serial.h"
        ServicePortSerial port;
        void setup() {
            port.begin();
            for (byte i = 0; i < SERIAL_NUMBER_LEN + 2; ++i) { port.println(getSerialNumberByte(i)); }
            port.println(getBlinkbiosVersion()); port.println(startState());
            port.print(isMAXblink()); port.print(isNFCblink()); port.print(hasWoken());
            port.println(saveGameStat(0, 0));
        }
        void loop() {}
    """
    lone = Lone(build_sketch(sketch), serial=bytes(range(241, 250)))
    lone.start()
    assert lone.text.splitlines() == [*map(str, range(241, 250)), "0", "0", "2", "0", "0002"]


def test_colors_take_effect_after_the_loop() -> None:
    """What loop() sets is shown when it has returned, face by face in both orders of arguments."""
    sketch = """
        void setup() { setColor(BLUE); setColorOnFace(RED, 1); setFaceColor(2, GREEN); }
        void loop() {
            if (buttonPressed()) {
                setColor(WHITE);
                for (volatile unsigned long i = 0; i < 60000; ++i) {}   // some 200 ms
            }
        }
    """
    lone = Lone(build_sketch(sketch))
    lone.start()
    blue, red, green = [0, 0, 1], [1, 0, 0], [0, 1, 0]
    expected = [blue, red, green, blue, blue, blue]
    assert lone.chip.light().round(1).tolist() == expected
    lone.press(60)
    lone.run_ms(40)
    assert lone.chip.light().round(1).tolist() == expected
    lone.run_ms(400)
    assert lone.chip.light().round(1).tolist() == [[1, 1, 1]] * 6


def test_stack_overflow() -> None:
    """A stack that eats the guard ends in abend(4): four red blinks, a pause, again; a press restarts it."""
    table = Table(seed=1, skew_ppm=0)
    tile = table.add(Image.load("overflow"))
    table.run(1.0)
    assert tile.color == "GREEN"
    tile.click()
    colors = []
    for _ in range(700):
        table.run(0.01)
        colors.append("RED" if tile.color == "RED" else "OFF")
    changes = [n for n, (a, b) in enumerate(pairwise(colors)) if a != b]
    gaps = [later - earlier for earlier, later in pairwise(changes)]
    pause = next(n for n, gap in enumerate(gaps) if gap > 100)
    cycle = gaps[pause : pause + 9]
    assert cycle[0] == pytest.approx(202, abs=4)  # 184 ms dark after the last blink, then 1.84 s
    assert cycle[1:8] == pytest.approx([18.4] * 7, abs=3)
    assert cycle[8] == pytest.approx(202, abs=4)
    tile.press()
    table.run(0.1)
    tile.release()
    table.run(1.5)
    assert tile.color == "GREEN"
