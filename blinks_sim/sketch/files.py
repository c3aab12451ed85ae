"""Which files make up a sketch, by Arduino's rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .messages import SketchError

SOURCES = {".cpp", ".cc", ".cxx", ".c", ".S"}
HEADERS = {".h", ".hh", ".hpp", ".inc"}

_LOOP = re.compile(r"^\s*(?:static\s+|inline\s+)*void\s+loop\s*\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SketchFiles:
    """Give the files of a sketch: its tabs in Arduino's order, other sources, and headers beside them."""

    name: str
    folder: Path
    tabs: tuple[Path, ...]
    sources: tuple[Path, ...]
    headers: tuple[Path, ...]

    @property
    def all(self) -> tuple[Path, ...]:
        """Give every file."""
        return self.tabs + self.sources + self.headers


def find_sketches(path: str | Path) -> list[SketchFiles]:
    """Return the sketch that an .ino file or a folder is, or those in the folders below it, by path.

    A folder is a sketch when it has a tab named like itself, a single tab, or a single tab with a loop().
    Other .ino files side by side are a sketch each.

    Raises:
        SketchError: nothing there, no .ino file, or no folder that holds one.
    """
    given = Path(path)
    if given.is_file():
        if given.suffix != ".ino":
            raise SketchError(f"{given}: not a sketch; name an .ino file or a folder with one")
        main = given.absolute()
        return [_sketch(main.stem, _tabs_of(main), main.parent)]
    if not given.is_dir():
        raise SketchError(f"{given}: no such file or folder; name an .ino file or a folder with one")
    found = [sketch for folder in _folders(given.absolute()) for sketch in _sketches_in(folder)]
    if not found:
        raise SketchError(f"{given}: no .ino file in this folder; a sketch is a folder with one, named alike")
    return found


def find_sketch(path: str | Path) -> SketchFiles:
    """Return the one sketch at a path.

    Raises:
        SketchError: as `find_sketches`, or there are several.
    """
    found = find_sketches(path)
    if len(found) > 1:
        names = ", ".join(sketch.name for sketch in found[:5]) + (", …" if len(found) > 5 else "")
        raise SketchError(f"{path}: holds {len(found)} sketches ({names}); name one of them")
    return found[0]


def _folders(root: Path) -> list[Path]:
    """Return the folders with .ino files: the root alone where it has some, else those nearest below it."""
    if _tabs_in(root):
        return [root]
    below = sorted(p for p in root.iterdir() if p.is_dir() and not p.name.startswith("."))
    return [folder for child in below for folder in _folders(child)]


def _tabs_in(folder: Path) -> list[Path]:
    tabs = (p for p in folder.iterdir() if p.suffix == ".ino" and p.is_file() and not p.name.startswith("."))
    return sorted(tabs, key=lambda tab: (tab.name.lower(), tab.name))


def _main_of(folder: Path, tabs: list[Path]) -> Path | None:
    """Return the main tab of a folder that is one sketch."""
    named = [tab for tab in tabs if tab.stem == folder.name]
    if named or len(tabs) == 1:
        return (named or tabs)[0]
    with_loop = [tab for tab in tabs if _LOOP.search(tab.read_text(encoding="utf-8", errors="replace"))]
    return with_loop[0] if len(with_loop) == 1 else None


def _tabs_of(main: Path) -> list[Path]:
    """Return all tabs of the sketch whose main tab this is; the file alone where it is not one."""
    tabs = _tabs_in(main.parent)
    if _main_of(main.parent, tabs) != main:
        return [main]
    return [main, *(tab for tab in tabs if tab != main)]


def _sketches_in(folder: Path) -> list[SketchFiles]:
    tabs = _tabs_in(folder)
    main = _main_of(folder, tabs)
    if main is None:
        return [_sketch(tab.stem, [tab], folder) for tab in tabs]
    return [_sketch(main.stem, _tabs_of(main), folder)]


def _sketch(name: str, tabs: list[Path], folder: Path) -> SketchFiles:
    beside = [p for p in folder.iterdir() if p.is_file()]
    below = [p for p in (folder / "src").rglob("*") if p.is_file()]
    files = sorted(p for p in beside + below if not p.name.startswith("."))
    sources = tuple(p for p in files if p.suffix in SOURCES)
    return SketchFiles(name, folder, tuple(tabs), sources, tuple(p for p in files if p.suffix in HEADERS))
