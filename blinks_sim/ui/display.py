"""Whether there is a display, and a window on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pygame

from ..errors import UsageError
from ..hexgrid import Pose
from ..picture import Painter, Size

SMALLEST: Size = (480, 360)
DENSE_HIGH = 1800  # a desktop with so many lines gets a window of twice the size
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
_NO_DISPLAY = {"offscreen", "dummy"}  # SDL falls back on these without a word


def available() -> bool:
    """Tell whether a window would be seen, or was asked for where nobody sees it (SDL_VIDEODRIVER=dummy)."""
    chosen = os.environ.get("SDL_VIDEODRIVER")
    if sys.platform == "linux" and not (chosen or any(os.environ.get(name) for name in _DISPLAYS)):
        return False  # without asking SDL, whose search for a display makes other libraries complain
    try:
        pygame.display.init()
        driver = pygame.display.get_driver()
    except pygame.error:
        return False
    return driver not in _NO_DISPLAY or driver == chosen


@contextmanager
def window(title: str, size: Size) -> Iterator[pygame.Window]:
    """Open a resizable window for the length of a `with`.

    Raises `UsageError` where the display refuses it.
    """
    try:
        pygame.display.init()
        pygame.font.init()
        if pygame.display.get_driver() == "x11":
            # Drawing is in software: going through a texture costs some 6 ms a frame on a software display.
            os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
        made = pygame.Window(title, _within_desktop(size), resizable=True)
    except pygame.error as problem:
        raise UsageError(f"cannot open a window: {problem}; run with --headless") from problem
    try:
        made.minimum_size = SMALLEST
        made.set_icon(_icon())
        yield made
    finally:
        made.destroy()
        pygame.display.quit()


def _icon() -> pygame.Surface:
    """Return a tile with a color on each face."""
    colors = [(1, 0, 0), (1, 0.3, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1)]
    surface = pygame.Surface((64, 64), pygame.SRCALPHA)
    painter = Painter(30.0, (32.0, 32.0))
    painter.tiles(surface, [(Pose(0.0, 0.0), np.array(colors, dtype=np.float32), None)])
    return surface


def _within_desktop(size: Size) -> Size:
    """Return a window's size: larger on a dense desktop, never larger than it."""
    wide, high = pygame.display.get_desktop_sizes()[0]
    if high >= DENSE_HIGH:
        size = (size[0] * 2, size[1] * 2)
    return min(size[0], wide), min(size[1], high)
