"""Build sketches for tests with the project's own build script, and run them."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from blinks_sim import Image, Table

SCRIPT = Path(__file__).parents[2] / "tools" / "build_firmware.py"


@cache
def build_script() -> ModuleType:
    """Return tools/build_firmware.py as a module."""
    spec = importlib.util.spec_from_file_location("build_firmware", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@cache
def build_sketch(text: str) -> Image:
    """Return the image of a sketch's text with our BIOS; skip the test where no avr-gcc is installed."""
    script = build_script()
    try:
        tools = script.find_tools()
    except script.BuildError as error:
        pytest.skip(str(error))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "probe"
        home.mkdir()
        (home / "probe.ino").write_text(text, encoding="utf-8")
        keep = Path(folder) / "build"
        script.build_sketch(tools, script.Sketch("probe", home, ()), keep)
        return Image.load(keep / "probe" / "image.elf")


def printed(text: str, seconds: float = 1.0) -> list[str]:
    """Return the lines a sketch prints on a tile of its own, up to the line `end`, which it must print."""
    table = Table(seed=1)
    tile = table.add(build_sketch(text))
    table.run(seconds)
    assert tile.fault is None
    lines = tile.serial.split("\r\n")
    assert lines[-2:] == ["end", ""], f"unfinished: …{lines[-3:]}"
    return lines[:-2]
