"""A table that stands still: it keeps poses and buttons as the real one does, without any firmware."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ["SDL_VIDEODRIVER"] = "dummy"

import pygame

from blinks_sim import commands
from blinks_sim.errors import TableError
from blinks_sim.hexgrid import Cell, Pose, contacts, overlaps
from blinks_sim.moments import Frame, TileView


def view(number: int, pose: Pose, faces: Any = None, fault: str | None = None) -> TileView:
    """Make what is seen of a tile."""
    light = np.zeros((6, 3), dtype=np.float32) if faces is None else np.asarray(faces, dtype=np.float32)
    light = np.broadcast_to(light, (6, 3)).copy()
    place = pose.place or (None, None)
    return TileView(number, "fracture", pose, *place, False, False, light, (None,) * 6, fault)


def frame_of(*tiles: TileView, time_s: float = 0.0) -> Frame:
    poses = {tile.id: tile.pose for tile in tiles}
    return Frame(round(time_s * 1e4), time_s, tiles, frozenset(contacts(poses)))


class StillTable:
    """Carry out commands on tiles that run nothing."""

    def __init__(self, poses: dict[int, Pose]) -> None:
        self.views = {number: view(number, pose) for number, pose in poses.items()}
        self.time_s = 0.0
        self.record: list[tuple[float, commands.Command]] = []

    def submit(self, command: commands.Command) -> None:
        views = dict(self.views)
        match command:
            case commands.Move(poses, lifted):
                for number, pose in poses:
                    views[number] = replace(views[number], pose=pose, lifted=lifted)
            case commands.Add(_, pose, _, _):
                views[max(views, default=-1) + 1] = view(max(views, default=-1) + 1, pose)
            case commands.Remove(numbers):
                for number in numbers:
                    del views[number]
            case commands.Press(number) | commands.Release(number):
                if number not in views:
                    raise TableError(f"there is no tile {number} on the table")
                views[number] = replace(views[number], pressed=isinstance(command, commands.Press))
        lying = {number: tile.pose for number, tile in views.items() if not tile.lifted}
        if overlaps(lying):
            raise TableError(f"tiles would overlap: {overlaps(lying)}")
        self.views = views
        self.record.append((self.time_s, command))


class StillSource:
    """Stand in for a pacer; time passes when the test says so."""

    def __init__(self, table: StillTable) -> None:
        self.table = table
        self.speed = 1.0
        self.percent = 100.0

    @property
    def frame(self) -> Frame:
        return frame_of(*self.table.views.values(), time_s=self.table.time_s)

    def submit(self, command: commands.Command) -> Future[None]:
        return self.call(lambda table: table.submit(command))

    def call(self, function: Callable[[Any], Any]) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(function(self.table))
        except TableError as error:
            done.set_exception(error)
        return done


class Driver:
    """Work a desk as a person would: the wall clock and the table's clock run on together."""

    def __init__(self, poses: dict[int, Pose], size: tuple[int, int] = (960, 640)) -> None:
        from blinks_sim.ui.app import Desk

        self.table = StillTable(poses)
        self.source = StillSource(self.table)
        self.desk = Desk(self.source, "image", size)  # type: ignore[arg-type]
        self.surface = pygame.Surface(size, depth=32)
        self.now_ms = 0.0
        self.at = (0, 0)
        self.held = 0  # mouse button

    def wait(self, ms: float) -> None:
        """Let time pass, a frame every 16 ms."""
        end = self.now_ms + ms
        while self.now_ms < end:
            step = min(16.0, end - self.now_ms)
            self.now_ms += step
            self.table.time_s += step / 1000 * self.source.speed
            self.desk.update(self.now_ms)
            self.desk.draw(self.surface, self.now_ms)

    def screen(self, pose: Pose) -> tuple[int, int]:
        x, y = self.desk.painter.to_screen(pose.x, pose.y)
        return round(x), round(y)

    def point(self, at: tuple[float, float] | Pose, steps: int = 8) -> None:
        """Move the pointer to a pixel or a place on the table."""
        to = self.screen(at) if isinstance(at, Pose) else at
        start = self.at
        for step in range(1, steps + 1):
            x = round(start[0] + (to[0] - start[0]) * step / steps)
            y = round(start[1] + (to[1] - start[1]) * step / steps)
            self._event(pygame.MOUSEMOTION, pos=(x, y), rel=(0, 0), buttons=(0, 0, 0))
            self.at = (x, y)
            self.wait(8)

    def down(self, button: int = 1) -> None:
        self._event(pygame.MOUSEBUTTONDOWN, pos=self.at, button=button)
        self.held = button

    def up(self) -> None:
        self._event(pygame.MOUSEBUTTONUP, pos=self.at, button=self.held)

    def drag(
        self, start: tuple[float, float] | Pose, *stops: tuple[float, float] | Pose, button: int = 1
    ) -> None:
        """Press, move through stops, let go."""
        self.point(start)
        self.down(button)
        for stop in stops:
            self.point(stop)
        self.up()
        self.wait(200)

    def key(self, key: int, text: str = "") -> None:
        self._event(pygame.KEYDOWN, key=key, unicode=text, mod=0)

    def wheel(self, y: int) -> None:
        self._event(pygame.MOUSEWHEEL, x=0, y=y)

    def _event(self, kind: int, **fields: Any) -> None:
        self.desk.handle(pygame.Event(kind, **fields), self.now_ms)

    @property
    def poses(self) -> dict[int, Pose]:
        return {number: tile.pose for number, tile in self.table.views.items()}

    @property
    def done(self) -> list[commands.Command]:
        return [command for _, command in self.table.record]

    @property
    def said(self) -> str:
        return self.desk.words


@pytest.fixture(autouse=True)
def _fonts() -> None:
    pygame.font.init()
    pygame.display.init()


@pytest.fixture
def drive() -> Callable[..., Driver]:
    """Return a function: cells → a desk with tiles 0, 1, … on them, ready to be worked."""

    def make(*cells: Cell, size: tuple[int, int] = (960, 640)) -> Driver:
        driver = Driver({number: Pose.of(cell) for number, cell in enumerate(cells)}, size)
        driver.wait(16)
        return driver

    return make
