"""Build the BIOS and every sketch under firmware/ into firmware/images/, byte for byte the same everywhere.

    python tools/build_firmware.py            # build, print sizes
    python tools/build_firmware.py --check    # build aside and compare; exit status 1 on a difference

An image is Intel HEX: the BIOS at 0x2E00-0x3FFF, its functions listed in bios.sym; a sketch at 0x1700
(linked to run at 0x0000). A sketch folder may hold `variants.txt`, lines of `name DEFINE=VALUE ...`: further
images of the same sketch. Sketches are built as users' are, by `blinks_sim.sketch`, but warnings are errors.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from blinks_sim.image import BIOS as BIOS_BASE
from blinks_sim.image import BUILT_IN, SKETCH_BYTES
from blinks_sim.sketch import SketchError, find_sketch
from blinks_sim.sketch.build import hex_text
from blinks_sim.sketch.compiler import Compiler
from blinks_sim.sketch.library import STRICT, compile_library
from blinks_sim.sketch.program import program_bytes
from blinks_sim.sketch.steps import make
from blinks_sim.sketch.toolchain import ToolError, find_toolchain
from blinks_sim.variables.mangled import readable

FIRMWARE = Path(__file__).resolve().parents[1] / "firmware"
IMAGES = FIRMWARE / "images"
BIOS_BYTES = 0x1200
BUDGETS = {"fracture": 4095, "fracture6": 4095}  # bytes; other sketches: what fits


class BuildError(Exception):
    """Report a firmware build that failed, in words of its own or of the compiler."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """Name one image to build: a sketch folder and the macros that make this variant."""

    name: str
    folder: Path
    defines: tuple[str, ...]


def build_bios(compiler: Compiler, keep: Path) -> bytes:
    """Return the BIOS's 0x2E00-0x3FFF; raise BuildError where it does not fit."""
    objects = []
    for source in sorted(p for p in (FIRMWARE / "bios").iterdir() if p.suffix in {".cpp", ".S"}):
        objects.append(keep / f"{source.name}.o")
        compiler.compile(f"bios/{source.name}", objects[-1], "-Iinclude", *STRICT)
    compiler.link("bios/bios.ld", objects, keep / "bios.elf")
    data = program_bytes(keep / "bios.elf")
    if len(data) > BIOS_BYTES:
        raise BuildError(f"the BIOS takes {len(data)} bytes of {BIOS_BYTES}")
    return data


def bios_symbols(elf: Path) -> str:
    """Return where the functions of the BIOS begin, for profiles: a line `ADDRESS NAME` each."""
    with elf.open("rb") as file:
        found = {
            (symbol["st_value"], readable(symbol.name))
            for table in ELFFile(file).iter_sections("SHT_SYMTAB")
            if isinstance(table, SymbolTableSection)
            for symbol in table.iter_symbols()
            if BIOS_BASE <= symbol["st_value"] < BIOS_BASE + BIOS_BYTES
            and (symbol["st_size"] or symbol["st_info"]["bind"] == "STB_GLOBAL")
        }
    return "".join(f"{address:04X} {name}\n" for address, name in sorted(found))


def build_sketch(compiler: Compiler, sketch: Sketch, library: list[Path], keep: Path) -> bytes:
    """Return one sketch's image; raise BuildError where it passes its budget."""
    defines = [f"-D{define}" for define in sketch.defines]
    program = make(compiler, find_sketch(sketch.folder), library, keep, [*STRICT, *defines])
    data = program_bytes(program.elf)
    budget = BUDGETS.get(sketch.name, SKETCH_BYTES)
    if len(data) > budget:
        raise BuildError(f"{sketch.name} takes {len(data)} bytes of {budget}")
    return data


def find_sketches() -> list[Sketch]:
    """Return every image the sketch folders ask for, by name."""
    found = []
    for ino in sorted((FIRMWARE / "sketches").glob("*/*.ino")):
        if ino.stem != ino.parent.name:
            continue
        found.append(Sketch(ino.stem, ino.parent, ()))
        variants = ino.parent / "variants.txt"
        for line in variants.read_text().splitlines() if variants.exists() else []:
            words = line.split("#")[0].split()
            if words:
                found.append(Sketch(words[0], ino.parent, tuple(words[1:])))
    return found


def build_all(into: Path, only: list[str], keep: Path) -> list[Path]:
    """Build what `only` names (everything when empty) into a folder; return the files, print sizes."""
    compiler = Compiler(find_toolchain(), FIRMWARE)
    into.mkdir(parents=True, exist_ok=True)
    jobs = {sketch.name: sketch for sketch in find_sketches()}
    unknown = set(only) - {"bios", *jobs}
    if unknown:
        raise BuildError(f"no sketch {sorted(unknown)[0]!r} under firmware/sketches")
    (keep / "library").mkdir(parents=True)
    compile_library(compiler, keep / "library", *STRICT)
    library = sorted((keep / "library").glob("*.o"))
    written = []
    for name in ["bios", *sorted(jobs)]:
        if only and name not in only:
            continue
        out = keep / name
        out.mkdir()
        data = (
            build_bios(compiler, out) if name == "bios" else build_sketch(compiler, jobs[name], library, out)
        )
        room = BIOS_BYTES if name == "bios" else BUDGETS.get(name, SKETCH_BYTES)
        print(f"{name:16} {len(data):5} of {room} bytes")
        target = into / f"{name}.hex"
        target.write_text(hex_text(data, BIOS_BASE if name == "bios" else BUILT_IN), newline="\n")
        written.append(target)
        if name == "bios":
            written.append(into / "bios.sym")
            written[-1].write_text(bios_symbols(out / "bios.elf"), newline="\n")
    return written


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="images to build (all)")
    parser.add_argument("--check", action="store_true", help="compare with firmware/images, write nothing")
    parser.add_argument("--keep", type=Path, help="keep ELF files in this (new) folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temp:
        keep = args.keep or Path(temp) / "build"
        try:
            if not args.check:
                build_all(IMAGES, args.names, keep.absolute())
                return 0
            built = build_all(Path(temp) / "images", args.names, keep.absolute())
        except (BuildError, SketchError, ToolError) as error:
            print(f"build_firmware: {error}", file=sys.stderr)
            return 2
        differing = [
            b.name
            for b in built
            if not (IMAGES / b.name).exists() or b.read_bytes() != (IMAGES / b.name).read_bytes()
        ]
        names = {b.name for b in built}
        stale = [] if args.names else [p.name for p in sorted(IMAGES.glob("*.hex")) if p.name not in names]
        for name in differing + stale:
            print(f"build_firmware: {name} differs from its sources", file=sys.stderr)
        return 1 if differing or stale else 0


if __name__ == "__main__":
    sys.exit(main())
