"""A linked program: what it puts where."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile

_NOT_FLASH = 0x80_0000  # the tool chain puts RAM from here on


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
    """Return how many bytes of flash a program takes, and how many of RAM for its own data."""
    with elf.open("rb") as stream:
        size = {section.name: section["sh_size"] for section in ELFFile(stream).iter_sections()}
    return len(program_bytes(elf)), sum(size.get(name, 0) for name in (".data", ".bss", ".noinit"))
