"""Layouts: where the tiles of a new table lie, built in or read from a file.

A layout file is text with a line per tile, `q r [turn] [team]`: the cell, the clockwise turn in steps of 60°
(0–5, default 0) and the team (0–5; none by default). `#` starts a comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path

from .errors import LayoutError, did_you_mean
from .hexgrid import Cell, distance, neighbor, neighbors, spiral

MAX_TILES = 500
MAX_TEAMS = 6
FARTHEST = 1000  # steps from the middle of the table

_FORM = "write 'q r [turn] [team]', whole numbers such as '1 -2 3'"
_START = re.compile(r"start-(\d+)x(\d+)")


@dataclass(frozen=True, slots=True)
class Spot:
    """Give one tile's cell, turn (0–5, clockwise) and team (0–5 or None)."""

    cell: Cell
    turn: int = 0
    team: int | None = None

    def __str__(self) -> str:
        numbers = [*self.cell]
        if self.turn or self.team is not None:
            numbers.append(self.turn)
        if self.team is not None:
            numbers.append(self.team)
        return " ".join(map(str, numbers))


@dataclass(frozen=True, slots=True)
class Layout:
    """Give the spots of 1–500 tiles, no two on one cell. Equality leaves the name aside."""

    spots: tuple[Spot, ...]
    name: str = field(default="layout", compare=False)

    def __str__(self) -> str:
        return "".join(f"{spot}\n" for spot in self.spots)

    @classmethod
    def parse(cls, text: str, name: str = "layout") -> Layout:
        """Return the layout written in the text of a layout file; `parse(str(x)) == x`.

        Raises:
            LayoutError: a line cannot be read, two tiles share a cell, or there are no or too many tiles.
        """
        spots: list[Spot] = []
        line_of: dict[Cell, int] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            content = line.partition("#")[0].strip()
            if not content:
                continue
            spot = _spot(content, f"{name}:{number}")
            if spot.cell in line_of:
                first = line_of[spot.cell]
                raise LayoutError(
                    f"{name}:{number}: cell of {content!r} is taken by the tile of line {first}; "
                    "move one of them"
                )
            line_of[spot.cell] = number
            spots.append(spot)
        if not spots:
            raise LayoutError(f"{name}: there is no tile in it; {_FORM}, a line for each tile")
        if len(spots) > MAX_TILES:
            raise LayoutError(f"{name}: {len(spots)} tiles are too many; a table holds at most {MAX_TILES}")
        return cls(tuple(spots), name)

    @classmethod
    def load(cls, name: str, tiles: int | None = None) -> Layout:
        """Return a built-in layout by name, or the layout in a file.

        `tiles` sizes line, ring, flower and triangle; others have a size of their own, which it must match.

        Raises:
            LayoutError: no such layout, unreadable file, bad content, or a number of tiles that cannot be.
        """
        if tiles is not None and not 1 <= tiles <= MAX_TILES:
            raise LayoutError(f"cannot lay {tiles} tiles; a table holds 1 to {MAX_TILES}")
        if name in _SHAPES:
            shape, usual = _SHAPES[name]
            return cls(tuple(Spot(cell) for cell in shape(tiles or usual)), name)
        start = _START.fullmatch(name)
        layout = _start(name, int(start[1]), int(start[2])) if start else cls._read(name)
        if tiles is not None and tiles != len(layout.spots):
            raise LayoutError(
                f"{name}: has {len(layout.spots)} tiles, not {tiles}; leave the number of tiles out"
            )
        return layout

    @classmethod
    def _read(cls, name: str) -> Layout:
        path = Path(name)
        if not path.exists() and not path.suffix and path.name == name:
            known = [*_SHAPES, "start-3x5"]
            raise LayoutError(
                f"no layout {name!r}{did_you_mean(name, known) or ';'} there are {', '.join(_SHAPES)}, "
                "start-PxK (P teams of K tiles) and layout files"
            )
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise LayoutError(f"{name}: cannot read it ({error.strerror}); name a layout file") from error
        except UnicodeDecodeError as error:
            raise LayoutError(f"{name}: not a text file; {_FORM}, a line for each tile") from error
        return cls.parse(text, name)


