"""Build a sketch anew, again, and after a save with its tiles on a table; print the wall times as JSON.

python tools/bench/sketches.py
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path

from blinks_sim import Table
from blinks_sim.cli_build import sketch_image
from blinks_sim.cli_watch import Watch
from blinks_sim.pace import Pacer
from blinks_sim.sketch import SketchError, build
from blinks_sim.sketch.toolchain import find_toolchain

TEXT = """
Timer timer;
void setup() { randomize(); }
void loop() {
    if (timer.isExpired()) { timer.set(100 + random(100)); show(random(255)); }
    setValueSentOnAllFaces(buttonPressed());
}
void show(byte hue) { FOREACH_FACE(f) { setColorOnFace(makeColorHSB(hue + 40 * f, 255, 200), f); } }
"""
LIMIT_S = 30.0


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def save_to_tiles_s(sketch: Path) -> float:
    """Return the time from a save to the moment when all tiles of a running table have the new image."""
    first = sketch_image(str(sketch), None)
    table = Table()
    for cell in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)]:
        table.add(first, cell=cell)

    def old(table: Table) -> bool:
        return any(tile.image == first for tile in table.tiles)

    def saved() -> None:
        sketch.write_text(TEXT.replace("200), f", "100), f"), encoding="utf-8")
        end = time.perf_counter() + LIMIT_S
        while pacer.call(old).result() and time.perf_counter() < end:
            time.sleep(0.002)

    with (
        redirect_stderr(io.StringIO()),  # the watch says what it did
        Pacer(table) as pacer,
        Watch(pacer, {str(sketch): first}, lambda path: sketch_image(path, None)),
    ):
        return seconds(saved)


def main() -> None:
    """Print one object; it is empty where there is no tool chain."""
    try:
        find_toolchain()
    except SketchError as error:
        print(f"no sketch is built: {error}", file=sys.stderr)
        print("{}")
        return
    with tempfile.TemporaryDirectory() as name:
        os.environ["BLINKS_CACHE"] = str(Path(name) / "cache")
        sketch = Path(name) / "sketch" / "sketch.ino"
        sketch.parent.mkdir()
        sketch.write_text("void setup() {}\nvoid loop() {}\n", encoding="utf-8")
        build(sketch)  # the library
        sketch.write_text(TEXT, encoding="utf-8")
        taken = {
            "sketch_cold_s": seconds(lambda: build(sketch)),
            "sketch_cached_s": seconds(lambda: build(sketch)),
            "save_to_tiles_s": save_to_tiles_s(sketch),
        }
    print(json.dumps(taken))


main()
