"""The lattice of cells: axial coordinates (q, r), directions 0–5, distance, rotation, lines and rings.

The picture has x to the right and y down; tiles are flat-topped with radius 1 (centre to corner), so the
centre of a cell is (1.5·q, √3·(r + q/2)) and touching tiles' centres are √3 apart. Direction 0 is north (up)
and the others follow clockwise: north-east, south-east, south, south-west, north-west.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]
Point: TypeAlias = tuple[float, float]

SQRT3 = math.sqrt(3.0)

DIRECTIONS: tuple[Cell, ...] = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))


def neighbor(cell: Cell, direction: int) -> Cell:
    """Return the cell one step from `cell` in a direction (taken modulo 6)."""
    dq, dr = DIRECTIONS[direction % 6]
    return cell[0] + dq, cell[1] + dr


def neighbors(cell: Cell) -> tuple[Cell, ...]:
    """Return the six cells around `cell`, by direction."""
    q, r = cell
    return tuple((q + dq, r + dr) for dq, dr in DIRECTIONS)


def direction_between(start: Cell, end: Cell) -> int | None:
    """Return the direction in which `end` is the next cell after `start`, or None where they do not touch."""
    step = (end[0] - start[0], end[1] - start[1])
    return DIRECTIONS.index(step) if step in DIRECTIONS else None


def distance(a: Cell, b: Cell) -> int:
    """Return the number of steps from `a` to `b`."""
    dq, dr = b[0] - a[0], b[1] - a[1]
    return max(abs(dq), abs(dr), abs(dq + dr))


def rotate(cell: Cell, turns: int, about: Cell = (0, 0)) -> Cell:
    """Return `cell` turned clockwise about another cell by 60° times `turns`."""
    q, r = cell[0] - about[0], cell[1] - about[1]
    for _ in range(turns % 6):
        q, r = -r, q + r
    return about[0] + q, about[1] + r


def line(a: Cell, b: Cell) -> list[Cell]:
    """Return the cells on the straight line from `a` to `b`, both included, each touching the next."""
    steps = distance(a, b)
    # The nudge keeps a point on an edge between two cells always on the same side of it.
    aq, ar, bq, br = a[0] + 1e-6, a[1] + 2e-6, b[0] + 1e-6, b[1] + 2e-6
    fractions = (step / steps if steps else 0.0 for step in range(steps + 1))
    return [_round(aq + (bq - aq) * f, ar + (br - ar) * f) for f in fractions]


def ring(center_cell: Cell, radius: int) -> list[Cell]:
    """Return the cells at a distance, clockwise from the northern corner; radius 0 is the cell itself."""
    if radius == 0:
        return [center_cell]
    cell = (center_cell[0], center_cell[1] - radius)
    cells: list[Cell] = []
    for side in range(6):
        for _ in range(radius):
            cells.append(cell)
            cell = neighbor(cell, side + 2)
    return cells


def spiral(center_cell: Cell) -> Iterator[Cell]:
    """Yield all cells, ring after ring, without end."""
    radius = 0
    while True:
        yield from ring(center_cell, radius)
        radius += 1


def center(cell: Cell) -> Point:
    """Return the centre (x, y) of a cell, in units of the tile's radius."""
    q, r = cell
    return 1.5 * q, SQRT3 * (r + q / 2)


def cell_at(x: float, y: float) -> Cell:
    """Return the cell that contains a point."""
    q = x / 1.5
    return _round(q, y / SQRT3 - q / 2)


def _round(q: float, r: float) -> Cell:
    s = -q - r
    whole_q, whole_r, whole_s = round(q), round(r), round(s)
    off_q, off_r, off_s = abs(whole_q - q), abs(whole_r - r), abs(whole_s - s)
    if off_q > off_r and off_q > off_s:
        whole_q = -whole_r - whole_s
    elif off_r > off_s:
        whole_r = -whole_q - whole_s
    return whole_q, whole_r
