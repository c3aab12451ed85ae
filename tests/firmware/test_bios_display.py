"""The BIOS's display: five periods a pixel, six pixels a frame, 32 levels."""

from __future__ import annotations

import numpy as np
import pytest

from blinks_sim import Image, Table

from .bios_rig import COLORS, IDLE, PHASE, SHOW, booted, run_ms

COUNT_FRAMES = "here: call display_pixel_buffer\nadiw r24, 1\nsts 0x0300, r24\nsts 0x0301, r25\nrjmp here"
# Compare values of the 32 levels; light is (255 - value) / 254 of full.
OCR = [
    255,
    254,
    253,
    251,
    250,
    248,
    245,
    242,
    238,
    234,
    230,
    224,
    218,
    211,
    204,
    195,
    186,
    176,
    165,
    153,
    140,
]
OCR += [126, 111, 95, 78, 59, 40, 19, 13, 9, 3, 1]


def test_frame_rate() -> None:
    """The display shows 130.2 frames a second."""
    tile = booted(
        "here: call display_pixel_buffer\nlds r24, 0x0300\nlds r25, 0x0301\nadiw r24, 1\n"
        "sts 0x0300, r24\nsts 0x0301, r25\nrjmp here"
    )
    before = int.from_bytes(tile.read(0x300, 2), "little")
    run_ms(tile, 2000)
    frames = (int.from_bytes(tile.read(0x300, 2), "little") - before) & 0xFFFF
    assert frames / 2 == pytest.approx(130.2, abs=0.6)


@pytest.mark.parametrize("channel", [0, 1, 2], ids=["red", "green", "blue"])
def test_levels(channel: int) -> None:
    """Each level of each color gives the light of its compare value, on all faces, and no other color."""
    tile = booted(SHOW)
    for level, ocr in enumerate(OCR):
        color = level << 1 + 5 * channel
        tile.write(COLORS, color.to_bytes(2, "little") * 6)
        run_ms(tile, 8 * 4)
        light = tile.light()
        assert light[:, channel] == pytest.approx((255 - ocr) / 254, abs=0.002), level
        light[:, channel] = 0
        assert not light.any()


def test_faces_are_told_apart() -> None:
    """A color set on one face lights that face alone."""
    tile = booted(SHOW)
    for face in range(6):
        colors = bytearray(12)
        colors[2 * face : 2 * face + 2] = b"\xff\xff"
        tile.write(COLORS, bytes(colors))
        run_ms(tile, 8 * 4)
        wanted = np.zeros((6, 3))
        wanted[face] = 1
        assert tile.light() == pytest.approx(wanted, abs=0.002)


def test_frozen_display_does_not_hang_the_sketch() -> None:
    """A phase of 5 or more stops the display; a sketch that then shows colors still runs on."""
    tile = booted(SHOW)
    tile.write(PHASE, b"\x05")
    run_ms(tile, 20)
    tile.write(PHASE, b"\x09")
    before = tile.cycles
    run_ms(tile, 100)
    assert tile.read(PHASE) == b"\x09"
    assert tile.cycles - before == pytest.approx(100 * 8000, rel=0.01)


def test_idle_sketch_keeps_its_cycles() -> None:
    """The 128-µs handler leaves at least two thirds of all cycles to a sketch that is alone."""
    tile = booted("here: adiw r24, 1\nbrne here\nadiw r26, 1\nsts 0x0300, r26\nsts 0x0301, r27\nrjmp here")
    before = int.from_bytes(tile.read(0x300, 2), "little")
    run_ms(tile, 4000)
    rounds = (int.from_bytes(tile.read(0x300, 2), "little") - before) & 0xFFFF
    used = rounds * 65536 * 4 / (4000 * 8000)
    assert used > 2 / 3
    assert IDLE  # the sketch above is the busy twin of IDLE


def test_a_change_of_all_faces_shows_at_once() -> None:
    """A tile that blinks is lit or dark, never half: what is seen follows the display's own frames."""
    table = Table(seed=3)
    fracture = Image.load("fracture")
    tiles = [table.add(fracture, cell=cell, turn=0) for cell in ((0, 0), (1, 0), (0, 1))]
    table.run(1)
    tiles[1].click(3)
    tiles[2].click(3)
    tiles[2].click(3)
    seen = set()
    for _ in range(1500):
        table.run(0.001)
        seen |= {tile.color for tile in tiles}
    assert seen == {"RED", "BLUE", "YELLOW", "OFF"}
