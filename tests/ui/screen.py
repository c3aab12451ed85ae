"""A real X display in memory, and real mouse and keys on it."""

from __future__ import annotations

import os
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pygame

DEADLINE_S = 30.0  # only ever reached when something is broken


class Screen:
    """Show and work what is on a display of Xvfb, whose memory is a file."""

    def __init__(self, display: str, memory: Path, xdotool: str) -> None:
        self.environment = {**os.environ, "DISPLAY": display}
        self.environment.pop("SDL_VIDEODRIVER", None)
        self._memory = memory
        self._xdotool = xdotool

    def do(self, *words: object) -> None:
        """Have xdotool do something."""
        subprocess.run([self._xdotool, *map(str, words)], env=self.environment, check=True)

    def picture(self) -> npt.NDArray[np.uint8]:
        """Return what the display shows: array (height, width, 3) of red, green, blue."""
        data = self._memory.read_bytes()
        header = struct.unpack(">25I", data[:100])  # an X window dump, big-endian
        size, width, height, line, colors = header[0], header[4], header[5], header[12], header[19]
        pixels = np.frombuffer(data, dtype=np.uint8, offset=size + 12 * colors, count=line * height)
        return pixels.reshape(height, line // 4, 4)[:, :width, 2::-1].copy()

    def save(self, path: Path) -> None:
        """Write what the display shows to a file."""
        pygame.image.save(pygame.surfarray.make_surface(self.picture().swapaxes(0, 1)), path)

    def await_true(self, what: str, check: Callable[[], bool]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + DEADLINE_S
        while not check():
            assert time.monotonic() < end, f"it never came to this: {what}"
            time.sleep(0.03)


@contextmanager
def screen(size: tuple[int, int], folder: Path, xvfb: str, xdotool: str) -> Iterator[Screen]:
    """Run an X display of a size for the length of a `with`."""
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [xvfb, "-displayfd", str(writing), "-screen", "0", f"{size[0]}x{size[1]}x24", "-fbdir", str(folder)],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as number:
            display = f":{number.readline().strip()}"
        yield Screen(display, folder / "Xvfb_screen0", xdotool)
    finally:
        server.terminate()
        server.wait()
