"""The steps from a sketch's files to a linked program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .compiler import Compiler
from .files import SketchFiles
from .library import in_parallel
from .lines import Place, Preprocessed
from .linking import link
from .messages import Message, SketchError, parse, without_repeats
from .program import sizes
from .prototypes import Insertion, prototypes
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
    wanted = [*compiler.includes, "-iquote", str(files.folder), *flags]
    combined = shop / f"{files.name}.ino.cpp"
    _write(combined, joined(files, []))
    insertions = _prototypes(compiler, files, combined, wanted)
    _write(combined, joined(files, insertions))
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
    try:
        link(compiler, files, objects, library, elf)
    except SketchError as error:
        raise SketchError.of([*messages, *error.messages]) from error
    known = {file.resolve() for file in [combined, *files.all]}
    depends = {path for target in objects for path in _dependencies(target.with_suffix(".d"))}
    flash_bytes, own_ram_bytes = sizes(elf)
    for waste in [combined, *objects, *(target.with_suffix(".d") for target in objects)]:
        waste.unlink(missing_ok=True)
    return Program(elf, flash_bytes, own_ram_bytes, tuple(messages), tuple(sorted(depends - known)))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogateescape")


def _read(path: Path) -> str:
    # A mark of byte order at the start of a tab would end up in the middle of the joined text.
    return path.read_text(encoding="utf-8-sig", errors="surrogateescape")


def _prototypes(
    compiler: Compiler, files: SketchFiles, combined: Path, flags: Sequence[str]
) -> list[Insertion]:
    """Return which prototypes go where.

    Raises:
        SketchError: the preprocessor found errors.
    """
    plain = combined.with_suffix(".ii")
    try:
        compiler.preprocess(combined, plain, *flags)
    except ToolError as error:
        raise _failed(without_repeats(parse(error.output)), error.output) from error
    originals = {str(tab): _read(tab).split("\n") for tab in files.tabs}
    source = Preprocessed(_read(plain), originals, str(files.tabs[0]))
    plain.unlink()
    return prototypes(source, set(originals))


def joined(files: SketchFiles, insertions: Sequence[Insertion]) -> str:
    """Return the tabs as one C++ text with the prototypes put in; it names the places all comes from."""
    parts = ["#include <Arduino.h>\n"]
    for tab in files.tabs:
        name = str(tab)
        lines = _read(tab).split("\n")
        for insertion in reversed([each for each in insertions if each.at.file == name]):
            line, column = insertion.at.line, insertion.at.column
            raw = lines[line - 1]
            lead = f"{raw[:column]}\n" if raw[:column].strip() else ""
            indent = raw[:column] if not lead else re.sub(r"[^\t]", " ", raw[:column])
            texts = (f"{_marker(at)}\n{' ' * at.column}{text}\n" for at, text in insertion.prototypes)
            back = f"{_marker(insertion.at)}\n{indent}"
            lines[line - 1] = "".join([lead, *texts, back, raw[column:]])
        parts += [f"#line 1 {quoted(name)}\n", "\n".join(lines), "\n"]
    return "".join(parts)


def _marker(place: Place) -> str:
    return f"#line {place.line} {quoted(place.file)}"


def quoted(path: str) -> str:
    """Return a path as a C string."""
    text = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


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
