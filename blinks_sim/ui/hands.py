"""What a pointer does on the table: press, carry, turn, lift, split. Plain values, no window, no clock.

Points are in radii on the table, times in milliseconds of the caller's clock. What comes out is commands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from .. import commands
from ..hexgrid import (
    Contact,
    Nearby,
    Placement,
    Point,
    Pose,
    clusters,
    contacts,
    contains,
    cut,
    move_group,
    overlap,
    settle,
    snap,
)
from . import texts
from .asunder import slide_apart

REACH = 0.75  # radii over which magnets pull
PRESS_MS = 80.0  # a press without movement reaches the firmware after this
STEADY_PX = 6.0  # a pointer that moves farther drags
NEW_REACH = 1.4  # radii over which a new tile is pulled to others
SLIP = 0.6  # radii: one that moves farther with the button down lets go of it and drags
RIBBON_STEP = 0.12  # radii between points of a ribbon


@dataclass(slots=True)
class Held:
    """Keep what the hand holds: the piece at home, where it was grabbed, and how it was moved since."""

    home: dict[int, Pose]
    grab: Point
    alone: bool
    pointer: Point
    turns: int = 0
    swing: float = 0.0  # degrees still to turn, for the eye

    def poses(self, seen: bool = False) -> dict[int, Pose]:
        """Return where the piece is; `seen`: while a turn is still being shown."""
        degrees = 60.0 * self.turns - (self.swing if seen else 0.0)
        dx, dy = self.pointer[0] - self.grab[0], self.pointer[1] - self.grab[1]
        return move_group(self.home, dx, dy, degrees, self.grab)


@dataclass(frozen=True, slots=True)
class Landing:
    """Say where the held piece goes when let go, and whether it docks there, lies there or goes home."""

    poses: dict[int, Pose]
    docks: frozenset[Contact]
    home: bool


@dataclass(slots=True)
class Ribbon:
    """Keep a line being drawn, and what it would do."""

    points: list[Point]
    crossed: frozenset[Contact] = frozenset()
    parts: list[frozenset[int]] = field(default_factory=list)  # the smaller parts, which would slide away
    judged: bool = True


@dataclass(slots=True)
class _Pressed:
    tile: int
    at: Point
    since_ms: float
    alone: bool
    button_down: bool = False


class Hands:
    """Turn a pointer's gestures into commands.

    `submit` takes poses and other commands, `button` takes presses and releases of tiles (they have to be
    spaced in table time), `say` shows a line of text.
    """

    def __init__(
        self,
        submit: Callable[[commands.Command], None],
        button: Callable[[int, bool], None],
        say: Callable[[str], None],
    ) -> None:
        self._submit = submit
        self._button = button
        self._say = say
        self.poses: dict[int, Pose] = {}
        self.held: Held | None = None
        self.ribbon: Ribbon | None = None
        self.selected: int | None = None
        self.done: set[str] = set()  # gestures made so far: drag, split, click
        self._pressed: _Pressed | None = None
        self._landing: Landing | None = None

    # What lies there ----------------------------------------------------------------------------------------

    def see(self, poses: dict[int, Pose]) -> None:
        """Learn where the tiles lie, what is held lying at home; forget tiles that are gone."""
        gone = self.poses.keys() - poses.keys()
        if poses != self.poses:
            self._landing = None
            if self.ribbon is not None:
                self.ribbon.judged = False
        self.poses = poses
        if self.selected in gone:
            self.selected = None
        if self._pressed is not None and self._pressed.tile in gone:
            self._pressed = None
        if self.held is not None and self.held.home.keys() & gone:
            self.held = None

    def tile_at(self, at: Point) -> int | None:
        """Return the tile under a point."""
        near = Nearby(self.poses).within(*at, 1.0)
        return next((tile for tile, pose in near if contains(pose, *at)), None)

    @property
    def busy(self) -> bool:
        """Tell whether a gesture is under way."""
        return self._pressed is not None or self.held is not None or self.ribbon is not None

    @property
    def pressed(self) -> int | None:
        """Give the tile whose button is held down."""
        return self._pressed.tile if self._pressed is not None and self._pressed.button_down else None

    # The pointer --------------------------------------------------------------------------------------------

    def down(self, at: Point, now_ms: float, alone: bool = False) -> None:
        """Put the pointer down; `alone`: to lift a single tile rather than to press or to move a cluster."""
        if self.busy:
            return
        tile = self.tile_at(at)
        if tile is None:
            self.selected = None
            if not alone:
                self.ribbon = Ribbon([at])
        else:
            self.selected = tile
            self._pressed = _Pressed(tile, at, now_ms, alone)

    def move(self, at: Point, scale: float) -> None:
        """Move the pointer; `scale` is pixels a radius."""
        if self.held is not None:
            self.held.pointer = at
            self._landing = None
        elif self.ribbon is not None:
            self._draw(at)
        elif self._pressed is not None:
            moved = math.dist(at, self._pressed.at)
            steady = max(SLIP, STEADY_PX / scale) if self._pressed.button_down else STEADY_PX / scale
            if moved > steady:
                self._lift(self._pressed, at)

    def look(self) -> None:
        """See what letting go would do now, and say it. The pointer may move many times between two looks."""
        if self.held is not None and self._landing is None:
            self._tell_landing()
        elif self.ribbon is not None and not self.ribbon.judged:
            self._judge(self.ribbon)

    def wait(self, now_ms: float) -> None:
        """Let time pass: a press without movement reaches the tile."""
        press = self._pressed
        if press is None or press.alone or press.button_down or self.held is not None:
            return
        if now_ms - press.since_ms >= PRESS_MS:
            press.button_down = True
            self._button(press.tile, True)

    def up(self) -> None:
        """Let go: release the button, land what is held, split along the ribbon."""
        press, self._pressed = self._pressed, None
        if self.held is not None:
            self._land()
        elif self.ribbon is not None:
            self._split()
        elif press is not None and not press.alone:
            if not press.button_down:
                self._button(press.tile, True)
            self._button(press.tile, False)
            self.done.add("click")

    def turn(self, steps: int) -> bool:
        """Turn what is held clockwise in steps of 60°; tell whether anything is held."""
        if self.held is None:
            return False
        self.held.turns += steps
        self.held.swing += 60.0 * steps
        self._landing = None
        return True

    def cancel(self) -> bool:
        """Give up the gesture under way and put everything back; tell whether there was one."""
        was_busy = self.busy
        press, self._pressed = self._pressed, None
        if self.held is not None:
            held, self.held = self.held, None
            if held.alone:
                self._submit(commands.Move(tuple(held.home.items())))
            self._say(texts.PUT_BACK)
        elif press is not None and press.button_down:
            self._button(press.tile, False)
        elif self.ribbon is not None:
            self._say("")
        self.ribbon = None
        return was_busy

    # Carrying -----------------------------------------------------------------------------------------------

    def _lift(self, press: _Pressed, at: Point) -> None:
        if press.button_down:
            self._button(press.tile, False)
        self._pressed = None
        piece: Iterable[int] = (press.tile,)
        if not press.alone:
            parts = clusters(self.poses, contacts(self.poses))
            piece = next(part for part in parts if press.tile in part)
        home = {tile: self.poses[tile] for tile in piece}
        self.held = Held(home, press.at, press.alone, at)
        self._landing = None
        if press.alone:
            # A whole cluster keeps its contacts while it is carried; a single tile leaves its own at once.
            self._submit(commands.Move(tuple(home.items()), lifted=True))

    @property
    def landing(self) -> Landing | None:
        """Give where the held piece would land now."""
        if self.held is not None and self._landing is None:
            self._landing = self._find_landing(self.held)
        return self._landing if self.held is not None else None

    def _find_landing(self, held: Held) -> Landing:
        carried = held.poses()
        resting = {tile: pose for tile, pose in self.poses.items() if tile not in held.home}
        placed: Placement | None = snap(carried, resting, REACH)
        if placed is not None:
            return Landing(placed.poses, placed.contacts, home=False)
        if fits(carried, resting):
            return Landing(settle(carried), frozenset(), home=False)
        return Landing(held.home, frozenset(), home=True)

    def _tell_landing(self) -> None:
        landing = self.landing
        if landing is None:
            return
        if landing.home:
            self._say(texts.NO_ROOM)
        elif landing.docks:
            self._say(texts.will_dock(len(landing.docks)))
        else:
            self._say(texts.will_lie(len(landing.poses)))

    def _land(self) -> None:
        landing, held = self.landing, self.held
        assert landing is not None
        assert held is not None
        self.held = None
        self.done.add("drag")
        self._say(texts.RETURNED if landing.home else "")
        if held.alone or not landing.home:
            self._submit(commands.Move(tuple(landing.poses.items())))

    # Splitting ----------------------------------------------------------------------------------------------

    def _draw(self, at: Point) -> None:
        ribbon = self.ribbon
        assert ribbon is not None
        if math.dist(ribbon.points[-1], at) < RIBBON_STEP:
            return
        ribbon.points.append(at)
        ribbon.judged = False

    def _judge(self, ribbon: Ribbon) -> None:
        """Find what a ribbon crosses, and what it separates."""
        ribbon.judged = True
        touching = contacts(self.poses)
        whole = clusters(self.poses, touching)
        made = cut(self.poses, touching, ribbon.points)
        ribbon.crossed = made.crossed
        ribbon.parts = []
        for cluster in whole:
            parts = [part for part in made.parts if part <= cluster]
            if len(parts) > 1:
                parts.remove(max(parts, key=len))
                ribbon.parts += parts
        sizes = [len(part) for part in ribbon.parts]
        self._say(texts.will_split(sizes) if sizes else texts.DRAW_ON)

    def _split(self) -> None:
        ribbon, self.ribbon = self.ribbon, None
        assert ribbon is not None
        if not ribbon.judged:
            self._judge(ribbon)
        if not ribbon.parts:
            self._say(texts.NOTHING_SEPARATED if len(ribbon.points) > 1 else "")
            return
        moved = slide_apart(self.poses, ribbon.parts)
        if moved is None:
            self._say(texts.NO_ROOM_TO_SPLIT)
            return
        self._submit(commands.Move(tuple(moved.items())))
        self.done.add("split")
        self._say(texts.was_split([len(part) for part in ribbon.parts]))


def fits(piece: dict[int, Pose], resting: dict[int, Pose]) -> bool:
    """Tell whether a piece overlaps no resting tile."""
    index = Nearby(resting)
    return not any(
        overlap(pose, other) for pose in piece.values() for _, other in index.within(pose.x, pose.y, 2.0)
    )


def place_for_new(poses: dict[int, Pose], at: Point) -> Pose | None:
    """Return where a new tile can lie near a point: docked, or right there; None without room."""
    wanted = {-1: Pose(*at)}
    open_desk = fits(wanted, poses)
    for reach in (NEW_REACH,) if open_desk else (NEW_REACH, 4 * NEW_REACH, 16 * NEW_REACH):
        placed = snap(wanted, poses, reach)
        if placed is not None:
            return placed.poses[-1]
    return wanted[-1] if open_desk else None
