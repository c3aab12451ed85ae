"""The command line's dealings with sketches: `blinks-sim build`, and sketches where an image may be given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .errors import BlinksError, UsageError

if TYPE_CHECKING:
    from .image import Image
    from .sketch import Build, Message, SketchError, SketchFiles

_COLORS = {"error": "red", "warning": "magenta", "note": "cyan"}


@click.command()
@click.argument("path", metavar="SKETCH")
@click.option("-o", "--output", metavar="FILE", help="Write the image here: Intel HEX for a flasher.")
@click.option("--elf", is_flag=True, help="With -o: write the ELF with symbols beside it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--toolchain", metavar="DIR", help="Use the avr-gcc in this folder.")
@click.option("--sdk", metavar="DIR", help="Build against this vendor SDK instead of the bundled library.")
def build(
    path: str, output: str | None, elf: bool, as_json: bool, toolchain: str | None, sdk: str | None
) -> None:
    """Build SKETCH: an .ino file, a sketch folder, or a folder of sketches.

    Prints what the compiler says and how much of a tile the sketch takes. For a folder of sketches, -o names
    a folder.
    """
    from .sketch import SketchError, find_sketches
    from .sketch import build as build_sketch

    if elf and output is None:
        raise UsageError("--elf writes the ELF beside the image; say where with -o FILE")
    sketches = find_sketches(path)
    several = len(sketches) > 1
    done: list[tuple[SketchFiles, Build | SketchError]] = []
    for files in sketches:
        try:
            built = build_sketch(files, toolchain=toolchain, sdk=sdk)
            done.append((files, built))
            if output is not None:
                _write(built, Path(output) / f"{built.name}.hex" if several else Path(output), elf)
        except SketchError as error:
            done.append((files, error))
        if not as_json:
            _tell(*done[-1], several)
    if as_json:
        click.echo(json.dumps({"sketches": [_report(*each) for each in done]}))
    _fail(done, several)


def is_sketch(name: str) -> bool:
    """Tell whether the name of an image is that of an .ino file or of a folder."""
    return name.endswith(".ino") or Path(name).is_dir()


def sketch_image(path: str, bios: str | None) -> Image:
    """Return the image of a sketch, built now or before; what the compiler says goes to stderr.

    Raises:
        SketchError: as `blinks_sim.sketch.build`; its messages have been printed.
    """
    from .image import Image
    from .sketch import SketchError
    from .sketch import build as build_sketch

    try:
        built = build_sketch(path)
    except SketchError as error:
        _print(error.messages)
        raise _short(error, Path(path).name) from error
    _print(built.messages)
    return Image.load(built.elf, bios=bios)


def asked_for(sketches: Sequence[str], on: Sequence[str]) -> dict[int, str]:
    """Return which image each tile shall run, from pairs of `--sketch` and `--on`.

    Raises:
        UsageError: one without the other, a tile named twice, or no list of tile ids.
    """
    if len(sketches) != len(on):
        raise UsageError("each --sketch needs its --on, as in --sketch A.ino --on 1-6 --sketch B.ino --on 7")
    asked: dict[int, str] = {}
    for name, ids in zip(sketches, on, strict=True):
        for part in ids.split(","):
            bounds = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", part)
            span = range(int(bounds[1]), int(bounds[2] or bounds[1]) + 1) if bounds else range(0)
            if not span:
                raise UsageError(f"--on {ids!r}: {part!r} names no tiles; give ids as in 1-6 or 0,3")
            for tile in span:
                if asked.setdefault(tile, name) != name:
                    raise UsageError(f"--on {ids!r}: tile {tile} already runs {asked[tile]!r}; name it once")
    return asked


def deal(images: tuple[str, ...], asked: Mapping[int, str], tiles: int) -> tuple[str, ...]:
    """Return the names of images to deal to the tiles in turn: one for each tile where some are asked for.

    Raises:
        UsageError: there is no such tile.
    """
    if not asked:
        return images
    if max(asked) >= tiles:
        raise UsageError(
            f"--on names tile {max(asked)}, but the tiles are 0 to {tiles - 1}; lay more: --tiles"
        )
    others = images or (next(iter(asked.values())),)
    return tuple(asked.get(tile, others[tile % len(others)]) for tile in range(tiles))


def _write(built: Build, target: Path, elf: bool) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(built.hex_text, encoding="ascii", newline="\n")
        if elf:
            target.with_suffix(".elf").write_bytes(built.elf.read_bytes())
    except OSError as error:
        raise UsageError(f"{target}: cannot write it ({error.strerror}); give -o another place") from error


def _tell(files: SketchFiles, outcome: Build | SketchError, several: bool) -> None:
    """Print what the compiler said, and the size, in one line where there are several sketches."""
    from .sketch import Build

    _print(outcome.messages)
    if not isinstance(outcome, Build):
        if several:
            click.echo(f"{files.name}: {click.style('does not build', fg='red')}")
        return
    click.echo(_short_size(outcome) if several else _size(outcome))


def _size(built: Build) -> str:
    from .sketch import FLASH_BYTES, RAM_BYTES, SHARED_BYTES

    own, room = built.ram_bytes - SHARED_BYTES, RAM_BYTES - SHARED_BYTES
    return (
        f"{built.name} uses {built.flash_bytes:,} of {FLASH_BYTES:,} bytes of flash "
        f"({built.flash_bytes * 100 // FLASH_BYTES} %).\n"
        f"Its variables use {own} of {room} bytes of RAM ({own * 100 // room} %), beside the "
        f"{SHARED_BYTES} shared with the BIOS; {built.stack_bytes} are left for the stack."
    )


def _short_size(built: Build) -> str:
    return (
        f"{built.name}: {built.flash_bytes:,} bytes of flash, {built.stack_bytes} of RAM left for the stack"
    )


def _print(messages: Iterable[Message]) -> None:
    for message in messages:
        place, severity, text = _place(message), message.severity, message.text
        head = f"{place}: " if place else ""
        shown = click.style(f"{severity}:", fg=_COLORS[severity], bold=True)
        click.echo(f"{click.style(head, bold=True)}{shown} {text}", err=True)
        line = message.source_line
        if line is not None and message.column:
            number = f"{message.line:5} | "
            under = "".join(c if c == "\t" else " " for c in line[: message.column - 1])
            click.echo(f"{number}{line}\n{' ' * 5} | {under}{click.style('^', fg='green')}", err=True)


def _place(message: Message) -> str:
    """Return a message's place, its file relative to where the user is if it lies there."""
    if not message.file:
        return ""
    path = Path(message.file)
    near = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return ":".join([str(near), *(str(part) for part in (message.line, message.column) if part)])


