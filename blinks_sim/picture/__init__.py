"""A frame → an image: tiles as the desk draws them, without a window.

LED light is linear and adds up; a screen is neither. So the light of the six faces is mixed linearly inside
the cap, then encoded for the screen (sRGB), and the white of the cap gives way to it: a red tile is red, not
salmon, and a dim one still shows its colour. The desk draws with the same `Painter`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # a library never prints

import pygame

from ..errors import UsageError
from ..hexgrid import Pose
from ..moments import Frame
from .sprites import Faces, Sprites

__all__ = ["DESK", "Faces", "Look", "Painter", "bounds", "fit", "render", "save"]

DESK = (27, 29, 34)
MARGIN = 0.7  # radii around the outermost tiles
RADIUS_PX = 48.0

Size: TypeAlias = tuple[int, int]
Look: TypeAlias = tuple[Pose, Faces, str | None]


class Painter:
    """Draw tiles at a scale (pixels a radius) around an origin, the screen's place of the table's (0, 0)."""

    def __init__(self, scale: float = RADIUS_PX, origin: tuple[float, float] = (0.0, 0.0)) -> None:
        self.sprites = Sprites(scale)
        self.origin = origin

    @property
    def scale(self) -> float:
        """Give pixels a radius."""
        return self.sprites.scale

    def aim(self, scale: float, origin: tuple[float, float]) -> None:
        """Change scale and origin; sprites are made anew only where the scale differs."""
        if scale != self.sprites.scale:
            self.sprites = Sprites(scale)
        self.origin = origin

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel (unrounded) of a point of the table."""
        return self.origin[0] + x * self.scale, self.origin[1] + y * self.scale

    def to_table(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the table under a pixel."""
        return (x - self.origin[0]) / self.scale, (y - self.origin[1]) / self.scale

    def halos(self, onto: pygame.Surface, looks: Iterable[Look]) -> None:
        """Draw the light that tiles, given as (pose, faces, fault), cast on the desk."""
        for pose, faces, _ in looks:
            halo = self.sprites.halo(pose.angle, faces)
            if halo is not None:
                self._blit(onto, halo, pose, flags=pygame.BLEND_RGB_ADD)

    def tiles(self, onto: pygame.Surface, looks: Sequence[Look], lift: float = 0.0) -> None:
        """Draw tiles; a `lift` in radii lets their shadows fall farther."""
        for pose, _, _ in looks:
            self._blit(onto, self.sprites.shadow(pose.angle, lift > 0), pose, 0.06 + lift)
        for pose, faces, fault in looks:
            self._blit(onto, self.sprites.cap(pose.angle, faces), pose)
            if fault is not None:
                self._blit(onto, self.sprites.fault(), pose)

    def outline(
        self,
        onto: pygame.Surface,
        pose: Pose,
        color: tuple[int, int, int],
        fill: float = 0.0,
        edge: float = 0.9,
    ) -> None:
        """Draw the outline of a tile; `fill` and `edge` are opacities, 0–1."""
        self._blit(onto, self.sprites.outline(pose.angle, color, fill, edge), pose)

    def _blit(
        self, onto: pygame.Surface, sprite: pygame.Surface, pose: Pose, drop: float = 0.0, flags: int = 0
    ) -> None:
        x, y = self.to_screen(pose.x, pose.y + drop)
        onto.blit(
            sprite,
            (round(x - sprite.get_width() / 2), round(y - sprite.get_height() / 2)),
            special_flags=flags,
        )


def bounds(poses: Iterable[Pose], margin: float = MARGIN) -> tuple[float, float, float, float]:
    """Return (left, top, width, height), in radii, of a box around tiles, or (0, 0) without any."""
    spots = [(pose.x, pose.y) for pose in poses] or [(0.0, 0.0)]
    reach = 1.0 + margin
    left, top = min(x for x, _ in spots) - reach, min(y for _, y in spots) - reach
    return left, top, max(x for x, _ in spots) + reach - left, max(y for _, y in spots) + reach - top


def fit(
    box: tuple[float, float, float, float], area: tuple[float, float, float, float], largest: float = math.inf
) -> tuple[float, tuple[float, float]]:
    """Return (scale, origin) that show a box of the table centred in an area of pixels."""
    left, top, width, height = box
    x, y, wide, high = area
    scale = min(wide / width, high / height, largest)
    return scale, (x + wide / 2 - (left + width / 2) * scale, y + high / 2 - (top + height / 2) * scale)


def render(frame: Frame, size: Size | None = None, scale: float = RADIUS_PX) -> pygame.Surface:
    """Draw a frame: fitted into `size` (width, height), else as large as `scale` pixels a radius make it.

    Needs no window. Raises `UsageError` where the picture would have no pixel or too many to hold.
    """
    box = bounds(tile.pose for tile in frame.tiles)
    if size is None:
        size = (math.ceil(box[2] * scale), math.ceil(box[3] * scale))
    if min(size) < 1 or max(size) > 16384:
        raise UsageError(f"a picture of {size[0]} × {size[1]} pixels cannot be drawn; give 1 to 16384 a side")
    painter = Painter(*fit(box, (0.0, 0.0, *size)))
    surface = pygame.Surface(size, depth=32)
    surface.fill(DESK)
    looks = [(tile.pose, tile.faces, tile.fault) for tile in frame.tiles]
    painter.halos(surface, looks)
    painter.tiles(surface, looks)
    return surface


def save(frame: Frame, path: str | Path, size: Size | None = None, scale: float = RADIUS_PX) -> None:
    """Write a picture of a frame to a file; its ending (.png, .jpg, .bmp) names the format.

    Raises `UsageError` where the file cannot be written or its ending is none of these.
    """
    path = Path(path)
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg", ".bmp"):
        raise UsageError(
            f"cannot tell the format of picture {str(path)!r}; end its name in .png, .jpg or .bmp"
        )
    surface = render(frame, size, scale)
    try:
        pygame.image.save(surface, path)
    except (OSError, pygame.error) as problem:
        raise UsageError(f"cannot write picture {str(path)!r}: {problem}") from problem
