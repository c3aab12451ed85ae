"""The steps from a sketch's files to a linked program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from .compiler import Compiler
from .files import SketchFiles
from .library import INCLUDES, SCRIPT, in_parallel
from .linking import defined_twice, link_messages
from .messages import Message, SketchError, parse, without_repeats
from .toolchain import ToolError

_WARNINGS = ("-Wall",)


@dataclass(frozen=True, slots=True)
class Program:
    """Give a linked program, its sizes, what the compiler said, and the files it used beside the sketch's."""

    elf: Path
    flash_bytes: int
    own_ram_bytes: int
    messages: tuple[Message, ...]
    depends: tuple[Path, ...]


def make(
    compiler: Compiler,
    files: SketchFiles,
    library: Sequence[Path],
    shop: Path,
    flags: Sequence[str] = _WARNINGS,
) -> Program:
    """Compile and link a sketch in a folder.

    Raises:
        SketchError: errors in it, or it does not fit; with all messages.
    """
    wanted = [*INCLUDES, "-iquote", str(files.folder), *flags]
    combined = shop / f"{files.name}.ino.cpp"
    combined.write_text(joined(files), encoding="utf-8", errors="surrogateescape")
    sources = [combined, *files.sources]
    objects = [shop / f"{number:02}.o" for number in range(len(sources))]

    def job(source: Path, target: Path) -> Callable[[], str]:
        def compile_it() -> str:
            try:
                said = compiler.compile(source, target, *wanted, "-MMD", "-MF", target.with_suffix(".d"))
                return f"0{said}"
            except ToolError as error:
                return f"1{error.output}"

        return compile_it

    said = in_parallel([job(*pair) for pair in zip(sources, objects, strict=True)])
    messages = without_repeats(message for text in said for message in parse(text[1:]))
    if any(text.startswith("1") for text in said):
        raise _failed(messages, "\n".join(text[1:] for text in said))
    elf = shop / f"{files.name}.elf"
    link(compiler, files, [*objects, *library], elf, messages)
    known = {file.resolve() for file in [combined, *files.all]}
    depends = {path for target in objects for path in _dependencies(target.with_suffix(".d"))}
    flash_bytes, own_ram_bytes = sizes(elf)
    for waste in [combined, *objects, *(target.with_suffix(".d") for target in objects)]:
        waste.unlink(missing_ok=True)
    return Program(elf, flash_bytes, own_ram_bytes, tuple(messages), tuple(sorted(depends - known)))


def joined(files: SketchFiles) -> str:
    """Return the tabs as one C++ text that names the places it comes from."""
    parts = ["#include <Arduino.h>\n"]
    for tab in files.tabs:
        parts += [f"#line 1 {quoted(tab)}\n", tab.read_text(encoding="utf-8", errors="surrogateescape"), "\n"]
    return "".join(parts)


def quoted(path: Path | str) -> str:
    """Return a path as a C string."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def link(
    compiler: Compiler,
    files: SketchFiles,
    objects: Sequence[Path],
    elf: Path,
    messages: Sequence[Message] = (),
) -> None:
    """Link a sketch's objects with the library's.

    A sketch that defines functions of the library itself gets only what is missing from it, as Arduino links.

    Raises:
        SketchError: something is missing or does not fit.
    """
    try:
        compiler.link(SCRIPT, objects, elf)
        return
    except ToolError as error:
        output = error.output
    if defined_twice(output):
        own = [path for path in objects if path.parent == elf.parent]
        archive = elf.with_name("library.a")
        compiler.archive([path for path in objects if path not in own], archive)
        try:
            compiler.link(SCRIPT, ["-Wl,-u,main", *own, archive], elf)
            return
        except ToolError as error:
            output = error.output
    raise SketchError.of([*messages, *link_messages(output, files)])


def sizes(elf: Path) -> tuple[int, int]:
    """Return how many bytes of flash a program takes, and how many of RAM for its own data."""
    with elf.open("rb") as stream:
        sections = {section.name: section for section in ELFFile(stream).iter_sections()}
        size = {name: section["sh_size"] for name, section in sections.items()}
        data = sections.get(".data")
        stored = 0 if data is None or data["sh_type"] == "SHT_NOBITS" else size[".data"]
        flash = size[".text"] + stored
    return flash, sum(size.get(name, 0) for name in (".data", ".bss", ".noinit"))


def _failed(messages: Sequence[Message], output: str) -> SketchError:
    if any(message.severity == "error" for message in messages):
        return SketchError.of(messages)
    return SketchError(f"the compiler failed: {' '.join(output.split())}", messages)


def _dependencies(rule: Path) -> set[Path]:
    """Return the absolute paths in a rule for make; relative ones are the library's."""
    if not rule.exists():
        return set()
    text = rule.read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    words = re.findall(r"(?:\\.|[^\s\\])+", text.partition(": ")[2])
    names = (re.sub(r"\\(.)", r"\1", word).replace("$$", "$") for word in words)
    return {Path(name).resolve() for name in names if Path(name).is_absolute()}