def _report(files: SketchFiles, outcome: Build | SketchError) -> dict[str, Any]:
    from dataclasses import asdict

    from .sketch import FLASH_BYTES, RAM_BYTES, Build

    report: dict[str, Any] = {"name": files.name, "folder": str(files.folder)}
    if isinstance(outcome, Build):
        report |= {
            "ok": True,
            "flash_bytes": outcome.flash_bytes,
            "flash_limit": FLASH_BYTES,
            "ram_bytes": outcome.ram_bytes,
            "ram_limit": RAM_BYTES,
            "stack_bytes": outcome.stack_bytes,
            "elf": str(outcome.elf),
        }
    else:
        report |= {"ok": False, "error": str(outcome)}
    return {**report, "messages": [asdict(message) for message in outcome.messages]}


def _short(error: SketchError, name: str) -> BlinksError:
    """Return the error in a line for somebody who has seen its messages."""
    count = sum(message.severity == "error" for message in error.messages)
    return UsageError(f"{name} does not build: {count} error{'s'[: count > 1]}") if count else error


def _fail(done: list[tuple[SketchFiles, Build | SketchError]], several: bool) -> None:
    """Raise an error of one line where a sketch did not build."""
    from .sketch import SketchError

    failed = [(files.name, outcome) for files, outcome in done if isinstance(outcome, SketchError)]
    if not failed:
        return
    if not several:
        raise _short(failed[0][1], failed[0][0])
    names = ", ".join(name for name, _ in failed)
    raise UsageError(f"{len(failed)} of {len(done)} sketches do not build: {names}; see their messages")
