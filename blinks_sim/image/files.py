"""Firmware files: what an Intel HEX or ELF file puts where in flash."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from intelhex import (  # type: ignore[import-untyped]
    AddressOverlapError,
    HexReaderError,
    IntelHex,
    RecordChecksumError,
)

from ..errors import ImageError

ERASED = 0xFF
AGAIN = "build or download it again"
PART = "atmega168pb"

# The same core, flash, RAM and registers under other names.
_PARTS = (PART, "atmega168", "atmega168a", "atmega168p", "atmega168pa")
_AVR5 = 5  # the part's architecture, in the low 7 bits of e_flags
_NOT_FLASH = 0x80_0000  # the tool chain puts RAM from here on, then EEPROM and fuses
_DEVICE_NOTE = ".note.gnu.avr.deviceinfo"
_QUOTED = 44  # characters: a record of 16 data bytes


@dataclass(frozen=True, slots=True)
class Content:
    """Give a file's bytes that are not erased by address (maybe beyond flash), and addresses by symbol."""

    flash: dict[int, int]
    symbols: dict[str, int] = field(default_factory=dict)


def read_bytes(path: Path) -> bytes:
    """Return a file's bytes.

    Raises:
        ImageError: the system does not give them.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path}: cannot read it ({error.strerror}); name a .hex or .elf file") from error


def parse(data: bytes, name: str) -> Content:
    """Return what the bytes of a HEX or ELF file hold; `name` goes into messages.

    Raises:
        ImageError: neither format, damaged, for another machine or part, or without data for flash.
    """
    if data.startswith(b"\x7fELF"):
        content = _parse_elf(data, name)
    elif data.lstrip().startswith(b":"):
        content = _parse_hex(data, name)
    elif not data.strip():
        raise ImageError(f"{name}: empty file; {AGAIN}")
    else:
        start = data[:12].decode("ascii", "replace")
        raise ImageError(
            f"{name}: starts with {start!r}, neither Intel HEX nor ELF; name a .hex or .elf file"
        )
    used = {address: byte for address, byte in content.flash.items() if byte != ERASED}
    if not used:
        raise ImageError(f"{name}: holds no data for flash; {AGAIN}")
    return Content(used, content.symbols)


def _parse_hex(data: bytes, name: str) -> Content:
    lines = [line.strip() for line in data.decode("ascii", "replace").splitlines()]

    def damage(number: int, what: str) -> ImageError:
        record = lines[number - 1]
        quoted = record if len(record) <= _QUOTED else f"{record[:_QUOTED]}…"
        return ImageError(f"{name}:{number}: {what} {quoted!r}; {AGAIN}")

    file = IntelHex()
    try:
        file.loadhex(io.StringIO("\n".join(lines)))
    except AddressOverlapError as error:
        raise damage(error.line, f"address 0x{error.address:04X} is given twice, again in") from error
    except RecordChecksumError as error:
        raise damage(error.line, "wrong checksum in") from error
    except HexReaderError as error:
        at_end = not any(lines[error.line :])
        raise damage(error.line, "truncated in" if at_end else "no record of Intel HEX:") from error
    if not any(line.startswith(":00") and line[7:9] == "01" for line in lines):
        raise damage(
            max(n for n, line in enumerate(lines, start=1) if line), "truncated, no end record after"
        )
    return Content({address: file[address] for address in file.addresses()})


def _parse_elf(data: bytes, name: str) -> Content:
    try:
        elf = ELFFile(io.BytesIO(data))
        machine = elf["e_machine"]
        if machine != "EM_AVR":
            raise ImageError(f"{name}: ELF for machine {str(machine)!r}, not for AVR; build it for {PART}")
        part = _part_of(elf)
        architecture = elf["e_flags"] & 0x7F
        if part is not None and part not in _PARTS:
            raise ImageError(f"{name}: ELF for part {part!r}; build it for {PART}")
        if architecture != _AVR5:
            raise ImageError(
                f"{name}: ELF for architecture 'avr{architecture}', not 'avr5'; build it for {PART}"
            )
        return Content(_loaded(elf, name), _symbols(elf))
    except ELFError as error:
        raise ImageError(f"{name}: damaged ELF ({error}); {AGAIN}") from error


def _part_of(elf: ELFFile) -> str | None:
    """Return the part named in the note that avr-gcc adds, or None without one."""
    section = elf.get_section_by_name(_DEVICE_NOTE)
    if section is None:
        return None
    # The note ends with a table of strings: an empty one, then the part's name.
    return str(section.data().rstrip(b"\0").rpartition(b"\0")[2].decode("ascii", "replace"))


def _loaded(elf: ELFFile, name: str) -> dict[int, int]:
    flash: dict[int, int] = {}
    for segment in elf.iter_segments("PT_LOAD"):
        start, size = segment["p_paddr"], segment["p_filesz"]
        if start >= _NOT_FLASH or size == 0:
            continue
        data = segment.data()
        if len(data) != size:
            raise ImageError(
                f"{name}: truncated ELF: 0x{start:04X} has {len(data):,} of {size:,} bytes; {AGAIN}"
            )
        for address, byte in enumerate(data, start):
            if address in flash:
                raise ImageError(f"{name}: address 0x{address:04X} is given twice; {AGAIN}")
            flash[address] = byte
    return flash


def _symbols(elf: ELFFile) -> dict[str, int]:
    """Return the addresses of named places; of several places with one name, a global one."""
    found: dict[str, int] = {}
    for section in elf.iter_sections("SHT_SYMTAB"):
        if not isinstance(section, SymbolTableSection):
            continue
        ordered = sorted(section.iter_symbols(), key=lambda symbol: symbol["st_info"]["bind"] == "STB_LOCAL")
        for symbol in ordered:
            nowhere = symbol["st_shndx"] in ("SHN_UNDEF", "SHN_ABS")
            if symbol.name and not nowhere and symbol["st_info"]["type"] not in ("STT_SECTION", "STT_FILE"):
                found.setdefault(symbol.name, symbol["st_value"])
    return found
