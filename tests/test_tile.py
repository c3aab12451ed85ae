"""A tile as a person meets it."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from blinks_sim import Image, Table
from blinks_sim.errors import TableError

from .programs import CHATTER, ECHO, FAULTY, IDLE, LAMP, TALKER

BOOT_S = 1.0


@pytest.fixture
def table() -> Table:
    return Table(seed=1, skew_ppm=0)


def test_a_tile_lies_where_it_was_put(table: Table):
    """Cell and turn are those it was added with, and neither once it lies askew."""
    tile = table.add(IDLE, cell=(2, -1), turn=4)
    assert (tile.cell, tile.turn) == ((2, -1), 4)
    table.move([tile], pose=tile.pose.moved(0.3, 0.0, 10.0))
    assert (tile.cell, tile.turn) == (None, None)


def test_neighbors_are_by_face(table: Table):
    """Each face tells which tile it touches, from both sides, turned tiles included."""
    tile = table.add(IDLE, cell=(0, 0))
    north = table.add(IDLE, cell=(0, -1), turn=1)
    assert tile.neighbors == [north, None, None, None, None, None]
    assert north.neighbors == [None, None, tile, None, None, None]


def test_a_fault_is_text_with_the_nearest_symbol(table: Table):
    """What went wrong, the word, the address, and the symbol before it where one is known."""
    symbols = MappingProxyType({"main": 0x3800, "later": 0x3900, "counter": 0x800100})
    plain = table.add(FAULTY)
    known = table.add(Image(FAULTY.flash, "faulty", symbols), cell=(3, 0))
    sound = table.add(IDLE, cell=(5, 0))
    table.run(0.01)
    assert plain.fault == "illegal opcode: word 0xffff at 0x3802"
    assert known.fault == "illegal opcode: word 0xffff at 0x3802 (main+2)"
    assert sound.fault is None


def test_the_others_play_on_after_a_fault(table: Table):
    """A fault stops its own tile alone; a reset starts it again."""
    faulty, other = table.add(FAULTY), table.add(IDLE, cell=(1, 0))
    table.run(0.01)
    stopped, before = faulty.chip.cycles, other.chip.cycles
    table.run(0.01)
    assert faulty.chip.cycles == stopped
    assert other.chip.cycles > before
    faulty.reset()
    assert faulty.fault is None


def test_serial_text_accumulates(table: Table):
    """Everything sent is kept, in order, however the run is cut; more than the chip's own buffer holds."""
    tile = table.add(TALKER)
    table.run(0.25)
    half = tile.serial
    table.run(0.25)
    assert tile.serial.startswith(half)
    assert len(tile.serial) == pytest.approx(50_000, rel=0.01)  # ten bits a byte at 1 Mbaud
    assert {tile.serial[i : i + 2] for i in range(0, len(tile.serial) - 1, 2)} == {"hi"}


def test_bytes_sent_to_a_tile_arrive(table: Table):
    """What is sent into the service port reaches the firmware, in order."""
    tile = table.add(ECHO)
    table.run(0.01)
    tile.send(b"hello, ")
    tile.send(b"tile")
    table.run(0.01)
    assert tile.serial == "hello, tile"


@pytest.mark.parametrize("baud", [0, -1, 8_000_001, 1 << 40])
def test_no_byte_comes_at_an_impossible_speed(table: Table, baud: int):
    """Speeds that no line has are refused, and nothing is under way then."""
    tile = table.add(ECHO)
    before = table.digest()
    with pytest.raises(TableError, match=f"cannot send at {baud} baud"):
        tile.send(b"x", baud)
    assert table.digest() == before


