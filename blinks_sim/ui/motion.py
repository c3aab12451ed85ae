"""Where tiles are seen while they glide to where they are."""

from __future__ import annotations

from dataclasses import dataclass

from ..hexgrid import Pose

GLIDE_MS = 150.0


@dataclass(slots=True)
class _Glide:
    start: Pose
    end: Pose
    since_ms: float


class Motion:
    """Let tiles glide instead of jump."""

    def __init__(self) -> None:
        self._glides: dict[int, _Glide] = {}

    def seen(self, poses: dict[int, Pose], held: dict[int, Pose], now_ms: float) -> dict[int, Pose]:
        """Return where tiles that lie at `poses` are seen; those `held` are where the hand has them."""
        for tile in self._glides.keys() - poses.keys():
            del self._glides[tile]
        shown: dict[int, Pose] = {}
        for tile, pose in poses.items():
            if tile in held:
                self._glides[tile] = _Glide(held[tile], held[tile], now_ms - GLIDE_MS)
                shown[tile] = held[tile]
                continue
            glide = self._glides.get(tile)
            if glide is None:
                glide = self._glides[tile] = _Glide(pose, pose, now_ms - GLIDE_MS)
            elif glide.end != pose:
                glide = self._glides[tile] = _Glide(_between(glide, now_ms), pose, now_ms)
            shown[tile] = _between(glide, now_ms)
        return shown


def _between(glide: _Glide, now_ms: float) -> Pose:
    part = (now_ms - glide.since_ms) / GLIDE_MS
    if part >= 1.0:
        return glide.end
    eased = 1.0 - (1.0 - max(part, 0.0)) ** 3
    start, end = glide.start, glide.end
    degrees = (end.angle - start.angle + 180.0) % 360.0 - 180.0
    return start.moved((end.x - start.x) * eased, (end.y - start.y) * eased, degrees * eased)
