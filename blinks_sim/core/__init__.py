"""The only door to the compiled core: chips and tables of chips over a plain shared library.

A `Chip` is one ATmega168PB with its board. Alone it is stepped and run by hand, as tests do; laid on a
`ChipTable` it runs with the others and light passes between them. The GIL is free while either runs.
"""

from __future__ import annotations

from .chip import (
    EVENT,
    MAX_SKEW_PPM,
    SHIPPED_FUSES,
    Chip,
    CodeCount,
    Fault,
    FaultKind,
    ResetCause,
    Sleep,
    Status,
    Watch,
)
from .chips import ChipTable
from .library import EEPROM_BYTES, FACES, FLASH_BYTES, FRAME_OSC, QUANTUM_PS, ffi, lib, library_path

__all__ = [
    "EEPROM_BYTES",
    "EVENT",
    "FACES",
    "FLASH_BYTES",
    "FRAME_OSC",
    "MAX_SKEW_PPM",
    "QUANTUM_PS",
    "SHIPPED_FUSES",
    "Chip",
    "ChipTable",
    "CodeCount",
    "Fault",
    "FaultKind",
    "ResetCause",
    "Sleep",
    "Status",
    "Watch",
    "chip_bytes",
    "decode_name",
    "decode_words",
    "dispatch",
    "library_path",
]


def chip_bytes() -> int:
    """Return the memory that one chip takes, in bytes."""
    return int(lib.bc_tile_bytes())


def decode_name(word: int) -> str | None:
    """Return the name of the instruction in a program word (such as "ADD"), or None for an illegal one."""
    name = lib.bc_decode_name(word)
    return None if name == ffi.NULL else bytes(ffi.string(name)).decode()


def decode_words(word: int) -> int:
    """Return how many words the instruction has that a program word begins; 0 for an illegal one."""
    return int(lib.bc_decode_words(word))


def dispatch() -> str:
    """Return how the core was built to dispatch instructions: "goto" or "switch"."""
    return bytes(ffi.string(lib.bc_dispatch())).decode()
