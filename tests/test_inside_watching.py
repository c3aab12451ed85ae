from __future__ import annotations

import io
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from blinks_sim import Image, Table
from blinks_sim.irlog import IrLog
from blinks_sim.profile import Profiler
from blinks_sim.trace import Trace

IMAGES = ["clicks", "values", "datagrams"]
TILES = 4

DEEDS = st.tuples(
    st.sampled_from(["press", "release", "reset", "send", "flash", "move", "nothing"]),
    st.integers(0, TILES - 1),
)
LOOKS = st.tuples(st.sampled_from(["log", "trace", "profile", "close", "nothing"]), st.integers(0, TILES - 1))
STEPS = st.lists(st.tuples(st.integers(0, 300), DEEDS, LOOKS), min_size=3, max_size=10)


def do(table: Table, deed: str, number: int) -> None:
    tile = table.tile(number)
    match deed:
        case "send":
            tile.send(b"x")
        case "flash":
            tile.flash(Image.load(IMAGES[number % len(IMAGES)]))
        case "move":
            table.move([tile], (number, 1 if tile.cell == (number, 0) else 0))
        case "press" | "release" | "reset":
            getattr(tile, deed)()


def look(table: Table, kind: str, number: int, watchers: list[Any]) -> None:
    match kind:
        case "log":
            watchers.append(IrLog(table))
        case "trace":
            watchers.append(Trace(table, io.StringIO(), pins=["PC1"]))
        case "profile":
            watchers.append(Profiler(table, table.tile(number)))
        case "close" if watchers:
            watchers.pop(number % len(watchers)).close()


@settings(max_examples=10)
@given(STEPS)
def test_looking_never_changes_anything(steps: list[tuple[int, tuple[str, int], tuple[str, int]]]):
    """Whatever is done and whoever looks, the digests stay those of a table that nobody looks at."""
    digests: list[list[str]] = []
    for watched in (False, True):
        table = Table(seed=1)
        for number in range(TILES):
            table.add(Image.load(IMAGES[number % len(IMAGES)]), (number, 0))
        table.run(0.65)
        watchers: list[Any] = []
        digests.append([])
        for milliseconds, deed, sight in steps:
            do(table, *deed)
            if watched:
                look(table, *sight, watchers)
            table.run(milliseconds / 1000)
            digests[-1].append(table.digest())
    assert digests[0] == digests[1]
