"""Where tiles lie: free poses, and the contacts, overlaps and clusters that follow from them.

A contact is found from geometry alone: two faces touch when they are parallel and opposed to within 6° and
their midpoints are at most 0.12 apart. So clusters laid down apart may each have a lattice of their own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from .cells import SQRT3, Cell, Point, cell_at, center

APOTHEM = SQRT3 / 2  # centre to the middle of a face
CONTACT_ANGLE = 6.0  # degrees
CONTACT_GAP = 0.12  # radii
OVERLAP_SLACK = 0.02  # radii: hexagons this deep in each other still count as touching
ON_LATTICE = 1e-6  # radii, and as much of a radian: rounding errors, which still lie on a cell

_EPSILON = 1e-9
_NEAREST = 2 * APOTHEM * math.cos(math.radians(CONTACT_ANGLE / 2)) - CONTACT_GAP - _EPSILON
_FARTHEST = 2 * APOTHEM + CONTACT_GAP + _EPSILON


@dataclass(frozen=True, slots=True)
class Pose:
    """Give a tile's place: centre x, y in radii (y down) and angle in degrees, clockwise."""

    x: float
    y: float
    angle: float = 0.0

    @classmethod
    def of(cls, cell: Cell, turn: int = 0) -> Pose:
        """Return the pose of a tile that lies on a cell, turned clockwise by 60° times `turn`."""
        return cls(*center(cell), 60.0 * (turn % 6))

    @property
    def place(self) -> tuple[Cell, int] | None:
        """Give (cell, turn 0–5) where the pose lies on the table's lattice, else None."""
        cell = cell_at(self.x, self.y)
        x, y = center(cell)
        turn = round(self.angle / 60)
        off_angle = math.radians(self.angle - 60 * turn)
        if max(abs(self.x - x), abs(self.y - y), abs(off_angle)) > ON_LATTICE:
            return None
        return cell, turn % 6

    def moved(self, dx: float, dy: float, degrees: float = 0.0, about: Point | None = None) -> Pose:
        """Return the pose turned clockwise about a point (default: its centre) and then shifted."""
        if degrees == 0:
            return Pose(self.x + dx, self.y + dy, self.angle)
        x, y = self.x, self.y
        if about is not None:
            cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            ox, oy = x - about[0], y - about[1]
            x, y = about[0] + ox * cos - oy * sin, about[1] + ox * sin + oy * cos
        return Pose(x + dx, y + dy, _wrap(self.angle + degrees))


def _wrap(degrees: float) -> float:
    turned = math.fmod(degrees, 360.0)
    turned = turned + 360.0 if turned < 0 else turned
    return 0.0 if turned == 360.0 else turned


class Contact(NamedTuple):
    """Name two touching faces: `face_a` of tile `a` and `face_b` of tile `b`, with a < b."""

    a: int
    face_a: int
    b: int
    face_b: int

    @classmethod
    def between(cls, tile: int, face: int, other: int, other_face: int) -> Contact:
        """Return the contact of two faces named in either order."""
        if tile < other:
            return cls(tile, face, other, other_face)
        return cls(other, other_face, tile, face)


Poses: TypeAlias = Mapping[int, Pose]


def face_angle(pose: Pose, face: int) -> float:
    """Return where a face looks: degrees clockwise from north, 0 to 360."""
    return _wrap(pose.angle + 60.0 * face)


def face_midpoint(pose: Pose, face: int) -> Point:
    """Return the middle (x, y) of a face."""
    ux, uy = normals(pose.angle)[face]
    return pose.x + APOTHEM * ux, pose.y + APOTHEM * uy


def corners(pose: Pose) -> tuple[Point, ...]:
    """Return the six corners, clockwise; corner k and corner k + 1 bound face k."""
    angles = (math.radians(pose.angle + 60.0 * k - 30.0) for k in range(6))
    return tuple((pose.x + math.sin(a), pose.y - math.cos(a)) for a in angles)


def contains(pose: Pose, x: float, y: float) -> bool:
    """Tell whether a point lies on a tile, its rim included."""
    dx, dy = x - pose.x, y - pose.y
    return all(dx * ux + dy * uy <= APOTHEM + _EPSILON for ux, uy in normals(pose.angle))


@lru_cache(maxsize=4096)
def normals(angle: float) -> tuple[Point, ...]:
    """Return the unit vectors (x, y) along which the six faces of a tile at an angle look."""
    radians = (math.radians(angle + 60.0 * face) for face in range(6))
    return tuple((math.sin(a), -math.cos(a)) for a in radians)


class Nearby:
    """Find tiles near a point: a hash of poses by squares somewhat wider than a contact reaches."""

    SIDE = 1.86

    def __init__(self, poses: Poses) -> None:
        self._squares: dict[tuple[int, int], list[tuple[int, Pose]]] = defaultdict(list)
        for tile, pose in poses.items():
            square = math.floor(pose.x / self.SIDE), math.floor(pose.y / self.SIDE)
            self._squares[square].append((tile, pose))

    def within(self, x: float, y: float, radius: float) -> Iterator[tuple[int, Pose]]:
        """Yield the tiles whose centres are at most `radius` from a point."""
        side, squares, limit = self.SIDE, self._squares, radius * radius
        rows = range(math.floor((y - radius) / side), math.floor((y + radius) / side) + 1)
        for column in range(math.floor((x - radius) / side), math.floor((x + radius) / side) + 1):
            for row in rows:
                for entry in squares.get((column, row), ()):
                    pose = entry[1]
                    if (pose.x - x) ** 2 + (pose.y - y) ** 2 <= limit:
                        yield entry

    def pairs(self) -> Iterator[tuple[int, Pose, int, Pose]]:
        """Yield each pair of tiles whose centres are at most `SIDE` apart once."""
        squares, limit = self._squares, self.SIDE**2
        for (column, row), here in list(squares.items()):
            around = list(here)
            for ahead in ((column + 1, row - 1), (column + 1, row), (column + 1, row + 1), (column, row + 1)):
                around += squares.get(ahead, ())
            # Plain numbers in the innermost loop: half of the time of finding contacts goes here.
            spots = [(pose.x, pose.y) for _, pose in around]
            for first, (a, pose_a) in enumerate(here):
                x, y = spots[first]
                for second in range(first + 1, len(around)):
                    to_x, to_y = spots[second]
                    if (to_x - x) ** 2 + (to_y - y) ** 2 <= limit:
                        yield a, pose_a, *around[second]


