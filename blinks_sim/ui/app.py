"""The desk's window: events in, commands out, at most 60 pictures a second."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

import pygame

from .. import commands
from ..errors import TableError
from ..hexgrid import Pose, clusters
from ..image import Image
from ..moments import Frame, TileView
from ..picture import Painter, Size, bounds, fit
from . import texts
from .buttons import Buttons
from .display import window
from .hands import Hands, place_for_new
from .motion import Motion
from .scene import Extras, draw_table
from .source import Source
from .toolbar import State, Toolbar
from .words import Hints, StatusLine, draw_help, draw_note

WINDOW: Size = (1280, 800)
FRAMES_PER_S = 60
SPEEDS = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
SAID_MS = 4000.0
METER_MS = 200.0
REST_MS = 500.0  # a pointer that rests on a tile so long wants to know its number
ROOM = 1.5  # radii of empty desk around the tiles
LARGEST = 74.0  # pixels a radius at usual size

_KEYS = {
    pygame.K_SPACE: "pause",
    pygame.K_PLUS: "faster",
    pygame.K_EQUALS: "faster",
    pygame.K_KP_PLUS: "faster",
    pygame.K_RIGHTBRACKET: "faster",
    pygame.K_MINUS: "slower",
    pygame.K_KP_MINUS: "slower",
    pygame.K_LEFTBRACKET: "slower",
    pygame.K_a: "add",
    pygame.K_INSERT: "add",
    pygame.K_DELETE: "remove",
    pygame.K_BACKSPACE: "remove",
    pygame.K_r: "reset",
    pygame.K_h: "help",
    pygame.K_F1: "help",
    pygame.K_i: "numbers",
    pygame.K_f: "fit",
    pygame.K_ESCAPE: "cancel",
    pygame.K_q: "turn left",
    pygame.K_e: "turn right",
}
_SIGNS = {"+": "faster", "]": "faster", "-": "slower", "[": "slower", "?": "help"}


def run_desk(
    source: Source, *, title: str, image: Image, until_s: float | None = None, size: Size = WINDOW
) -> None:
    """Open the desk's window and work it until it is closed; `image` is what an added tile runs.

    With `until_s` it closes by itself once the table's time has come so far.

    Raises `UsageError` where no window can be opened.
    """
    with window(title, size) as opened:
        desk = Desk(source, image, opened.size)
        clock = pygame.time.Clock()
        while until_s is None or source.frame.time_s < until_s:
            for event in pygame.event.get():
                if event.type == pygame.QUIT:
                    return
                desk.handle(event, pygame.time.get_ticks())
            surface = opened.get_surface()
            if surface.get_size() != desk.size:
                desk.resize(surface.get_size())
            desk.update(pygame.time.get_ticks())
            if desk.draw(surface, pygame.time.get_ticks()):
                opened.flip()
            clock.tick(FRAMES_PER_S)


@dataclass(slots=True)
class _Sent:
    """Follow a move on its way to the table."""

    poses: dict[int, Pose]
    done: Future[None]


class Desk:
    """The desk without its window: give it events and let it draw. Times are milliseconds of the caller's."""

    def __init__(self, source: Source, image: Image, size: Size) -> None:
        self._source = source
        self._image = image
        self._sent: list[_Sent] = []
        self._other: list[Future[None]] = []
        self._buttons = Buttons(source)
        self.hands = Hands(self._submit, self._buttons.put, self.say)
        self._motion = Motion()
        self._speed = source.speed or 1.0
        self._paused = source.speed == 0
        self._pointer: tuple[int, int] | None = None
        self._button: int | None = None  # the mouse button that is down
        self.words = ""
        self._said_ms: float | None = None
        self._help = False
        self._numbers = False
        self._percent = (source.percent, -METER_MS)
        self._hovered: tuple[int | None, float] = (None, 0.0)
        self._drawn: object = None
        self.painter = Painter()
        self.frame: Frame = source.frame
        self._tiles: dict[int, TileView] = {}
        self._learn()
        self.resize(size)

    # Window and view ----------------------------------------------------------------------------------------

    def resize(self, size: Size) -> None:
        """Lay everything out anew for a window's size."""
        self.size = size
        self._zoom = min(max(min(size[0] / 1280, size[1] / 800), 0.78), 3.0)
        self.toolbar = Toolbar(size[0], self._zoom)
        self._status = StatusLine(size, self._zoom)
        self._hints = Hints(size, self._zoom, size[1] - self._status.height)
        self._drawn = None
        self.fit()

    @property
    def hinting(self) -> bool:
        """Tell whether the hints for newcomers are shown."""
        return not {"drag", "split", "click"} <= self.hands.done

    def _area(self) -> tuple[float, float, float, float]:
        """Return the part of the window that is table: x, y, width, height."""
        below = self._status.height + (self._hints.height if self.hinting else 0)
        return 0.0, self.toolbar.height, self.size[0], max(self.size[1] - self.toolbar.height - below, 1)

    def fit(self) -> None:
        """Show the whole table, centred."""
        box = bounds(self.hands.poses.values(), ROOM)
        self.painter.aim(*fit(box, self._area(), LARGEST * self._zoom))

    def _fit_if_outside(self) -> None:
        x, y, wide, high = self._area()
        left, top, width, height = bounds(self.hands.poses.values(), 0.0)
        from_x, from_y = self.painter.to_screen(left, top)
        to_x, to_y = self.painter.to_screen(left + width, top + height)
        if from_x < x or from_y < y or to_x > x + wide or to_y > y + high:
            self.fit()

    # From the table -----------------------------------------------------------------------------------------

    def update(self, now_ms: float) -> None:
        """Take the latest frame and let time pass."""
        self.frame = self._source.frame
        self._buttons.pass_on(self.frame.time_s)
        self._pace()
        self._learn()
        self.hands.wait(now_ms)
        self.hands.look()
        if self._said_ms is None:
            self._said_ms = now_ms
        elif self.words and now_ms - self._said_ms > SAID_MS and not self.hands.busy:
            self.words = ""
        if now_ms - self._percent[1] >= METER_MS:
            self._percent = (self._source.percent, now_ms)
        if not self.hands.busy:
            self._fit_if_outside()

    def _learn(self) -> None:
        self._tiles = {tile.id: tile for tile in self.frame.tiles}
        poses = {tile.id: tile.pose for tile in self.frame.tiles}
        waiting = []
        for sent in self._sent:
            arrived = all(poses.get(tile, pose) == pose for tile, pose in sent.poses.items())
            if sent.done.done() and (sent.done.exception() is not None or arrived):
                self._report(sent.done)
                continue
            # What the hand has put down lies there at once, though the table learns of it a little later.
            poses.update({tile: pose for tile, pose in sent.poses.items() if tile in poses})
            waiting.append(sent)
        self._sent = waiting
        for done in [done for done in self._other if done.done()]:
            self._other.remove(done)
            self._report(done)
        self.hands.see(poses)

    def _report(self, done: Future[None]) -> None:
        problem = done.exception()
        if isinstance(problem, TableError):
            self.say(str(problem))
        elif problem is not None:
            raise problem

    def _submit(self, command: commands.Command) -> None:
        done = self._source.submit(command)
        if isinstance(command, commands.Move):
            self._sent.append(_Sent(dict(command.poses), done))
        else:
            self._other.append(done)

    def say(self, words: str) -> None:
        """Show a line of text for a while."""
        self.words, self._said_ms = words, None

    def _pace(self) -> None:
        """Hand the speed on: while somebody clicks, time does not outrun the hand."""
        speed = 0.0 if self._paused else min(self._speed, 1.0) if self._buttons.busy else self._speed
        if speed != self._source.speed:
            self._source.speed = speed

    # From the user ------------------------------------------------------------------------------------------

    def handle(self, event: pygame.Event, now_ms: float) -> None:
        """Take one event of the window."""
        match event.type:
            case pygame.MOUSEMOTION:
                self._pointer = event.pos
                self.hands.wait(now_ms)
                self.hands.move(self.painter.to_table(*event.pos), self.painter.scale)
            case pygame.MOUSEBUTTONDOWN if event.button in (1, 3) and self._button is None:
                self._pointer, self._button = event.pos, event.button
                self._point(event, now_ms)
            case pygame.MOUSEBUTTONUP if event.button == self._button:
                self._pointer, self._button = event.pos, None
                self.hands.wait(now_ms)
                self.hands.up()
            case pygame.MOUSEWHEEL if event.y:
                self.hands.turn(-1 if event.y > 0 else 1)
            case pygame.KEYDOWN:
                name = _KEYS.get(event.key) or _SIGNS.get(event.unicode)
                if name is not None:
                    self._do(name)
            case pygame.WINDOWLEAVE:
                self._pointer = None
            case pygame.WINDOWEXPOSED | pygame.WINDOWRESTORED:
                self._drawn = None
            case _:
                pass

    def _point(self, event: pygame.Event, now_ms: float) -> None:
        if self._help:
            self._help = False
            return
        if event.pos[1] < self.toolbar.height:
            name = self.toolbar.button_at(event.pos)
            if name is not None and event.button == 1:
                self._do(name, from_bar=True)
            return
        alone = event.button == 3 or bool(pygame.key.get_mods() & pygame.KMOD_ALT)
        self.hands.down(self.painter.to_table(*event.pos), now_ms, alone)

    def _do(self, name: str, from_bar: bool = False) -> None:
        match name:
            case "pause":
                self._paused = not self._paused
            case "faster" | "slower":
                self._change_speed(1 if name == "faster" else -1)
            case "add":
                self._add(from_bar)
            case "remove" | "reset":
                self._on_tile(name, from_bar)
            case "help":
                self._help = not self._help
                self.hands.done.add("help")
            case "numbers":
                self._numbers = not self._numbers
            case "fit":
                self.fit()
            case "cancel":
                if not self.hands.cancel():
                    self._help = False
            case "turn left" | "turn right":
                self.hands.turn(-1 if name == "turn left" else 1)

    def _change_speed(self, step: int) -> None:
        nearest = min(range(len(SPEEDS)), key=lambda index: abs(SPEEDS[index] - self._speed))
        self._speed = SPEEDS[min(max(nearest + step, 0), len(SPEEDS) - 1)]
        self._paused = False

    def _tile_pointed_at(self) -> int | None:
        if self._pointer is None or self._pointer[1] < self.toolbar.height:
            return None
        return self.hands.tile_at(self.painter.to_table(*self._pointer))

    def _add(self, from_bar: bool) -> None:
        if self.hands.busy:
            self.say(texts.BUSY)
            return
        x, y, wide, high = self._area()
        at = (x + wide / 2, y + high / 2)
        if not from_bar and self._pointer is not None:
            at = (min(max(self._pointer[0], x), x + wide), min(max(self._pointer[1], y), y + high))
        pose = place_for_new(self.hands.poses, self.painter.to_table(*at))
        if pose is None:
            self.say(texts.NO_ROOM_TO_ADD)
        else:
            self._submit(commands.Add(self._image, pose))

    def _on_tile(self, name: str, from_bar: bool) -> None:
        if self.hands.busy:
            self.say(texts.BUSY)
            return
        pointed = None if from_bar else self._tile_pointed_at()
        tile = self.hands.selected if pointed is None else pointed
        if tile is None or tile not in self._tiles:
            self.say(texts.NO_TILE)
        else:
            self._submit(commands.Remove((tile,)) if name == "remove" else commands.Reset(tile))

    # To the screen ------------------------------------------------------------------------------------------

    def draw(self, onto: pygame.Surface, now_ms: float) -> bool:
        """Draw the window; tell whether anything has changed since the last time."""
        held = self.hands.held
        if held is not None:
            held.swing *= 0.72 if abs(held.swing) > 1.0 else 0.0
        seen = self._motion.seen(self.hands.poses, held.poses(seen=True) if held else {}, now_ms)
        hovered = None if self.hands.busy or self._help else self._tile_pointed_at()
        if hovered != self._hovered[0]:
            self._hovered = (hovered, now_ms)
        rested = hovered if now_ms - self._hovered[1] >= REST_MS else None
        button = self.toolbar.button_at(self._pointer) if self._pointer is not None else None
        state = State(self._speed, self._paused, self._percent[0], button)
        words, alert = self._status_words(hovered, button)
        look = (
            tuple((t.id, seen[t.id], t.faces.tobytes(), t.fault, t.pressed) for t in self.frame.tiles),
            (self.hands.selected, hovered, rested, self._numbers, self._help, self.hands.pressed),
            held and (held.pointer, held.turns, held.swing),
            self.hands.ribbon and len(self.hands.ribbon.points),
            (state.speed, state.paused, round(state.percent), button, words, frozenset(self.hands.done)),
            self._pointer if hovered is not None and self._tiles[hovered].fault else None,
            (self.painter.scale, self.painter.origin),
        )
        if look == self._drawn:
            return False
        self._drawn = look
        draw_table(onto, self.painter, self._tiles, seen, self.hands, Extras(rested, self._numbers))
        if self.hinting:
            self._hints.draw(onto, self.hands.done)
        self._status.draw(onto, words, alert)
        self.toolbar.draw(onto, state)
        fault = self._tiles[hovered].fault if hovered is not None else None
        if fault is not None and hovered is not None and self._pointer is not None:
            draw_note(onto, self._zoom, self._pointer, texts.faulted(hovered, fault), alert=True)
        if self._help:
            draw_help(onto, self._zoom)
        return True

    def _status_words(self, hovered: int | None, button: str | None) -> tuple[str, bool]:
        """Return the status line and whether it is an alert."""
        if self.words:
            return self.words, False
        if button is not None:
            return texts.TIPS[button], False
        if hovered is not None:
            tile = self._tiles[hovered]
            if tile.fault is not None:
                return texts.faulted(hovered, tile.fault), True
            return texts.about_tile(hovered, tile.sketch, sum(n is not None for n in tile.neighbors)), False
        if not self._tiles:
            return texts.EMPTY, False
        return texts.at_rest(len(self._tiles), len(clusters(self._tiles, self.frame.contacts))), False
