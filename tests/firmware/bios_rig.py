"""Chips running our BIOS with a few instructions for a sketch, and what they leave in the shared RAM."""

from __future__ import annotations

from pathlib import Path

from intelhex import IntelHex

from blinks_sim.core import Chip, ChipTable, ResetCause

from ..core.assembler import assemble

IMAGES = Path(__file__).parents[2] / "firmware" / "images"
OSC_PER_MS = 8000
QUANTA_PER_MS = 10
BUILTIN, IMAGE_BYTES = 0x1700, 0x1700

# The shared RAM, by the contract's addresses.
COLORS, BLANKING, RAW, PHASE, ENTROPY, START_STATE = 0x100, 0x10C, 0x10D, 0x126, 0x127, 0x128
MILLIS, SLEEP_TIME = 0x131, 0x136
DOWN, EVENTS, CLICK_COUNT, WOKE = 0x13E, 0x13F, 0x140, 0x141
FACE, FACE_STRIDE, DOWNLOADING = 0x14D, 50, 0x279
OWN = 0x27E  # the sketch's own RAM begins here

ENTRIES = {
    "send_packet": 0x3810,
    "display_pixel_buffer": 0x3820,
    "bootloader_seed": 0x3824,
    "postpone_sleep": 0x3828,
    "sleep_now": 0x3830,
    "write_flash_page": 0x3834,
    "version": 0x3838,
    "abend": 0x383C,
}

IDLE = "here: rjmp here"
SHOW = "here: call display_pixel_buffer\nrjmp here"

# Send `length` bytes from 0x0300 on the face in 0x02F0 whenever 0x02F1 is set; count the answers of the BIOS.
SENDER = """
here: lds r24, 0x02F1
tst r24
breq here
clr r24
sts 0x02F1, r24
lds r24, 0x02F0
lds r20, 0x02F2
ldi r22, 0x00
ldi r23, 0x03
call send_packet
sts 0x02F3, r24
lds r24, 0x02F4
inc r24
sts 0x02F4, r24
rjmp here
"""


def image(program: str) -> bytes:
    """Return a built-in image of 5,888 bytes from assembly; the BIOS's entry points are known by name."""
    code = assemble(program, **{name: address // 2 for name, address in ENTRIES.items()})
    return code.ljust(IMAGE_BYTES, b"\xff")


def chip(program: str | bytes, **config: int) -> Chip:
    """Return a chip just powered on, with our BIOS and a sketch: assembly, or the bytes of an image."""
    made = Chip(**config)
    bios = IntelHex(str(IMAGES / "bios.hex"))
    for start, end in bios.segments():
        made.load_flash(bios.tobinstr(start=start, end=end - 1), start)
    made.load_flash(image(program) if isinstance(program, str) else program, BUILTIN)
    made.reset(ResetCause.POWER_ON)
    made.write(OWN, bytes(0x500 - OWN))  # where these programs take their orders
    return made


def run_ms(tile: Chip, ms: float) -> None:
    """Run a lone chip."""
    tile.run_until_osc(tile.osc + round(ms * OSC_PER_MS))


def booted(program: str | bytes, **config: int) -> Chip:
    """Return a lone chip whose sketch is running."""
    made = chip(program, **config)
    run_ms(made, 700)
    assert made.fault is None
    assert made.read(MILLIS)[0] > 0
    return made


def pair(first: Chip, second: Chip, face: int = 0, other: int = 3) -> ChipTable:
    """Lay two chips against each other."""
    table = ChipTable()
    slots = table.add(first), table.add(second)
    table.set_contacts([(slots[0], face, slots[1], other)])
    return table


def word(tile: Chip, address: int, length: int = 2) -> int:
    """Return a number from a chip's memory."""
    return int.from_bytes(tile.read(address, length), "little")


def packet(tile: Chip, face: int) -> bytes | None:
    """Return the packet waiting on a face, header first, or None; the face can hear again."""
    at = FACE + FACE_STRIDE * face
    ready, _, length = tile.read(at, 3)
    if not ready:
        return None
    tile.write(at, b"\0")
    return tile.read(at + 3, length)


def send(tile: Chip, face: int, data: bytes) -> None:
    """Have a chip that runs SENDER send a packet of user data."""
    tile.write(0x300, data)
    tile.write(0x2F2, bytes([len(data)]))
    tile.write(0x2F0, bytes([face, 1]))
