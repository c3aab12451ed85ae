"""The flags that make a sketch for a tile, and the two steps: compile a file, link the image.

They are Arduino's flags for its AVR boards: smallest size, link-time optimisation, gnu++11, permissive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .toolchain import Toolchain

PART = "atmega168pb"
FLASH_BYTES = 5888  # for a sketch
RAM_BYTES = 1024
SHARED_BYTES = 382  # of the RAM: the blocks that sketch and BIOS share

_PACKAGE = Path(__file__).parents[1]

_MACHINE = [f"-mmcu={PART}"]
_SHARED = [*_MACHINE, "-Os", "-g", "-ffunction-sections", "-fdata-sections", "-frandom-seed=blinks"]
_DEFINES = ["-DF_CPU=8000000L", "-DARDUINO=10813", "-DARDUINO_AVR_BLINK", "-DARDUINO_ARCH_AVR"]
_LTO = ["-flto", "-fno-fat-lto-objects"]
_CPP = ["-x", "c++", "-std=gnu++11", "-fpermissive", "-fno-exceptions", "-fno-threadsafe-statics"]
_C = ["-x", "c", "-std=gnu11"]
PLAIN_MESSAGES = ["-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fmessage-length=0"]

# The tool chain passes an address of its own for .data, which beats the linker script's.
_DATA_AT = "0x80027E"


def firmware_folder() -> Path:
    """Return the folder with the library's sources: in an installed package, or in the checkout."""
    shipped = _PACKAGE / "firmware"
    return shipped if shipped.is_dir() else _PACKAGE.parent / "firmware"


@dataclass(frozen=True, slots=True)
class Compiler:
    """Compile and link with a tool chain, inside a folder: no path leaks into images."""

    tools: Toolchain
    folder: Path

    @property
    def includes(self) -> tuple[str, ...]:
        """Give the flags that name the library's folders of headers."""
        return ("-Iinclude", "-Iblinklib")

    def compile(self, source: str | Path, target: Path, *flags: str | Path) -> str:
        """Compile a C++, C or assembly file to an object; return the compiler's messages.

        Raises:
            ToolError: the compiler found errors.
        """
        suffix = Path(source).suffix
        if suffix == ".S":
            kind = [*_SHARED, "-x", "assembler-with-cpp"]
        else:
            kind = [*_SHARED, *_LTO, *PLAIN_MESSAGES, *(_C if suffix == ".c" else _CPP)]
        return self.tools.call(
            "avr-g++", *kind, *_DEFINES, *flags, "-c", source, "-o", target, cwd=self.folder
        )

    def preprocess(self, source: str | Path, target: Path, *flags: str | Path) -> None:
        """Write a C++ file as the compiler sees it after preprocessing, its comments kept.

        Raises:
            ToolError: the preprocessor found errors.
        """
        kind = [*_SHARED, *PLAIN_MESSAGES, *_CPP]
        self.tools.call(
            "avr-g++", *kind, *_DEFINES, *flags, "-E", "-C", source, "-o", target, cwd=self.folder
        )

    def archive(self, objects: Sequence[Path], target: Path) -> None:
        """Gather objects in an archive, from which the linker takes what is asked for."""
        self.tools.call("avr-gcc-ar", "rcsD", target, *objects, cwd=self.folder)

    def link(self, script: str, inputs: Sequence[Path | str], target: Path) -> str:
        """Link objects with a script of ours; return the messages.

        Raises:
            ToolError: something is missing or does not fit.
        """
        flags = [*_SHARED, *_LTO, "-fuse-linker-plugin", *_CPP[2:], "-nostartfiles", "-Wl,--gc-sections"]
        place = [] if script.startswith("bios/") else ["-Tdata", _DATA_AT]
        return self.tools.call(
            "avr-g++", *flags, "-T", script, *place, *inputs, "-o", target, cwd=self.folder
        )


IDENTITY = repr([_SHARED, _DEFINES, _LTO, _CPP, _C, _DATA_AT])
