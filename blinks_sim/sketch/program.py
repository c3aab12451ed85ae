"""A linked program: what it puts where."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

_NOT_FLASH = 0x80_0000  # the tool chain puts RAM from here on
_OWN_RAM = _NOT_FLASH + 0x027E  # behind the blocks that sketch and BIOS share


def program_bytes(elf: Path) -> bytes:
    """Return what a program puts into flash, from its lowest address on, gaps as erased flash."""
    with elf.open("rb") as stream:
        parts = {
            segment["p_paddr"]: segment.data()
            for segment in ELFFile(stream).iter_segments("PT_LOAD")
            if segment["p_filesz"] and segment["p_paddr"] < _NOT_FLASH
        }
    base = min(parts)
    content = bytearray(b"\xff" * (max(at + len(data) for at, data in parts.items()) - base))
    for at, data in parts.items():
        content[at - base : at - base + len(data)] = data
    return bytes(content)


def sizes(elf: Path) -> tuple[int, int]:
    """Return how many bytes of flash a program takes, and how many of RAM for its own data.

    A vendor's library has the blocks shared with the BIOS among its variables; only what lies behind counts.
    """
    with elf.open("rb") as stream:
        ends = [
            section["sh_addr"] + section["sh_size"]
            for section in ELFFile(stream).iter_sections()
            if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_addr"] >= _NOT_FLASH
        ]
    return len(program_bytes(elf)), max([_OWN_RAM, *ends]) - _OWN_RAM
