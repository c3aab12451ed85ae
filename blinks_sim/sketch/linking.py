"""Link a sketch, and say what stands in the way in words about the sketch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from .compiler import FLASH_BYTES, RAM_BYTES, SHARED_BYTES, Compiler
from .files import SketchFiles
from .library import SCRIPT
from .messages import Message, SketchError
from .program import sizes
from .toolchain import ToolError

_TOO_LARGE = re.compile(r"will not fit in region|region `\w+' overflowed")
_UNDEFINED = re.compile(r"undefined reference to `(.+)'")
_TWICE = re.compile(r"multiple definition of `(.+)'")


def link(
    compiler: Compiler, files: SketchFiles, objects: Sequence[Path], library: Sequence[Path], elf: Path
) -> None:
    """Link a sketch's objects with the library's, or with the archive of a vendor SDK.

    A sketch that defines functions of the library itself gets only what is missing from it, as Arduino links.

    Raises:
        SketchError: something is missing or does not fit.
    """
    inputs: list[Path | str] = [*objects, *library]
    output = _try(compiler, SCRIPT, inputs, elf)
    ours = all(path.suffix != ".a" for path in library)
    if ours and output is not None and _TWICE.search(output):
        archive = elf.with_name("library.a")
        compiler.archive(library, archive)
        inputs = ["-Wl,-u,main", *objects, archive]
        output = _try(compiler, SCRIPT, inputs, elf)
        archive.unlink()
    if output is None:
        return
    if ours and _TOO_LARGE.search(output):
        raise SketchError.of(_too_large(compiler, files, inputs, elf))
    raise SketchError.of(_messages(output, files))


def _try(compiler: Compiler, script: str, inputs: Sequence[Path | str], elf: Path) -> str | None:
    """Return what the linker complains of, or None where it does not."""
    try:
        compiler.link(script, inputs, elf)
        return None
    except ToolError as error:
        return error.output


def _too_large(
    compiler: Compiler, files: SketchFiles, inputs: Sequence[Path | str], elf: Path
) -> list[Message]:
    """Return by how much a sketch is too large, from linking it for a tile with more room."""
    roomy = elf.with_suffix(".ld")
    text = (compiler.folder / SCRIPT).read_text(encoding="utf-8")
    roomy.write_text(re.sub(r"LENGTH = \w+", "LENGTH = 0x7000", text), encoding="utf-8")
    output = _try(compiler, str(roomy), inputs, elf)
    if output is not None:
        return _messages(output, files)
    flash_bytes, own_ram_bytes = sizes(elf)
    return [
        Message(
            *(str(files.tabs[0]), 1, 0, "error"),
            f"the sketch does not fit: {size:,} bytes of {kind}, {size - limit:,} more than its {limit:,}",
        )
        for kind, size, limit in (
            ("flash", flash_bytes, FLASH_BYTES),
            ("RAM", own_ram_bytes, RAM_BYTES - SHARED_BYTES),
        )
        if size > limit
    ]


def _messages(output: str, files: SketchFiles) -> list[Message]:
    """Return what a failed link means: what is missing, what is there twice."""
    found = []
    for name in dict.fromkeys(_UNDEFINED.findall(output)):
        if name in ("setup()", "loop()"):
            text = f"the sketch has no {name}; add 'void {name} {{}}'"
            found.append(Message(str(files.tabs[0]), 1, 0, "error", text))
        else:
            found.append(_placed(name, f"{name!r} is used but defined nowhere", files))
    for name in dict.fromkeys(_TWICE.findall(output)):
        found.append(_placed(name, f"{name!r} is defined more than once", files))
    said = " ".join(output.split())
    return found or [Message("", 0, 0, "error", said or "the linker failed without a word")]


def _placed(name: str, text: str, files: SketchFiles) -> Message:
    """Return an error at the first mention of a name in the sketch's files, or without a place."""
    plain = re.split(r"[(<\[]", name)[0].rsplit("::")[-1]
    mention = re.compile(rf"\b{re.escape(plain)}\b")
    for file in files.all:
        for number, line in enumerate(_text(file).splitlines(), start=1):
            hit = mention.search(line.split("//")[0])
            if hit:
                return Message(str(file), number, hit.start() + 1, "error", text)
    return Message("", 0, 0, "error", text)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