def _spot(content: str, where: str) -> Spot:
    words = content.split()
    if not 2 <= len(words) <= 4 or not all(re.fullmatch(r"[+-]?[0-9]{1,9}", word) for word in words):
        raise LayoutError(f"{where}: cannot read {content!r}; {_FORM}")
    q, r, *rest = map(int, words)
    turn, team = (*rest, None, None)[:2]
    if distance((0, 0), (q, r)) > FARTHEST:
        raise LayoutError(f"{where}: cell of {content!r} is off the table; stay within {FARTHEST} of 0 0")
    if turn is not None and not 0 <= turn <= 5:
        raise LayoutError(f"{where}: turn {turn} in {content!r} is not 0 to 5; give steps of 60° clockwise")
    if team is not None and not 0 <= team < MAX_TEAMS:
        raise LayoutError(
            f"{where}: team {team} in {content!r} is not 0 to {MAX_TEAMS - 1}; leave it out for none"
        )
    return Spot((q, r), turn or 0, team)


def _line(tiles: int) -> list[Cell]:
    return [(step, 0) for step in range(tiles)]


def _flower(tiles: int) -> list[Cell]:
    return list(islice(spiral((0, 0)), tiles))


def _triangle(tiles: int) -> list[Cell]:
    rows = ((row - step, step) for row in range(tiles) for step in range(row + 1))
    return list(islice(rows, tiles))


def _ring(tiles: int) -> list[Cell]:
    """Walk round the most regular hexagon of that circumference: six sides of k, and what they lack added."""
    k, rest = divmod(tiles, 6)
    added = (
        (0, 0, 0, 0, 0, 0),
        (0, 0, 1, -1, 1, 0),
        (1, 0, 0, 1, 0, 0),
        (1, 0, 1, 0, 1, 0),
        (1, 1, 0, 1, 1, 0),
        (1, 1, 0, 2, 0, 1),
    )[rest]
    cell = (0, -k)
    cells: list[Cell] = []
    for side, more in enumerate(added):
        for _ in range(k + more):
            cells.append(cell)
            cell = neighbor(cell, side + 2)
    return cells[:tiles]  # a ring of one tile has no sides to walk


_SHAPES: dict[str, tuple[Callable[[int], list[Cell]], int]] = {
    "line": (_line, 6),
    "ring": (_ring, 6),
    "flower": (_flower, 7),
    "triangle": (_triangle, 3),
}


def _start(name: str, teams: int, each: int) -> Layout:
    if not 2 <= teams <= MAX_TEAMS or not 2 <= each <= 6:
        raise LayoutError(
            f"no layout {name!r}; start-PxK has P = 2 to {MAX_TEAMS} teams of K = 2 to 6 tiles, as start-3x5"
        )
    spots = (Spot(cell, 0, team) for team, cells in enumerate(_territories(teams, each)) for cell in cells)
    return Layout(tuple(spots), name)


@lru_cache
def _territories(teams: int, each: int) -> tuple[tuple[Cell, ...], ...]:
    """Divide the most compact cluster into connected territories of `each` cells, from the rim inwards."""
    whole = _flower(teams * each)
    parts = _divide(frozenset(whole), each)
    if parts is None:
        raise AssertionError(f"no division of {len(whole)} cells into {teams} territories")
    return tuple(tuple(cell for cell in whole if cell in part) for part in parts)


def _divide(cells: frozenset[Cell], each: int) -> list[frozenset[Cell]] | None:
    if not cells:
        return []
    # The cell with fewest neighbors left is the hardest to serve later.
    first = min(cells, key=lambda cell: (sum(n in cells for n in neighbors(cell)), cell))
    territories = sorted(set(_connected(frozenset([first]), cells, each)), key=_spread)
    for territory in territories:
        left = cells - territory
        if all(len(part) % each == 0 for part in _parts(left)):
            rest = _divide(left, each)
            if rest is not None:
                return [territory, *rest]
    return None


def _connected(grown: frozenset[Cell], cells: frozenset[Cell], size: int) -> set[frozenset[Cell]]:
    """Return all connected sets of `size` of the cells that contain what is grown so far."""
    found = {grown}
    for _ in range(size - len(grown)):
        found = {
            part | {edge}
            for part in found
            for cell in part
            for edge in neighbors(cell)
            if edge in cells - part
        }
    return found


def _spread(cells: frozenset[Cell]) -> tuple[int, list[Cell]]:
    return sum(distance(a, b) ** 2 for a in cells for b in cells), sorted(cells)


def _parts(cells: frozenset[Cell]) -> Iterator[frozenset[Cell]]:
    left = set(cells)
    while left:
        waiting = [left.pop()]
        part = set(waiting)
        while waiting:
            around = left.intersection(neighbors(waiting.pop()))
            left -= around
            part |= around
            waiting += around
        yield frozenset(part)