def test_memory_can_be_read_and_changed(table: Table):
    """RAM is read by address; changing it is recorded, and refused beyond its end."""
    tile = table.add(IDLE)
    tile.write(0x0200, b"abc")
    assert tile.read(0x0200, 3) == b"abc"
    assert len(table.record) == 2
    before = table.digest()
    with pytest.raises(TableError, match="tile 0: cannot write 2 bytes at 0x04ff"):
        tile.write(0x04FF, b"ab")
    for address in (-1, 0x0500, 1 << 40):
        with pytest.raises(TableError, match="cannot write"):
            tile.write(address, b"a")
        with pytest.raises(ValueError, match="cannot read"):
            tile.read(address)
    with pytest.raises(ValueError, match="cannot read -1 bytes"):
        tile.read(0x0200, -1)
    assert table.digest() == before, "what is refused leaves nothing behind"
    assert len(table.record) == 2


def test_the_battery_can_be_changed(table: Table):
    """The voltage is settable within what the part stands."""
    tile = table.add(IDLE, battery_mv=2900)
    assert tile.battery_mv == 2900
    tile.battery_mv = 2200
    assert tile.battery_mv == 2200
    with pytest.raises(TableError, match="-1 mV cannot be"):
        tile.battery_mv = -1


def test_a_removed_tile_says_so(table: Table):
    """Whatever is asked of a removed tile's chip names the tile and what to do; its text remains."""
    tile = table.add(TALKER)
    table.run(0.01)
    text = tile.serial
    table.remove(tile)
    for ask in (lambda: tile.faces, lambda: tile.millis, lambda: tile.fault, lambda: tile.read(0x100)):
        with pytest.raises(TableError, match="tile 0 was removed"):
            ask()
    with pytest.raises(TableError, match="there is no tile 0 on the table; it has none"):
        tile.press()
    assert tile.serial == text != ""


def test_another_image_can_be_flashed(table: Table):
    """A flashed tile runs its new image from the start."""
    tile = table.add(IDLE)
    table.run(0.01)
    tile.flash(TALKER)
    table.run(0.01)
    assert tile.image is TALKER
    assert tile.serial.startswith("hi")


def test_faces_are_light_and_have_a_color(table: Table):
    """Fracture starts red, and a triple click makes it blue."""
    tile = table.add(Image.load("fracture"))
    assert tile.color == "OFF"
    table.run(BOOT_S)
    assert tile.color == "RED"
    assert tile.faces.shape == (6, 3)
    assert np.allclose(tile.faces, [1.0, 0.0, 0.0], atol=0.02)
    tile.click(3)
    assert tile.color == "BLUE"
    assert tile.millis == pytest.approx((table.time_s - 0.6) * 1000, abs=200)


def test_the_clock_shows_zero_until_the_bios_starts_it(table: Table):
    """From the first moment on it only goes forward, and again after flashing."""
    fracture = Image.load("fracture")
    tile = table.add(fracture)
    for _ in range(2):
        assert tile.millis == 0
        last = 0
        for _ in range(40):
            table.run(0.02)
            assert last <= tile.millis < 500
            last = tile.millis
        assert last > 0
        tile.flash(fracture)


def test_differing_faces_have_no_one_color(table: Table):
    """While the faces differ there is no color of the tile."""
    tile = table.add(LAMP)
    table.run(0.05)
    assert tile.faces[0, 0] > 0.1
    assert not tile.faces[1:].any()
    assert tile.color is None


@pytest.mark.parametrize(("count", "word"), [(1, "single"), (2, "double"), (3, "multi 3"), (5, "multi 5")])
def test_clicks_are_counted_by_the_firmware(table: Table, count: int, word: str):
    """When `click` returns the sketch has been told how many clicks there were."""
    tile = table.add(Image.load("clicks"))
    table.run(BOOT_S)
    tile.click(count)
    lines = tile.serial.split("\r\n")
    assert lines.count("pressed") == lines.count("released") == count
    assert lines[-2:] == [word, ""]


def test_a_hold_is_pressed_as_long_as_it_lasts(table: Table):
    """Holding pushes the button down for its time and lets go."""
    tile = table.add(CHATTER)
    tile.hold(0.5)
    assert table.time_s == 0.5
    assert not tile.pressed
    assert [type(done.command).__name__ for done in table.record] == ["Add", "Press", "Release"]
