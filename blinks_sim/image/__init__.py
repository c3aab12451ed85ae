"""Firmware images: a tile's whole flash, put together from a sketch and a BIOS.

Flash map (byte addresses): 0x0000–0x16FF active sketch, 0x1700–0x2DFF built-in sketch, which the BIOS
copies to the active area on every reset, 0x2E00–0x3FFF BIOS, entered at 0x3800. So a sketch is linked to
run at 0x0000 and lies at 0x1700. A byte of 0xFF is erased flash, in a file as in the tile.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from pathlib import Path

from intelhex import IntelHex  # type: ignore[import-untyped]

from ..errors import ImageError, did_you_mean
from .files import ERASED, parse, read_bytes

__all__ = ["ACTIVE", "BIOS", "BOOT", "BUILT_IN", "FLASH_BYTES", "SKETCH_BYTES", "Image", "bundled"]

FLASH_BYTES = 0x4000
SKETCH_BYTES = 0x1700
ACTIVE = 0x0000
BUILT_IN = 0x1700
BIOS = 0x2E00
BOOT = 0x3800

# Vectors that every BIOS has in use: reset, and the two that sample the infrared faces.
_BIOS_VECTORS = (0x3800, 0x381C, 0x3840)
_PACKAGE = Path(__file__).parents[1]
_SHELVES = (_PACKAGE / "firmware" / "images", _PACKAGE.parent / "firmware" / "images")


@dataclass(frozen=True, slots=True)
class Image:
    """Hold 16,384 bytes of flash, with the name they go by and the symbols known of them.

    `symbols` maps names to byte addresses as the tool chain gives them: flash from 0, RAM from 0x800000.
    `elf` is the ELF file it came from, if it did: whoever wants types and sizes reads them there. Equality
    and hash look at the flash alone.
    """

    flash: bytes = field(repr=False)
    name: str = field(default="image", compare=False)
    symbols: dict[str, int] = field(default_factory=dict, compare=False)
    elf: bytes | None = field(default=None, compare=False, repr=False)

    @classmethod
    def load(cls, source: str | Path, bios: str | Path | None = None) -> Image:
        """Return the image of a bundled name, or of an Intel HEX or ELF file.

        A sketch at 0x0000 is moved to where the BIOS expects it, 0x1700. A file that holds a BIOS keeps it,
        others get the bundled one. `bios` names another to use in any case: of that file only 0x2E00–0x3FFF
        counts. With "none" the content is taken as it is. What an ELF holds for EEPROM or fuses is left out.

        Raises:
            ImageError: unknown name, unreadable or damaged file, wrong part, or content that does not fit.
        """
        name, path = _find(source)
        return cls.parse(read_bytes(path), name, bios)

    @classmethod
    def parse(cls, data: bytes, name: str, bios: str | Path | None = None) -> Image:
        """Return the image of the bytes of a HEX or ELF file, as `load` does; `name` goes into messages.

        Raises:
            ImageError: as `load`.
        """
        content = parse(data, name)
        flash = _filled(content.flash, name)
        if bios != "none":
            own_bios = _has_bios(flash)
            if not own_bios:
                _check_fits(flash, name)
            if _used(flash, ACTIVE, BUILT_IN) and not _used(flash, BUILT_IN, BIOS):
                flash[BUILT_IN:BIOS] = flash[ACTIVE:BUILT_IN]
                flash[ACTIVE:BUILT_IN] = bytes([ERASED]) * SKETCH_BYTES
            if bios is not None or not own_bios:
                flash[BIOS:] = _bios("bios" if bios is None else bios)
        elf = data if data.startswith(b"\x7fELF") else None
        return cls(bytes(flash), Path(name).stem, content.symbols, elf)

    @property
    def entry(self) -> int:
        """Give the byte address at which the chip starts: the boot section, or 0 where that is erased."""
        return BOOT if _used(self.flash, BOOT, BOOT + 2) else ACTIVE

    @property
    def sketch_bytes(self) -> int:
        """Give the size of the built-in sketch, of 5,888 bytes."""
        return _used(self.flash, BUILT_IN, BIOS)

    @property
    def sha256(self) -> str:
        """Give the hexadecimal SHA-256 of the whole flash."""
        return hashlib.sha256(self.flash).hexdigest()

    def to_hex(self) -> str:
        """Return the flash as Intel HEX, erased bytes left out; `load` with bios "none" reads it back."""
        file, text = IntelHex(), io.StringIO()
        file.fromdict({address: byte for address, byte in enumerate(self.flash) if byte != ERASED})
        file.write_hex_file(text, eolstyle="native", byte_count=16)
        return text.getvalue()


def bundled() -> dict[str, Path]:
    """Return the images that come with the package: their files by name."""
    return {path.stem: path for shelf in reversed(_SHELVES) for path in sorted(shelf.glob("*.hex"))}


def _find(source: str | Path) -> tuple[str, Path]:
    """Return the name of an image for messages, and its file."""
    path = Path(source)
    if isinstance(source, Path) or path.name != source or path.suffix:
        return str(source), path
    known = bundled()
    if source in known:
        return source, known[source]
    if path.exists():
        return source, path
    near = did_you_mean(source, known) or ";"
    names = ", ".join(sorted(known))
    raise ImageError(f"no image {source!r}{near} bundled: {names}; or name a .hex or .elf file")


def _filled(content: dict[int, int], name: str) -> bytearray:
    last = max(content)
    if last >= FLASH_BYTES:
        raise ImageError(f"{name}: reaches 0x{last:04X}, beyond the 16,384 bytes of flash; make it smaller")
    flash = bytearray([ERASED]) * FLASH_BYTES
    for address, byte in content.items():
        flash[address] = byte
    return flash


def _used(flash: bytes | bytearray, start: int, end: int) -> int:
    """Return how many bytes of a range are in use, counted up to its last one that is not erased."""
    return len(flash[start:end].rstrip(bytes([ERASED])))


def _has_bios(flash: bytearray) -> bool:
    words = (int.from_bytes(flash[at : at + 2], "little") for at in _BIOS_VECTORS)
    return all(word & 0xFE0E == 0x940C or word & 0xF000 == 0xC000 for word in words)  # JMP or RJMP


def _check_fits(flash: bytearray, name: str) -> None:
    """Refuse what a sketch alone may not touch."""
    size = _used(flash, ACTIVE, FLASH_BYTES)
    if _used(flash, ACTIVE, BUILT_IN) and size > SKETCH_BYTES:
        raise ImageError(
            f"{name}: takes {size:,} bytes from 0x0000, a sketch has {SKETCH_BYTES:,}; make it smaller, "
            "or run it without a BIOS ('none')"
        )
    if size > BIOS:
        raise ImageError(
            f"{name}: reaches 0x{size - 1:04X}, over the BIOS at 0x{BIOS:04X}; "
            f"a sketch has {SKETCH_BYTES:,} bytes from 0x{BUILT_IN:04X}: make it smaller"
        )


def _bios(source: str | Path) -> bytes:
    name, path = _find(source)
    flash = _filled(parse(read_bytes(path), name).flash, name)
    if not _has_bios(flash):
        raise ImageError(f"{name}: holds no BIOS: no vectors at 0x{BOOT:04X}; name a file with 0x2E00–0x3FFF")
    return bytes(flash[BIOS:])
