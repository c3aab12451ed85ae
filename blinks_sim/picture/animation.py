"""Frames → an animated GIF, without a window."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pygame
from PIL import Image as Picture

from ..errors import UsageError
from ..moments import Frame
from . import render

_COLORS = 64


def animate(frames: Iterable[Frame], path: Path, size: tuple[int, int], step_s: float) -> None:
    """Draw frames of `size` (width, height) into an animated GIF that shows each for `step_s` seconds.

    Raises:
        UsageError: there is nothing to draw, or the file cannot be written.
    """
    pictures = [
        Picture.frombytes("RGB", size, pygame.image.tobytes(render(frame, size=size), "RGB")).quantize(
            _COLORS
        )
        for frame in frames
        if frame.tiles
    ]
    if not pictures:
        raise UsageError(f"{path}: there are no tiles to draw; record a run that has some")
    shown_ms = round(1000 * step_s)
    try:
        pictures[0].save(path, "GIF", save_all=True, append_images=pictures[1:], duration=shown_ms, loop=0)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); name another place") from None
