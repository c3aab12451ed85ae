"""A table in a test: tiles with letters for names, and what a test does with them and asks about them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import commands
from ..colors import color_name
from ..errors import BlinksError, TableError, UsageError
from ..hexgrid import Cell, Pose, neighbor
from ..image import Image
from ..table import Table
from ..tile import FACES, Tile
from . import drawing as drawings

if TYPE_CHECKING:
    from ..sketch import Build

# pytest shows the line of the test that fails, not ours; bugs keep their traceback.
__tracebackhide__ = operator.methodcaller("errisinstance", (AssertionError, BlinksError))

START_S = 1.0  # tiles start within 0.7 s
LOOK_S = 0.01  # how often a condition or a color is looked at
_APART = 2  # columns between a piece that was split off and the others: they cannot touch

Source: TypeAlias = "Build | Image | str | Path"


class Sketches:
    """Build sketches, each once, and keep what became of them."""

    def __init__(self) -> None:
        self._builds: dict[Path, Build] = {}
        self._images: dict[Path, Image] = {}

    def build(self, path: Path) -> Build:
        """Return a sketch built.

        Raises:
            SketchError: it does not build.
        """
        from ..sketch import build

        path = path.resolve()
        if path not in self._builds:
            self._builds[path] = build(path)
        return self._builds[path]

    def image(self, source: Source, folder: Path) -> Image:
        """Return the image of what was built, or of the sketch at a path, a relative one seen from a folder.

        Raises:
            SketchError: the sketch does not build.
        """
        if isinstance(source, Image):
            return source
        built = self.build(folder / source) if isinstance(source, str | Path) else source
        if built.elf not in self._images:
            self._images[built.elf] = built.image
        return self._images[built.elf]


class Blinks:
    """Hold a fresh table for a test. `place` lays tiles on it, after which each goes by its letter.

    Time is the table's: it goes on only where a method says so, and the same test always sees the same. A
    tile that stands still for a fault fails the test at once, unless `faults_expected` is set.
    """

    def __init__(self, sketch: Source, sketches: Sketches, folder: Path) -> None:
        self._sketch = sketch
        self._sketches = sketches
        self._folder = folder
        self._ids: dict[str, int] = {}
        self.table = Table()
        self.faults_expected = False

    def __repr__(self) -> str:
        return f"<Blinks: tiles {', '.join(self.names) or 'none'} after {self.table.time_s:g} s>"

    # The table ------------------------------------------------------------------------------------

    def place(
        self,
        drawing: str,
        *,
        sketches: Mapping[str, Source] | None = None,
        turns: Mapping[str, int] | None = None,
        seed: int = 1,
        start_s: float = START_S,
    ) -> None:
        """Lay tiles on a new table as they are drawn, and run it for `start_s`, in which they start.

        All tiles run the sketch under test, but those named in `sketches` others: a path seen from the test's
        folder, a build or an image. `turns` are clockwise in steps of 60°; without, face 0 is up.

        Raises:
            LayoutError: the drawing cannot be read.
            SketchError: a sketch does not build.
            UsageError: `sketches` or `turns` name a tile that is not drawn.
        """
        cells = drawings.parse(drawing)
        sketches, turns = sketches or {}, turns or {}
        for name in (*sketches, *turns):
            _known(name, cells)
        self.table, self._ids = Table(seed=seed), {}
        for name, cell in cells.items():
            image = self._sketches.image(sketches.get(name, self._sketch), self._folder)
            self._ids[name] = self.table.add(image, cell, turns.get(name, 0)).id
        self.run(start_s)

    def __getitem__(self, name: str) -> Tile:
        """Return a tile: its `read("variable")`, `serial`, `millis`, `faces` and so on.

        Raises:
            UsageError: there is none of this name.
        """
        _known(name, self.names)
        return self.table.tile(self._ids[name])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tiles on the table, in the order of their drawing."""
        there = {tile.id for tile in self.table.tiles}
        return tuple(name for name, number in self._ids.items() if number in there)

    def _tiles(self, names: str) -> list[Tile]:
        if not names:
            raise UsageError("no tiles named; give their letters, such as 'AB'")
        return [self[name] for name in names]

    # Time -----------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Run the table for so many seconds."""
        self.table.run(seconds)
        self._check_faults()

    def wait_until(self, condition: Callable[[], object], timeout_s: float = 5.0) -> float:
        """Run the table until a condition holds, and return the seconds that took.

        It is looked at every 10 ms, and at once. If it does not hold within `timeout_s` the test fails.
        """
        for waited in range(math.ceil(round(timeout_s / LOOK_S, 6)) + 1):
            if waited:
                self.run(LOOK_S)
            if condition():
                return waited * LOOK_S
        raise AssertionError(f"the condition did not come to hold within {timeout_s:g} s of the table's time")

    def _check_faults(self) -> None:
        if not self.faults_expected and (faults := self.faults()):
            told = "; ".join(f"tile {name} stands still: {fault}" for name, fault in faults.items())
            raise AssertionError(f"{told} (set faults_expected if this is meant)")

    # Hands ----------------------------------------------------------------------------------------

    def click(self, names: str, count: int = 1) -> None:
        """Click tiles, all at once, so many times, and run until they have noticed.

        That takes 0.12 s a click and 0.28 s more.
        """
        self.table.click(self._tiles(names), count)
        self._check_faults()

    def double_click(self, names: str) -> None:
        """Click tiles twice."""
        self.click(names, 2)

    def triple_click(self, names: str) -> None:
        """Click tiles three times."""
        self.click(names, 3)

    def hold(self, names: str, seconds: float) -> None:
        """Hold the buttons of tiles down while the table runs for so many seconds, then let go."""
        tiles = self._tiles(names)
        for tile in tiles:
            tile.press()
        self.run(seconds)
        for tile in tiles:
            tile.release()

    def move(self, drawing: str) -> None:
        """Move all tiles at once to where they are drawn now; none is turned.

        Raises:
            LayoutError: the drawing cannot be read.
            UsageError: it draws other tiles than there are on the table.
        """
        cells = drawings.parse(drawing)
        there = set(self.names)
        missing, other = sorted(there - cells.keys()), sorted(cells.keys() - there)
        if missing or other:
            what = (
                f"leaves out {', '.join(missing)}" if missing else f"has {', '.join(other)}, not on the table"
            )
            raise UsageError(f"the drawing {what}; draw the tiles {', '.join(self.names)}")
        self._put({name: Pose.of(cell, self._place(name)[1]) for name, cell in cells.items()})

    def split(self, names: str) -> None:
        """Take tiles away from the others, as they lie, to where they touch none of them."""
        piece = {tile.id for tile in self._tiles(names)}
        places = {name: self._place(name) for name in self.names}
        rest = [q for name, ((q, _), _) in places.items() if self._ids[name] not in piece]
        if not rest:
            raise UsageError(f"cannot split {names!r} off: these are all tiles; leave some behind")
        left = min(places[name][0][0] for name in names)
        shift = max(rest) + _APART - left
        shift += shift % 2  # an even number of columns, so that the piece stays at its height
        self._put(
            {
                name: Pose.of((q + shift, r - shift // 2), turn)
                for name, ((q, r), turn) in places.items()
                if name in names
            }
        )

    def join(self, names: str, to: str, face: int) -> None:
        """Lay tiles, as they lie together, to another so that the first one touches its face.

        Raises:
            TableError: there is no room.
        """
        cell, turn = self._place(to)
        try:
            self.table.move(self._tiles(names), neighbor(cell, (turn + _face(face)) % FACES))
        except TableError as error:
            raise TableError(
                f"there is no room for {names!r} at face {face} of {to!r}; split off what is there"
            ) from error

    def remove(self, names: str) -> None:
        """Take tiles off the table for good."""
        self.table.remove(*self._tiles(names))

    def _put(self, poses: Mapping[str, Pose]) -> None:
        self.table.submit(commands.Move(tuple((self._ids[name], pose) for name, pose in poses.items())))

    def _place(self, name: str) -> tuple[Cell, int]:
        place = self[name].pose.place
        if place is None:
            raise TableError(f"tile {name} lies off the lattice; move it with the table's own methods")
        return place

    # Questions ------------------------------------------------------------------------------------

    def color(self, name: str, face: int | None = None) -> str | None:
        """Return the name of a face's color, "OFF" when dark; of the tile's where no face is given.

        A tile whose faces differ has none: None. Names are those of blinklib, the nearest one counts.
        """
        tile = self[name]
        return tile.color if face is None else color_name(tile.faces[_face(face)].tolist())

    def colors(self) -> dict[str, str | None]:
        """Return the colors of all tiles by their names."""
        return {name: self.color(name) for name in self.names}

    def blink_rate(
        self, name: str, color: str | None = None, face: int | None = None, seconds: float = 2.0
    ) -> float:
        """Run the table for so many seconds and return how often a second a tile, or its face, lights up.

        With a color, how often it comes to show that one. It is looked at every 10 ms; 0 where it has not
        begun twice.
        """
        begun: list[int] = []
        before = True  # what is shown already has not begun here
        for look in range(round(seconds / LOOK_S)):
            shown = self.color(name, face)
            now = shown != "OFF" if color is None else shown == color
            if now and not before:
                begun.append(look)
            before = now
            self.run(LOOK_S)
        return (len(begun) - 1) / ((begun[-1] - begun[0]) * LOOK_S) if len(begun) > 1 else 0.0

    def sent(self, name: str, face: int) -> int:
        """Return the value that a tile sends on a face, as the sketch has set it.

        Raises:
            VariableError: the tile does not run a sketch built with blinklib.
        """
        return int(self._face_state(name, face)["sent"])

    def received(self, name: str, face: int) -> int | None:
        """Return the value last received on a face; None where it has expired, as with no neighbor there.

        Raises:
            VariableError: the tile does not run a sketch built with blinklib.
        """
        state = self._face_state(name, face)
        expired = state["expiry"]["target_ms"] < self[name].millis
        return None if expired else int(state["received"])

    def _face_state(self, name: str, face: int) -> dict[str, Any]:
        state: dict[str, Any] = self[name].read(f"blinklib::faces[{_face(face)}]")
        return state

    def neighbors(self, name: str) -> list[str | None]:
        """Return the names of the tiles that touch faces 0 to 5; None where none does."""
        named = {number: name for name, number in self._ids.items()}
        return [None if other is None else named.get(other.id) for other in self[name].neighbors]

    def faults(self) -> dict[str, str]:
        """Return what stopped the tiles that stand still, by their names."""
        return {name: fault for name in self.names if (fault := self[name].fault) is not None}


def _known(name: str, names: Iterable[str]) -> None:
    if name not in names:
        there = ", ".join(names) or "none yet; place some"
        raise UsageError(f"there is no tile {name!r} on the table; it has {there}")


def _face(face: int) -> int:
    if not 0 <= face < FACES:
        raise UsageError(f"there is no face {face}; give 0 to 5")
    return face
