"""What lies where: functions in flash and variables in RAM, from symbols."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from ..image import BIOS, BOOT, FLASH_BYTES, Image, bundled
from ..variables.dwarf import Inlined, read_inlined, read_variables
from ..variables.mangled import readable

RAM_START, RAM_END = 0x0100, 0x0500
SHARED_END = 0x027E  # below it lie the blocks that sketch and BIOS share

_RAM = 0x80_0000
_FLASH_KINDS = ("STT_FUNC", "STT_NOTYPE", "STT_OBJECT")
_LINKERS_OWN = re.compile(r"__.*_(start|end)|_etext|_end|__start|\..*")


@dataclass(frozen=True, slots=True)
class Place:
    """Name a range of memory; `kind` is "code", "data", "bios", "shared" or "free"."""

    name: str
    start: int
    size: int
    kind: str


def flash_places(image: Image) -> list[Place]:
    """Return functions and data of an image's sketch, and functions of its BIOS, by address.

    Ranges with an end that no symbol tells reach to the next one. Without symbols there is one for each part.
    """
    sketch_bytes = image.sketch_bytes
    symbols = _symbols(image)
    found = []
    labels: list[tuple[int, str]] = []
    for name, address, size, kind in symbols:
        if address >= min(sketch_bytes or FLASH_BYTES, BIOS) or kind not in _FLASH_KINDS:
            continue
        if size:
            found.append(Place(readable(name), address, size, "data" if kind == "STT_OBJECT" else "code"))
        elif not _LINKERS_OWN.fullmatch(name):
            labels.append((address, name))
    if sketch_bytes:
        labels.append((0, f"{image.name} (no symbol)" if symbols else image.name))
        found += [Place(each.name, *piece, "code") for each in _inlined(image) for piece in each.pieces]
        found = _filled([*found, *_initial_values(image)], labels, sketch_bytes, "code")
    return [*found, *_bios_places(image)]


def function_entries(image: Image) -> dict[str, list[int]]:
    """Return the addresses at which the functions of an image's sketch begin: several, put into others."""
    entries: dict[str, list[int]] = {}
    for name, address, _, kind in _symbols(image):
        if kind == "STT_FUNC":
            entries.setdefault(readable(name), []).append(address)
    for each in _inlined(image):
        entries.setdefault(each.name, []).append(each.entry)
    return entries


def _inlined(image: Image) -> list[Inlined]:
    return [] if image.elf is None else read_inlined(image.elf)


def _initial_values(image: Image) -> list[Place]:
    """Return where the initial values of variables lie in flash."""
    if image.elf is None:
        return []
    return [
        Place("initial values of variables", segment["p_paddr"], segment["p_filesz"], "data")
        for segment in ELFFile(io.BytesIO(image.elf)).iter_segments("PT_LOAD")
        if segment["p_vaddr"] >= _RAM and segment["p_filesz"]
    ]


def ram_places(image: Image) -> list[Place]:
    """Return an image's variables, the blocks shared with the BIOS, and what is left, by address."""
    known = read_variables(image.elf) if image.elf is not None else []
    names = {each.address: each.name for each in known}
    found = [
        Place(names.get(address) or readable(name), address - _RAM, size, "data")
        for name, address, size, kind in _symbols(image)
        if kind == "STT_OBJECT" and _RAM + SHARED_END <= address < _RAM + RAM_END and size
    ]
    end = data_end(image)
    return [
        Place("shared with the BIOS", RAM_START, SHARED_END - RAM_START, "shared"),
        *_filled(found, [(SHARED_END, "constants and strings")], end, "data"),
        Place("free, for the stack", end, RAM_END - end, "free"),
    ]


def data_end(image: Image) -> int:
    """Return the address in RAM behind a sketch's variables."""
    end = max((image.symbols.get(name, 0) for name in ("_end", "__bss_end", "__heap_start")), default=0)
    return end - _RAM if end > _RAM else SHARED_END


def _symbols(image: Image) -> list[tuple[str, int, int, str]]:
    """Return name, address, size and kind of an image's symbols, big ones first where they overlap."""
    if image.elf is None:
        return []
    found = []
    for section in ELFFile(io.BytesIO(image.elf)).iter_sections("SHT_SYMTAB"):
        if isinstance(section, SymbolTableSection):
            found += [
                (each.name, each["st_value"], each["st_size"], each["st_info"]["type"])
                for each in section.iter_symbols()
                if each.name and each["st_shndx"] not in ("SHN_UNDEF", "SHN_ABS")
            ]
    return sorted(found, key=lambda each: -each[2])


def _bios_places(image: Image) -> list[Place]:
    path = bundled().get("bios")
    labels: list[tuple[int, str]] = []
    if path is not None and path.with_suffix(".sym").exists():
        known = Image.load("bios", bios="none")
        if known.flash[BIOS:] == image.flash[BIOS:]:
            for line in path.with_suffix(".sym").read_text(encoding="ascii").splitlines():
                address, _, name = line.partition(" ")
                labels.append((int(address, 16), f"BIOS {name}"))
    if not labels:
        labels = [(BIOS, "BIOS"), (BOOT, "BIOS, boot section")]
    return _filled([], labels, FLASH_BYTES, "bios")


def _filled(found: list[Place], labels: list[tuple[int, str]], end: int, kind: str) -> list[Place]:
    """Return places by address without gaps or overlaps: labels name what no place with a size covers."""
    owner: dict[int, tuple[str, str]] = {}
    for (address, name), (following, _) in zip(
        ordered := sorted(labels), [*ordered[1:], (end, "")], strict=True
    ):
        owner.update((at, (name, kind)) for at in range(address, following))
    for place in found:
        owner.update((at, (place.name, place.kind)) for at in range(place.start, place.start + place.size))
    places: list[Place] = []
    for at in sorted(at for at in owner if at < end):
        name, which = owner[at]
        last = places[-1] if places else None
        if last is not None and (last.name, last.start + last.size) == (name, at):
            places[-1] = Place(name, last.start, last.size + 1, which)
        else:
            places.append(Place(name, at, 1, which))
    return places
