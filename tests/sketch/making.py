"""Write sketches for tests, build them, and run them on a tile of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from blinks_sim import Table, Tile
from blinks_sim.sketch import Build, SketchError, build

from ..firmware.building import need_tools

PORT = '#include "Serial.h"\nServicePortSerial port;\n'


def write(folder: Path, **files: str) -> Path:
    """Write a sketch folder; names use `__` for a slash and `_` before the extension for its dot."""
    for name, text in files.items():
        stem, _, extension = name.replace("__", "/").rpartition("_")
        path = folder / f"{stem}.{extension}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def made(folder: Path, **files: str) -> Build:
    """Return the build of a sketch folder written now; its main tab is named like the folder."""
    need_tools()
    return build(write(folder, **files))


def errors(folder: Path, **files: str) -> list[str]:
    """Return the errors and warnings of a sketch that does not build, files relative to its folder."""
    need_tools()
    with pytest.raises(SketchError) as caught:
        build(write(folder, **files))
    assert str(caught.value).count("\n") == 0
    return [str(message).replace(f"{folder}/", "") for message in caught.value.messages]


def running(built: Build, seconds: float = 0.8) -> Tile:
    """Return a tile that has run a sketch for a while without a fault."""
    table = Table(seed=1)
    tile = table.add(built.image)
    table.run(seconds)
    assert tile.fault is None
    return tile


def printed(built: Build, seconds: float = 0.8) -> list[str]:
    """Return the lines that a sketch prints, up to the line `end`, which it must print."""
    lines = running(built, seconds).serial.split("\r\n")
    assert lines[-2:] == ["end", ""], f"unfinished: …{lines[-3:]}"
    return lines[:-2]
