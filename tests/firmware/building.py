"""Build sketches for tests, and run them."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from blinks_sim import Image, Table
from blinks_sim.sketch import SketchError, build
from blinks_sim.sketch.toolchain import find_toolchain

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
    need_tools()
    with tempfile.TemporaryDirectory() as folder:
        tab = Path(folder) / "probe.ino"
        tab.write_text(text, encoding="utf-8")
        return build(tab).image


def need_tools() -> None:
    """Skip the test where no avr-gcc is installed."""
    try:
        find_toolchain()
    except SketchError as error:
        pytest.skip(str(error))


def printed(text: str, seconds: float = 1.0) -> list[str]:
    """Return the lines a sketch prints on a tile of its own, up to the line `end`, which it must print."""
    table = Table(seed=1)
    tile = table.add(build_sketch(text))
    table.run(seconds)
    assert tile.fault is None
    lines = tile.serial.split("\r\n")
    assert lines[-2:] == ["end", ""], f"unfinished: …{lines[-3:]}"
    return lines[:-2]
