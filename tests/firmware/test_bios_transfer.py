"""The viral transfer of a game: root, downloader, relay, and how it fails."""

from __future__ import annotations

import pytest

from blinks_sim.core import Chip, ChipTable

from .bios_rig import (
    BUILTIN,
    COLORS,
    DOWNLOADING,
    IDLE,
    IMAGE_BYTES,
    QUANTA_PER_MS,
    SHOW,
    START_STATE,
    booted,
    chip,
    image,
    pair,
    run_ms,
    word,
)

# Wait for an order in 0x02F0, then offer the game.
ROOT = "here: lds r24, 0x02F0\ntst r24\nbreq here\nclr r24\nsts 0x02F0, r24\ncall bootloader_seed"
GAME = image(ROOT)[:64] + bytes((7 * n + n // 256) & 0xFF for n in range(IMAGE_BYTES - 64))


def _seconds(table: ChipTable, seconds: float) -> None:
    table.run(round(seconds * 1000 * QUANTA_PER_MS))


def _until_started(table: ChipTable, tiles: list[Chip], limit_s: float) -> float:
    """Run until all these tiles have started the game; return the seconds it took."""
    took = 0.0
    while any(tile.read(START_STATE) == b"\0" for tile in tiles):
        assert took < limit_s, f"no game within {limit_s} s"
        _seconds(table, 0.1)
        took += 0.1
    return took


def _reds(table: ChipTable, tile: Chip, seconds: float) -> int:
    """Count red blinks."""
    reds, before = 0, False
    for _ in range(round(seconds / 0.0077)):
        _seconds(table, 0.0077)
        red = bool(tile.light()[:, 0].min() > 0.5)
        reds += red and not before
        before = red
    return reds


def test_game_spreads_to_a_neighbor() -> None:
    """A neighbor gets the whole image, byte for byte, and both start it within 25 s."""
    root, other = chip(GAME), chip(IDLE)
    table = pair(root, other)
    _seconds(table, 1)
    root.write(0x2F0, b"\x01")
    _until_started(table, [root, other], 25)
    assert other.flash(0, IMAGE_BYTES) == GAME == root.flash(0, IMAGE_BYTES)
    assert (root.read(START_STATE), other.read(START_STATE)) == (b"\x01", b"\x02")
    assert other.flash(BUILTIN, IMAGE_BYTES) == image(IDLE)


def test_game_travels_along_a_chain() -> None:
    """The middle tile of three relays the game to the third; all run the same bytes, clocks 2 % apart."""
    tiles = [chip(GAME), chip(SHOW, skew_ppm=10_000), chip(IDLE, skew_ppm=-10_000)]
    table = ChipTable()
    slots = [table.add(tile) for tile in tiles]
    table.set_contacts([(slots[0], 1, slots[1], 4), (slots[1], 2, slots[2], 5)])
    _seconds(table, 1)
    tiles[0].write(0x2F0, b"\x01")
    _until_started(table, tiles, 60)
    assert [tile.flash(0, IMAGE_BYTES) for tile in tiles] == [GAME] * 3
    assert [tile.read(START_STATE)[0] for tile in tiles] == [1, 2, 2]


def test_lone_root_starts_its_game() -> None:
    """With nobody there a root gives up after about 11 s and starts its game with state 1."""
    root = booted(GAME)
    root.write(0x2F0, b"\x01")
    took = 0
    while root.read(START_STATE) == b"\0":
        run_ms(root, 100)
        took += 100
        assert took < 15_000
    assert took == pytest.approx(11_000, abs=1200)


def test_press_ends_the_offer() -> None:
    """A press makes the root start its game at once."""
    root = booted(GAME)
    root.write(0x2F0, b"\x01")
    run_ms(root, 1500)
    assert root.read(START_STATE) == b"\0"
    root.press()
    run_ms(root, 400)
    assert root.read(START_STATE) == b"\x01"
    assert root.read(DOWNLOADING) == b"\0"


def test_seed_takes_over_a_running_sketch() -> None:
    """A tile drops its sketch at the first SEED and asks for piece after piece."""
    root, other = chip(GAME), chip(SHOW)
    table = pair(root, other, 2, 5)
    _seconds(table, 1)
    root.write(0x2F0, b"\x01")
    _seconds(table, 2)
    assert other.read(DOWNLOADING) == b"\x01"
    assert other.flash(0, 128) == GAME[:128]


def test_seed_ends_abend() -> None:
    """A tile that blinks an error still takes a game."""
    root, other = chip(GAME), chip("ldi r24, 3\ncall abend\nhere: rjmp here")
    table = pair(root, other)
    _seconds(table, 1)
    root.write(0x2F0, b"\x01")
    _until_started(table, [root, other], 25)
    assert other.flash(0, IMAGE_BYTES) == GAME


def test_everybody_around_gets_the_game() -> None:
    """A root and its six neighbors, who also touch each other, end with the same bytes."""
    tiles = [chip(GAME)] + [chip(SHOW, skew_ppm=3000 * n - 9000) for n in range(6)]
    table = ChipTable()
    slots = [table.add(tile) for tile in tiles]
    spokes = [(slots[0], n, slots[n + 1], (n + 3) % 6) for n in range(6)]
    rim = [(slots[n + 1], (n + 2) % 6, slots[(n + 1) % 6 + 1], (n + 5) % 6) for n in range(6)]
    table.set_contacts(spokes + rim)
    _seconds(table, 1)
    tiles[0].write(0x2F0, b"\x01")
    _until_started(table, tiles, 60)
    assert [tile.flash(0, IMAGE_BYTES) for tile in tiles] == [GAME] * 7


def test_colors_tell_the_progress() -> None:
    """Faces show blue 31 where a game is offered, blue by piece where it flows, green once complete."""
    root, other = chip(GAME), chip(SHOW)
    table = pair(root, other, 0, 3)
    _seconds(table, 1)
    root.write(0x2F0, b"\x01")
    given: set[int] = set()
    taken: set[int] = set()
    while root.read(START_STATE) == b"\0":
        _seconds(table, 0.01)
        given.add(word(root, COLORS))
        taken.add(word(other, COLORS + 2 * 3))
    flowing = {4 * piece << 11 for piece in range(8)}
    assert given == {0, 31 << 11, 31 << 6} | flowing
    assert taken - {0} == flowing - {0} | {15 << 6}


def test_spoiled_image_is_not_started() -> None:
    """A downloader whose flash does not add up to the sum it was promised ends in abend."""
    root, other = chip(GAME), chip(SHOW)
    table = pair(root, other)
    _seconds(table, 1)
    root.write(0x2F0, b"\x01")
    _seconds(table, 5)
    other.load_flash(b"\x00\x01\x02\x03", 0x200)
    while root.read(START_STATE) == b"\0":
        _seconds(table, 0.1)
    assert _reds(table, other, 4.6) in (4, 5, 6)  # a round takes 3 × 0.37 + 1.84 s
    assert other.read(START_STATE) == b"\0"


def test_cut_download_ends_in_abend() -> None:
    """A downloader that loses its source waits; a press then ends in three red blinks."""
    root, other = chip(GAME), chip(SHOW)
    table = pair(root, other)
    _seconds(table, 1)
    root.write(0x2F0, b"\x01")
    _seconds(table, 2)
    table.set_contacts([])
    _seconds(table, 2)
    assert other.read(DOWNLOADING) == b"\x01"
    other.press()
    _seconds(table, 0.06)
    other.release()
    assert _reds(table, other, 4.6) in (4, 5, 6)  # a round takes 3 × 0.37 + 1.84 s
    assert other.fault is None
