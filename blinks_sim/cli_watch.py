"""Sketches that are watched while they run: saved, built again, and flashed to the tiles where they lie."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from .commands import Flash
from .errors import BlinksError
from .table import Table

if TYPE_CHECKING:
    from .image import Image
    from .pace import Pacer

_LOOK_S = 0.15
_SOURCES = {".ino", ".h", ".hh", ".hpp", ".inc", ".cpp", ".cc", ".cxx", ".c", ".S"}


class Watch:
    """Look at the files of sketches now and then, on a thread of its own, as a context manager.

    `images` gives by path what the sketches built to at first; `build` builds one anew. A sketch that does
    not build leaves its tiles as they are, and tiles that were flashed with something else are left alone.
    """

    def __init__(self, pacer: Pacer, images: Mapping[str, Image], build: Callable[[str], Image]) -> None:
        self._pacer = pacer
        self._build = build
        self._current = dict(images)
        self._seen = {path: _stamps(path) for path in images}
        self._renewed: dict[Image, Image] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._main, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *rest: object) -> None:
        self._over.set()
        self._thread.join()

    def look(self) -> None:
        """Build what was saved since the last look, and flash it to the tiles that run what it was before."""
        for path, seen in self._seen.items():
            stamps = _stamps(path)
            if stamps != seen:
                self._seen[path] = stamps
                self._renew(path)
        if self._renewed:  # a tile may have been added with an image of before
            self._pacer.call(self._flash)

    def _main(self) -> None:
        while not self._over.wait(_LOOK_S):
            self.look()

    def _renew(self, path: str) -> None:
        try:
            image = self._build(path)
        except BlinksError as error:
            click.echo(f"blinks-sim: {error}", err=True)
            return
        before, self._current[path] = self._current[path], image
        if image == before:
            return
        renewed = {old: image if new == before else new for old, new in self._renewed.items()}
        self._renewed = {old: new for old, new in {**renewed, before: image}.items() if old != image}
        click.echo(f"{image.name}: built again, {image.sketch_bytes:,} bytes", err=True)

    def _flash(self, table: Table) -> None:
        for tile in table.tiles:
            image = self._renewed.get(tile.image)
            if image is not None:
                table.submit(Flash(tile.id, image))


def _stamps(path: str) -> dict[str, tuple[int, int]]:
    """Return size and time of every source in a sketch's folder, one folder down, and under src/."""
    given = Path(path)
    folder = given if given.is_dir() else given.parent
    stamps = {}
    for file in [*folder.glob("*"), *folder.glob("*/*"), *(folder / "src").rglob("*")]:
        try:
            if file.suffix in _SOURCES and file.is_file():
                facts = file.stat()
                stamps[str(file)] = (facts.st_size, facts.st_mtime_ns)
        except OSError:  # gone while we looked: that is a change too
            continue
    return stamps
