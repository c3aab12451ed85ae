"""Slide the parts of a split cluster away from each other, to where they touch nothing."""

from __future__ import annotations

import math

from ..hexgrid import Nearby, Pose, centroid, move_group, overlap, settle, touching_faces

GAP = 0.55  # radii: how far a part slides at least
STEP = 0.25
FARTHEST = 30.0
_BEARINGS = (0, 20, -20, 40, -40, 60, -60, 90, -90, 120, -120, 150, -150, 180)


def slide_apart(poses: dict[int, Pose], parts: list[frozenset[int]]) -> dict[int, Pose] | None:
    """Return new poses of the parts, each slid away from what it touched, or None where there is no room.

    `parts` are tiles to be moved, part by part; the others stay. A part slides straight away from the tiles
    near it, or as little as possible aside, and comes to lie where it overlaps and touches no other tile.
    """
    now = dict(poses)
    moved: dict[int, Pose] = {}
    for part in parts:
        piece = {tile: now[tile] for tile in sorted(part)}
        rest = {tile: pose for tile, pose in now.items() if tile not in part}
        placed = _slide(piece, rest)
        if placed is None:
            return None
        now.update(placed)
        moved.update(placed)
    return moved


def _slide(piece: dict[int, Pose], rest: dict[int, Pose]) -> dict[int, Pose] | None:
    index = Nearby(rest)
    middle = centroid(piece)
    touched = {
        tile: pose
        for mine in piece.values()
        for tile, pose in index.within(mine.x, mine.y, 2.0)
        if touching_faces(mine, pose) is not None
    }
    if not touched:
        return piece
    away_from = centroid(touched)
    straight = math.degrees(math.atan2(middle[1] - away_from[1], middle[0] - away_from[0]))
    steps = int((FARTHEST - GAP) / STEP)
    for step in range(steps):
        far = GAP + STEP * step
        for bearing in _BEARINGS:
            angle = math.radians(straight + bearing)
            placed = settle(move_group(piece, far * math.cos(angle), far * math.sin(angle)))
            if _lies_free(placed, index):
                return placed
    return None


def _lies_free(piece: dict[int, Pose], index: Nearby) -> bool:
    return not any(
        overlap(pose, other) or touching_faces(pose, other) is not None
        for pose in piece.values()
        for _, other in index.within(pose.x, pose.y, 2.2)
    )