def touching_faces(a: Pose, b: Pose) -> tuple[int, int] | None:
    """Return (face of a, face of b) where two tiles touch, else None. At most one pair of faces can."""
    dx, dy = b.x - a.x, b.y - a.y
    if not _NEAREST**2 <= dx * dx + dy * dy <= _FARTHEST**2:
        return None
    # Faces that touch look at most some 7° past the other centre, so rounding to 60° finds them.
    bearing = math.degrees(math.atan2(dx, -dy))
    face_a = round((bearing - a.angle) / 60.0) % 6
    face_b = round((bearing + 180.0 - b.angle) / 60.0) % 6
    askew = (a.angle + 60.0 * face_a - b.angle - 60.0 * face_b) % 360.0 - 180.0
    if abs(askew) > CONTACT_ANGLE + _EPSILON:
        return None
    ax, ay = normals(a.angle)[face_a]
    bx, by = normals(b.angle)[face_b]
    gap_x, gap_y = dx + APOTHEM * (bx - ax), dy + APOTHEM * (by - ay)
    if gap_x * gap_x + gap_y * gap_y > (CONTACT_GAP + _EPSILON) ** 2:
        return None
    return face_a, face_b


def contacts(poses: Poses) -> set[Contact]:
    """Return all contacts among tiles, each once."""
    found: set[Contact] = set()
    for a, pose_a, b, pose_b in Nearby(poses).pairs():
        faces = touching_faces(pose_a, pose_b)
        if faces is not None:
            face_a, face_b = faces
            found.add(Contact(a, face_a, b, face_b) if a < b else Contact(b, face_b, a, face_a))
    return found


def overlap(a: Pose, b: Pose) -> bool:
    """Tell whether two tiles lie in each other by more than `OVERLAP_SLACK`."""
    dx, dy = b.x - a.x, b.y - a.y
    apart = dx * dx + dy * dy
    if apart >= 4.0:
        return False
    if apart < (2 * APOTHEM - OVERLAP_SLACK) ** 2:
        return True
    # Separating axes: of two convex shapes that do not meet, one has a face with the other wholly beyond it.
    # Seen along one's face the other reaches cos(δ) from its centre, δ from its nearest corner (at most 30°).
    askew = (b.angle - a.angle) % 60.0
    extent = APOTHEM + math.cos(math.radians(min(askew, 60.0 - askew) - 30.0))
    nearest = max(dx * ux + dy * uy for ux, uy in normals(a.angle) + normals(b.angle))
    return nearest < extent - OVERLAP_SLACK


def overlaps(poses: Poses) -> set[tuple[int, int]]:
    """Return the pairs (a, b), a < b, of tiles that overlap."""
    # Overlapping centres are less than 2 apart, which adjoining squares do not quite cover.
    index = Nearby(poses)
    return {
        (a, b)
        for a, pose in poses.items()
        for b, other in index.within(pose.x, pose.y, 2.0)
        if a < b and overlap(pose, other)
    }


def clusters(tiles: Iterable[int], touching: Iterable[Contact]) -> list[frozenset[int]]:
    """Return the connected parts, in the order in which `tiles` names their first tiles.

    Contacts with tiles that are not named are ignored.
    """
    linked: dict[int, list[int]] = {tile: [] for tile in tiles}
    for a, _, b, _ in touching:
        if a in linked and b in linked:
            linked[a].append(b)
            linked[b].append(a)
    parts: list[frozenset[int]] = []
    seen: set[int] = set()
    for tile in linked:
        if tile in seen:
            continue
        part, waiting = {tile}, [tile]
        while waiting:
            for other in linked[waiting.pop()]:
                if other not in part:
                    part.add(other)
                    waiting.append(other)
        seen |= part
        parts.append(frozenset(part))
    return parts


def centroid(poses: Poses) -> Point:
    """Return the mean (x, y) of the centres of at least one tile."""
    count = len(poses)
    return sum(p.x for p in poses.values()) / count, sum(p.y for p in poses.values()) / count


def move_group(
    poses: Poses, dx: float = 0.0, dy: float = 0.0, degrees: float = 0.0, about: Point | None = None
) -> dict[int, Pose]:
    """Return a group turned clockwise about a point (default: its centroid) and then shifted, rigidly."""
    pivot = about if about is not None or degrees == 0 else centroid(poses)
    return {tile: pose.moved(dx, dy, degrees, pivot) for tile, pose in poses.items()}


def settle(poses: Poses) -> dict[int, Pose]:
    """Return poses free of rounding errors where all of them lie on the table's lattice, else unchanged."""
    places = {tile: pose.place for tile, pose in poses.items()}
    on_lattice = {tile: Pose.of(*place) for tile, place in places.items() if place is not None}
    return on_lattice if len(on_lattice) == len(poses) else dict(poses)
