"""Who may know whom: the import rules of the house, checked on the source text."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# A part may import parts of a later row, never of its own row or an earlier one.
ROWS = [
    {"cli"},
    {"cli_inside"},
    {"cli_build", "cli_new", "cli_session", "cli_watch"},
    {"ui", "hardware", "testing", "starter"},
    {"irlog", "trace", "profile"},
    {"session", "picture", "pace", "sketch", "start"},
    {"table"},
    {"watching"},
    {"tile", "moments"},
    {"commands"},
    {"variables"},
    {"core", "image", "layout", "colors"},
    {"game", "hexgrid", "errors"},
]
# Beside the rows: modules and fracture stand apart and know only these.
APART = {
    "modules": {"game", "hexgrid", "errors"},
    "fracture": {"game", "hexgrid", "errors", "table", "picture"},
}
OUTSIDERS = {"pygame": {"picture", "ui"}, "pygame_gui": {"ui"}, "serial": {"hardware"}}
# What the package itself offers, and where it lives.
FACE = {"BlinksError": "errors", "Image": "image", "Table": "table", "Tile": "tile"}
# errors, the grid and the game's protocols lie in one row; the rules of a row may still raise our errors.
EVERYBODY_MAY = {"errors"}


def sources() -> list[Path]:
    return [p for package in ("blinks_sim", "fracture") for p in sorted((ROOT / package).rglob("*.py"))]


def part_of(path: Path) -> str:
    """Name the part of the house a source file belongs to: ui, table, fracture …"""
    package, *inner = path.relative_to(ROOT).with_suffix("").parts
    part = package if package == "fracture" else inner[0]
    return "cli" if part == "__main__" else part


def imports(path: Path) -> Iterator[str]:
    """Yield the full dotted name of everything a file imports, wherever in the file."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, node.module) if node.module else base)
            yield from (f"{module}.{alias.name}" for alias in node.names)


def row_of(part: str) -> int:
    return next(number for number, row in enumerate(ROWS) if part in row)


def allowed(importer: str, imported: str) -> bool:
    if importer == imported or imported in EVERYBODY_MAY:
        return True
    if importer in APART:
        return imported in APART[importer]
    if imported in APART:
        return importer == "cli"
    return row_of(importer) < row_of(imported)


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path: Path):
    """A source file imports only parts that it may know."""
    importer = part_of(path)
    broken = []
    for name in imports(path):
        first, *inner = name.split(".")
        if first in OUTSIDERS and importer not in OUTSIDERS[first]:
            broken.append(name)
        if first == "fracture" and importer not in ("fracture", "cli"):
            broken.append(name)
        if first == "blinks_sim" and importer != "__init__":
            target = FACE.get(inner[0], inner[0]) if inner else None
            if target is None or not allowed(importer, target):
                broken.append(name)
    assert not broken, f"{importer} may not import {', '.join(broken)}"


def test_every_part_has_its_place():
    """Each module of the package lies in one row of the house."""
    parts = {part_of(path) for path in sources()} - {"__init__"}
    assert parts <= set().union(*ROWS) | set(APART)


def test_the_rules_can_be_broken():
    """Imports against the arrows are told apart from imports along them."""
    for importer, imported in [
        ("cli", "ui"),
        ("table", "core"),
        ("cli", "fracture"),
        ("fracture", "picture"),
    ]:
        assert allowed(importer, imported), (importer, imported)
    for importer, imported in [
        ("core", "table"),
        ("ui", "hardware"),
        ("modules", "table"),
        ("fracture", "ui"),
        ("ui", "fracture"),
        ("tile", "table"),
        ("hexgrid", "game"),
    ]:
        assert not allowed(importer, imported), (importer, imported)


def test_names_are_found_however_they_are_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Absolute, relative and deferred imports all count."""
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    folder = tmp_path / "blinks_sim" / "ui"
    folder.mkdir(parents=True)
    path = folder / "app.py"
    path.write_text(
        "import pygame.font\n"
        "from ..table import Table\n"
        "from .. import session\n"
        "from . import scene\n"
        "def late():\n    from blinks_sim.core import run\n"
    )
    assert set(imports(path)) == {
        "pygame.font",
        "blinks_sim.table.Table",
        "blinks_sim.session",
        "blinks_sim.ui.scene",
        "blinks_sim.core.run",
    }


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("not a git clone: no list of the project's files")
    return [ROOT / name for name in listing.stdout.split("\0") if name]


def test_no_file_leans_on_a_folder_outside():
    """No file of the project names a path that leaves it, or one of somebody's machine."""
    outside = re.compile("|".join([r"\.\./sh" + "ared", r"/wo" + r"rk/\w", r"/home/\w+/"]))
    bad = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        bad += [f"{path.relative_to(ROOT)}: {hit[0]}" for hit in outside.finditer(text)]
    assert not bad
