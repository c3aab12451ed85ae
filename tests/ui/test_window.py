"""The whole way: real mouse events, a real window, real firmware."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from blinks_sim.layout import Layout

SIZE = (1280, 800)
RED, BLUE, YELLOW = (1, 0, 0), (0, 0, 1), (1, 1, 0)


def helper(name: str) -> ModuleType:
    """Load a module that lies beside the tests."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Desk:
    """The real desk with a triangle of Fracture, as its user sees it."""

    def __init__(self, screen, spots):
        self.screen = screen
        self.spots = spots

    def look(self):
        """Return the color of each tile near its upper face: array (tiles, 3), 0–255."""
        shown = self.screen.picture()
        return np.array([shown[y - 34, x] for x, y in self.spots]).astype(int)

    def shows(self, tile, color):
        """Tell whether a tile is lit in a color."""
        seen = self.look()[tile]
        on = [channel for channel in range(3) if color[channel]]
        off = [channel for channel in range(3) if not color[channel]]
        return seen[on].min() > 170 and seen[off].max() < 120

    def dark(self, tile):
        return self.look()[tile].max() < 110

    def watch_until(self, what, check):
        """Watch until what was seen is enough; return how often each tile went from lit to dark."""
        blinks = [0] * len(self.spots)
        was_dark = [self.dark(tile) for tile in range(len(self.spots))]

        def enough():
            for tile, before in enumerate(was_dark):
                was_dark[tile] = self.dark(tile)
                blinks[tile] += was_dark[tile] and not before
            return check(blinks)

        self.screen.await_true(what, enough)
        return blinks

    def triple_click(self, tile):
        self.screen.do("mousemove", *self.spots[tile])
        self.screen.do("click", "--repeat", 3, "--delay", 80, 1)


@pytest.fixture
def desk(need_program, drive, tmp_path) -> Iterator[Desk]:
    helping = helper("screen")
    spots = [spot.cell for spot in Layout.load("triangle", 3).spots]
    like = drive(*spots, size=SIZE)  # knows where in a window of this size the tiles are drawn
    places = [like.screen(pose) for pose in like.poses.values()]
    command = [sys.executable, "-m", "blinks_sim", "run", "fracture", "--layout", "triangle", "--tiles", "3"]
    with helping.screen(SIZE, tmp_path, need_program("Xvfb"), need_program("xdotool")) as screen:
        program = subprocess.Popen(command, env=screen.environment, stderr=subprocess.PIPE, text=True)
        try:
            yield Desk(screen, places)
            program.send_signal(signal.SIGTERM)
            _, told = program.communicate(timeout=20)
            assert (program.returncode, told) == (0, "")
        finally:
            program.kill()
            program.wait()


def test_a_triangle_played_by_mouse(desk, tmp_path):
    """Triple clicks make the three tiles differ, and all blink; two made equal stop, the third blinks on."""
    wait = desk.screen.await_true
    wait("three red tiles", lambda: all(desk.shows(tile, RED) for tile in range(3)))
    desk.triple_click(1)
    wait("tile 1 blue", lambda: desk.shows(1, BLUE))
    desk.triple_click(2)
    wait("tile 2 blue", lambda: desk.shows(2, BLUE))
    desk.triple_click(2)
    wait("tile 2 yellow", lambda: desk.shows(2, YELLOW))
    desk.watch_until("all three blink", lambda blinks: min(blinks) >= 2)

    desk.triple_click(1)
    wait("tiles 1 and 2 yellow", lambda: desk.shows(1, YELLOW) and desk.shows(2, YELLOW))
    blinks = desk.watch_until("tile 0 blinks on", lambda blinks: blinks[0] >= 3)
    assert blinks[1:] == [0, 0]
    desk.screen.save(tmp_path / "triangle.png")


@pytest.mark.long
@pytest.mark.parametrize(("key", "times"), [("minus", 3), ("plus", 3)])
def test_triple_clicks_count_at_any_speed(desk, key, times):
    """At a tenth of real time, and at eight times real time, a triple click by hand is a triple click."""
    wait = desk.screen.await_true
    wait("three red tiles", lambda: all(desk.shows(tile, RED) for tile in range(3)))
    for _ in range(times):
        desk.screen.do("key", key)
    desk.triple_click(1)
    wait("tile 1 blue", lambda: desk.shows(1, BLUE))
    desk.triple_click(2)
    wait("tile 2 blue", lambda: desk.shows(2, BLUE))
