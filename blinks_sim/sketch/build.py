"""Build a sketch: its files → one program → an image for a tile."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .cache import Cache, digest, digest_files
from .compiler import RAM_BYTES, SHARED_BYTES, Compiler, firmware_folder
from .files import SketchFiles, find_sketch
from .library import library_key, library_objects
from .messages import Message
from .sdk import sdk_compiler, sdk_library
from .toolchain import find_toolchain

if TYPE_CHECKING:
    from ..image import Image
    from .steps import Program

_RECORD = "build.json"


@dataclass(frozen=True, slots=True)
class Build:
    """Give what became of a sketch: the linked program, its sizes, and what the compiler said.

    `flash_bytes` counts of 5,888. `ram_bytes` counts of 1,024 and includes the 382 shared with the BIOS; what
    is left is for the stack. The ELF file lies in the cache and has symbols and DWARF.
    """

    name: str
    elf: Path
    flash_bytes: int
    ram_bytes: int
    messages: tuple[Message, ...] = field(default=(), repr=False)

    @property
    def stack_bytes(self) -> int:
        """Give the RAM left for the stack."""
        return RAM_BYTES - self.ram_bytes

    @property
    def image(self) -> Image:
        """Give the image for a tile, with the bundled BIOS and the sketch's symbols."""
        from ..image import Image

        return Image.load(self.elf)

    @property
    def hex_text(self) -> str:
        """Give the sketch alone as Intel HEX at 0x1700, as a flasher takes it."""
        from ..image import BUILT_IN

        return hex_text(self.image.flash[BUILT_IN : BUILT_IN + self.flash_bytes], BUILT_IN)


def hex_text(data: bytes, base: int) -> str:
    """Return bytes as Intel HEX from an address on, 16 a record."""
    lines = []
    for start in range(0, len(data), 16):
        chunk, at = data[start : start + 16], base + start
        record = bytes([len(chunk), at >> 8, at & 0xFF, 0, *chunk])
        lines.append(f":{record.hex().upper()}{-sum(record) & 0xFF:02X}")
    return "\n".join([*lines, ":00000001FF", ""])


def build(
    path: str | Path | SketchFiles, *, toolchain: str | Path | None = None, sdk: str | Path | None = None
) -> Build:
    """Build the sketch that an .ino file or a folder is, or take it from the cache.

    `toolchain` names the folder of an avr-gcc, `sdk` that of a vendor SDK to build against instead of our
    library.

    Raises:
        SketchError: no sketch there, no tool chain, errors in it, or it does not fit.
        UsageError: `toolchain` or `sdk` is no such folder.
    """
    files = path if isinstance(path, SketchFiles) else find_sketch(path)
    tools, cache = find_toolchain(toolchain), Cache()
    vendor = None if sdk is None else sdk_compiler(tools, sdk, files)
    compiler = vendor or Compiler(tools, firmware_folder())
    of_library = vendor.key if vendor else library_key(compiler)
    own = digest_files(files.all, files.folder)
    key = f"sketch-{digest(of_library, files.name, str(files.folder), own)}"
    folder = cache.find(key)
    if folder is not None and (kept := _recall(folder, files.name)) is not None:
        return kept
    from .steps import make  # what is in the cache needs none of it

    library = sdk_library(vendor, cache) if vendor else library_objects(compiler, cache)
    with cache.workshop() as shop:
        program = make(compiler, files, library, shop)
        _record(shop, program)
        folder = cache.keep(key, shop)
    kept = _recall(folder, files.name)
    assert kept is not None
    return kept


def _record(folder: Path, program: Program) -> None:
    """Note beside the program what a later run needs to know of it."""
    facts = {
        "flash_bytes": program.flash_bytes,
        "ram_bytes": program.own_ram_bytes + SHARED_BYTES,
        "messages": [asdict(message) for message in program.messages],
        "depends": {str(path): digest(path.read_bytes()) for path in program.depends},
    }
    (folder / _RECORD).write_text(json.dumps(facts), encoding="utf-8")


def _recall(folder: Path, name: str) -> Build | None:
    """Return the build kept in a folder, unless a file outside the sketch that it used has changed."""
    try:
        facts = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        if any(digest(Path(path).read_bytes()) != key for path, key in facts["depends"].items()):
            return None
    except OSError:
        return None
    messages = tuple(Message(**message) for message in facts["messages"])
    return Build(name, folder / f"{name}.elf", facts["flash_bytes"], facts["ram_bytes"], messages)
