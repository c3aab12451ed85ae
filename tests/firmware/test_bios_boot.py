"""The BIOS's start: from reset to the sketch."""

from __future__ import annotations

import pytest

from .bios_rig import (
    BUILTIN,
    IDLE,
    IMAGE_BYTES,
    IMAGES,
    MILLIS,
    OWN,
    SLEEP_TIME,
    START_STATE,
    booted,
    chip,
    image,
    run_ms,
    word,
)


def test_reset_to_sketch() -> None:
    """The sketch starts about 0.6 s after reset, with the stack at the top, r1 clear and interrupts on."""
    tile = chip(IDLE)
    while tile.pc >= BUILTIN:
        state = tile.save()
        run_ms(tile, 1)
    tile.restore(state)
    while tile.pc >= BUILTIN:
        tile.step()
    assert tile.osc == pytest.approx(0.6 * 8_000_000, rel=0.05)
    assert (tile.pc, tile.sp, tile.reg(1), tile.sreg & 0x80) == (0, 0x04FF, 0, 0x80)
    assert word(tile, MILLIS, 4) == 0 and word(tile, SLEEP_TIME, 4) == 660_000
    assert tile.read(START_STATE) == b"\0"


def test_builtin_image_becomes_the_active_one() -> None:
    """Each reset copies the whole built-in image, whatever the active area held."""
    tile = chip(IDLE)
    wanted = image(IDLE)[:2] + bytes(range(256)) * 23
    tile.load_flash(wanted[:IMAGE_BYTES], BUILTIN)
    tile.load_flash(bytes(IMAGE_BYTES), 0)
    run_ms(tile, 700)
    assert tile.flash(0, IMAGE_BYTES) == wanted[:IMAGE_BYTES]


def test_only_shared_ram_is_cleared() -> None:
    """A restart leaves the sketch's own RAM alone, up to where the stack was."""
    tile = booted(IDLE)
    tile.write(OWN, bytes([0xA5]) * 512)
    tile.reset()
    run_ms(tile, 700)
    assert tile.read(OWN, 512) == bytes([0xA5]) * 512


def test_dark_until_the_sketch_draws() -> None:
    """No pixel lights before the sketch has shown a color."""
    tile = chip(IDLE)
    for _ in range(100):
        run_ms(tile, 8)
        assert not tile.light().any()


def test_time_runs() -> None:
    """Milliseconds are those of the chip's own clock."""
    tile = booted(IDLE)
    before = word(tile, MILLIS, 4)
    run_ms(tile, 1000)
    assert word(tile, MILLIS, 4) - before == pytest.approx(1000, abs=1)


def test_version() -> None:
    """The BIOS says that it speaks as version 2 does."""
    tile = booted("call version\nsts 0x0300, r24\nhere: rjmp here")
    assert tile.read(0x300) == b"\x02"


def test_flash_page_writer() -> None:
    """A sketch may fill the page buffer from the boot section and have a page written."""
    tile = booted("ldi r24, 45\ncall write_flash_page\nldi r24, 1\nsts 0x0300, r24\nhere: rjmp here")
    assert tile.read(0x300) == b"\x01"
    assert tile.flash(45 * 128, 128) == b"\xff" * 128


def test_image_lies_in_its_place() -> None:
    """The BIOS occupies 0x2E00–0x3FFF and nothing else."""
    text = (IMAGES / "bios.hex").read_text(encoding="ascii")
    starts = [int(line[3:7], 16) for line in text.splitlines() if line[7:9] == "00"]
    assert min(starts) == 0x2E00 and max(starts) < 0x4000
