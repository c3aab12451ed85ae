"""What hands do with a cluster: dock a piece edge to edge, cut along a ribbon."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .cells import SQRT3, Point
from .poses import (
    Contact,
    Nearby,
    Pose,
    Poses,
    centroid,
    clusters,
    contacts,
    move_group,
    normals,
    overlap,
    settle,
    touching_faces,
)

EQUALLY_NEAR = 0.1  # radii: among places this close to the nearest one the one with most contacts wins
_FINE = 1e-9  # radii


@dataclass(frozen=True, slots=True)
class Placement:
    """Give the place where a piece docks.

    `poses` has the piece's tiles at their places, `contacts` the contacts made with resting tiles, `shift`
    tells how far (in radii) the piece's centroid moved, `degrees` how far it turned clockwise (−30 to 30).
    """

    poses: dict[int, Pose]
    contacts: frozenset[Contact]
    shift: float
    degrees: float


def snap(piece: Poses, resting: Poses, reach: float) -> Placement | None:
    """Return the nearest place where a rigid piece docks edge to edge without overlap, or None.

    `piece` and `resting` map tile ids to poses; of a tile in both, the piece's counts. The piece turns about
    its centroid by the least angle that makes it parallel to what it docks to, and its centroid shifts by at
    most `reach` radii. Among places equally near (`EQUALLY_NEAR`) the one with most contacts is taken.
    """
    if not piece or not resting:
        return None
    index = Nearby(resting)
    best: Placement | None = None
    enough = math.inf
    for shift, degrees, dx, dy in _candidates(piece, resting, index, reach):
        if shift > enough:
            break
        placed = settle(move_group(move_group(piece, degrees=degrees), dx, dy))
        made = _docked(placed, index)
        if made and (best is None or len(made) > len(best.contacts)):
            enough = min(enough, shift + EQUALLY_NEAR)
            best = Placement(placed, made, shift, degrees)
    return best


def _candidates(
    piece: Poses, resting: Poses, index: Nearby, reach: float
) -> list[tuple[float, float, float, float]]:
    """List (shift, degrees, dx, dy) of places in reach where open faces meet, nearest first."""
    middle = centroid(piece)
    span = max(math.dist(middle, (pose.x, pose.y)) for pose in piece.values()) + SQRT3 + reach + _FINE
    near = {tile: pose for tile, pose in index.within(*middle, span) if tile not in piece}
    open_piece, open_resting = _open_faces(piece), _open_faces(near)
    found: set[tuple[float, float, float, float]] = set()
    for piece_slant, ours in _by_slant(piece).items():
        for resting_slant, theirs in _by_slant(near).items():
            degrees = (resting_slant - piece_slant + 30.0) % 60.0 - 30.0
            turned = move_group(piece, degrees=degrees)
            ours_turned = Nearby({tile: turned[tile] for tile in ours})
            for tile in theirs:
                at = near[tile]
                for mate, pose in ours_turned.within(at.x, at.y, SQRT3 + reach + _FINE):
                    for face in open_resting[tile]:
                        ux, uy = normals(at.angle)[face]
                        dx, dy = at.x + SQRT3 * ux - pose.x, at.y + SQRT3 * uy - pose.y
                        shift = math.hypot(dx, dy)
                        opposed = round((at.angle + 60.0 * face + 180.0 - pose.angle) / 60.0) % 6
                        if shift <= reach + _FINE and opposed in open_piece[mate]:
                            # Rounded, so that the same place found by several pairs of faces is one place.
                            found.add((round(shift, 6), round(degrees, 9), round(dx, 9), round(dy, 9)))
    return sorted(found, key=lambda place: (place[0], abs(place[1]), place))


def _by_slant(poses: Poses) -> dict[float, list[int]]:
    """Group tiles by the angle of their lattice, 0–60°."""
    groups: dict[float, list[int]] = {}
    for tile, pose in poses.items():
        groups.setdefault(round(pose.angle % 60.0, 6) % 60.0, []).append(tile)
    return groups


def _open_faces(poses: Poses) -> dict[int, set[int]]:
    faces = {tile: set(range(6)) for tile in poses}
    for a, face_a, b, face_b in contacts(poses):
        faces[a].discard(face_a)
        faces[b].discard(face_b)
    return faces


def _docked(placed: Poses, index: Nearby) -> frozenset[Contact]:
    """Return the contacts of a placed piece with resting tiles; none where it overlaps one."""
    made: set[Contact] = set()
    for tile, pose in placed.items():
        for other, at in index.within(pose.x, pose.y, 2.0):
            if other in placed:
                continue
            if overlap(pose, at):
                return frozenset()
            faces = touching_faces(pose, at)
            if faces is not None:
                made.add(Contact.between(tile, faces[0], other, faces[1]))
    return frozenset(made)


@dataclass(frozen=True, slots=True)
class Cut:
    """Give the contacts that a ribbon crosses and the parts into which the tiles then fall."""

    crossed: frozenset[Contact]
    parts: tuple[frozenset[int], ...]


def cut(poses: Poses, touching: Iterable[Contact], ribbon: Sequence[Point]) -> Cut:
    """Cut tiles apart along a ribbon of points (x, y).

    A contact is crossed where the segment between the two tiles' centres meets a segment of the ribbon. A
    centre exactly on the ribbon counts as lying to its right: a ribbon through a centre is no special case.
    Parts are in the order of `poses`; a ribbon that ends inside a cluster may separate nothing.
    """
    whole = list(touching)
    ends = [(poses[contact.a], poses[contact.b]) for contact in whole]
    # A hand draws some hundred short segments: each is compared with what lies near it only.
    index = Nearby({n: Pose((a.x + b.x) / 2, (a.y + b.y) / 2) for n, (a, b) in enumerate(ends)})
    crossed = frozenset(
        whole[n]
        for start, end in pairwise(ribbon)
        for n, _ in index.within(*_middle(start, end), (math.dist(start, end) + Nearby.SIDE) / 2)
        if _crosses(*ends[n], start, end)
    )
    return Cut(crossed, tuple(clusters(poses, set(whole) - crossed)))


def _middle(a: Point, b: Point) -> Point:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _crosses(a: Pose, b: Pose, start: Point, end: Point) -> bool:
    def side(from_x: float, from_y: float, to_x: float, to_y: float, x: float, y: float) -> bool:
        return (to_x - from_x) * (y - from_y) - (to_y - from_y) * (x - from_x) >= 0

    ribbon_parts_tiles = side(*start, *end, a.x, a.y) != side(*start, *end, b.x, b.y)
    tiles_part_ribbon = side(a.x, a.y, b.x, b.y, *start) != side(a.x, a.y, b.x, b.y, *end)
    return ribbon_parts_tiles and tiles_part_ribbon
