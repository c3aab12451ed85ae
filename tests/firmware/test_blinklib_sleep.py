"""Warm sleep: the packets against the recorded trace, a cluster together, what a sketch sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from blinks_sim import Image, Table

from .building import build_sketch
from .lone import Lone

TRACE = Path(__file__).parent / "traces" / "warm_sleep.csv"
PIXELS_AT, MILLIS_AT = 0x0100, 0x0131  # in the shared RAM
SLEEP, NO_OP = b"\x37\x15\x15", b"\x37\x33\x33"

# Green with red on face 2; says when it has woken, and how its time goes on.
SKETCH = """
#include "Serial.h"
ServicePortSerial port;
static unsigned long last;
void setup() { port.begin(); setColor(GREEN); setColorOnFace(RED, 2); }
void loop() {
    if (millis() - last > 700) { port.println("gap"); }
    last = millis();
    if (hasWoken()) { port.println("woken"); }
    if (buttonPressed()) { port.println("pressed"); }
}
"""


def _trace() -> list[tuple[float, int, bytes]]:
    rows = [line.split(",") for line in TRACE.read_text(encoding="utf-8").splitlines()]
    return [(float(r[0]), int(r[1]), bytes.fromhex(r[2])) for r in rows if r[0][:1].isdigit()]


def test_packets_of_a_lone_tile() -> None:
    """Held for 6.5 s, later pressed for 100 ms, a lone tile sends what was recorded, at the recorded pace."""
    lone = Lone(build_sketch(SKETCH))
    lone.start()
    pressed = lone.now_ms
    lone.press(6500)
    lone.run_ms(1000)
    assert not lone.chip.light().any()
    woken = lone.now_ms
    lone.press(100)
    lone.run_ms(600)

    # From 3 s to 6 s a light goes round and nothing is sent.
    silent = [packet for packet in lone.packets if pressed + 3060 < packet.end_ms < pressed + 6020]
    assert silent == []
    seen = [p for p in lone.packets if p.end_ms > pressed + 3060 and len(p.data) == 3]
    recorded = _trace()
    assert [(p.face, p.data) for p in seen] == [(face, data) for _, face, data in recorded]
    for message in (SLEEP, NO_OP):
        ours = [p.end_ms for p in seen if p.data == message]
        theirs = [at for at, _, data in recorded if data == message]
        assert len(ours) == 30
        drift = [(a - ours[0]) - (b - theirs[0]) for a, b in zip(ours, theirs, strict=True)]
        assert max(map(abs, drift)) < 1.0
    assert 6000 < seen[0].end_ms - pressed < 6080
    assert 8 < seen[30].end_ms - woken < 40


def test_what_the_sketch_sees() -> None:
    """The time asleep has not been, pixels are as before, and hasWoken() is true once."""
    lone = Lone(build_sketch(SKETCH))
    lone.start()
    before = lone.chip.light()
    assert lone.text == ""
    lone.press(6500)
    lone.run_ms(30_000)
    asleep_at = lone.now_ms
    lone.press(100)
    lone.run_ms(1000)
    assert (lone.chip.light() == before).all()
    # Held for 3 s, then the light of going to sleep; the press at the start was seen before that.
    assert lone.text.splitlines() == ["pressed", "gap", "woken", "pressed"]
    millis = int.from_bytes(lone.chip.read(MILLIS_AT, 4), "little")
    assert asleep_at - 30_000 < millis < asleep_at - 27_000


def test_blue_light_goes_round_while_held_alone() -> None:
    """From 3 s on a lone held tile shows one blue face after the other, a frame each."""
    lone = Lone(build_sketch(SKETCH))
    lone.start()
    lone.press(3100)
    lone.chip.press()
    shown = []
    for _ in range(12):
        lone.run_ms(7.68)
        colors = lone.chip.read(PIXELS_AT, 12)
        blue = [colors[2 * face + 1] >> 3 for face in range(6)]
        assert sorted(blue) == [0, 0, 0, 0, 0, 31]
        shown.append(blue.index(31))
    assert (lone.chip.light()[:, :2] == 0).all()
    assert shown == [(shown[0] + n) % 6 for n in range(12)]


def _cluster() -> tuple[Table, list]:
    table = Table(seed=5)
    image = build_sketch(SKETCH)
    tiles = [table.add(image, cell=cell) for cell in [(0, 0), (1, 0), (0, 1), (2, 0)]]
    table.run(1.5)
    return table, tiles


def test_a_cluster_sleeps_and_wakes_together() -> None:
    """Holding one tile darkens its cluster; a press on another wakes all, with their pixels as before."""
    table, tiles = _cluster()
    tiles[0].hold(6.2)
    table.run(3.0)
    assert [tile.color for tile in tiles] == ["OFF"] * 4
    dark_at = [tile.millis for tile in tiles]
    table.run(5.0)
    assert [tile.color for tile in tiles] == ["OFF"] * 4
    tiles[3].press()
    table.run(0.1)
    tiles[3].release()
    table.run(3.0)
    for tile, dark in zip(tiles, dark_at, strict=True):
        assert tile.faces[2].tolist() == pytest.approx([1, 0, 0], abs=0.02)
        assert tile.faces[0].tolist() == pytest.approx([0, 1, 0], abs=0.02)
        assert tile.serial.count("woken") == 1
        assert tile.millis < dark + 3100
        assert tile.fault is None


def test_a_value_wakes() -> None:
    """Any packet whose byte 1 is not the sleep byte wakes a sleeping tile."""
    lone = Lone(build_sketch(SKETCH))
    lone.start()
    lone.receive(4, SLEEP)
    lone.run_ms(2000)
    assert not lone.chip.light().any()
    lone.receive(1, SLEEP)
    lone.run_ms(700)
    assert not lone.chip.light().any()
    lone.receive(1, b"\x37\x80")
    lone.run_ms(1000)
    assert lone.text.splitlines() == ["woken"]


def test_ten_minutes_without_a_press() -> None:
    """Ten minutes after the last press the tile sleeps; just before it does not. Woken, it has ten more."""
    lone = Lone(build_sketch(SKETCH))
    lone.start()
    lone.run_ms(2500)
    lone.press(60)
    lone.run_ms(500)
    pressed_at = int.from_bytes(lone.chip.read(MILLIS_AT, 4), "little") - 560
    lone.chip.write(MILLIS_AT, (pressed_at + 599_000).to_bytes(4, "little"))
    lone.run_ms(900)
    assert lone.chip.light().any()
    lone.run_ms(1000)
    assert not lone.chip.light().any()
    lone.receive(0, NO_OP)
    lone.run_ms(3000)
    assert lone.chip.light().any()


@pytest.mark.long
def test_ten_minutes_in_full() -> None:
    """A pair with a press after five minutes sleeps fifteen minutes after the start, not before."""
    table = Table(seed=2, skew_ppm=0)
    tiles = [table.add(Image.load("hello"), cell=(q, 0)) for q in range(2)]
    table.run(300)
    tiles[0].click()
    table.run(595)
    assert all(tile.faces.any() for tile in tiles)
    table.run(10)
    assert not any(tile.faces.any() for tile in tiles)
