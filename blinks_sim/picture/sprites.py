"""The pieces of a picture: caps lit from below, halos on the desk, shadows, outlines; made once and kept."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pygame

Faces: TypeAlias = npt.NDArray[np.floating]
Floats: TypeAlias = npt.NDArray[np.float32]

CAP_RADIUS = 0.975  # radii: touching caps leave a seam
CORNER = 0.2  # radii: rounding of the cap's corners
CAP_REACH = 1.1  # radii: half the side of a cap's sprite
HALO_REACH = 1.75
SHADOW_REACH = 1.45
LED_AT = 0.56  # radii from the centre, towards the face
LED_SPREAD = 0.30  # radii: how far the cap diffuses an LED
ANGLES = 60  # slants drawn apart: one a degree
LEVELS = 48  # brightness steps told apart
KEPT = 1500  # sprites
LIGHT_GRID = 36  # light is soft: it is mixed on a coarse grid and scaled up

CAP_UNLIT = np.array([0.255, 0.262, 0.285], dtype=np.float32)  # screen values of the milky cap in a dark room
# What the red, green and blue LED look like on a screen, in linear light. Pure sRGB blue is too dark for one.
PRIMARIES = np.array([[1.0, 0.008, 0.012], [0.012, 0.88, 0.05], [0.02, 0.075, 1.0]], dtype=np.float32)


def encode(linear: npt.NDArray[np.floating]) -> Floats:
    """Return sRGB screen values 0–1 of linear light; light beyond 1 is cut off."""
    light = np.clip(linear, 0.0, 1.0)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.power(light, 1 / 2.4) - 0.055)
    return np.asarray(encoded, dtype=np.float32)


_FINE = 4095
_ENCODED = encode(np.arange(_FINE + 1) / _FINE)


def _encode_fast(linear: Floats) -> Floats:
    """Do as `encode`, by a table; light must not be negative."""
    return np.asarray(_ENCODED[np.minimum(linear * _FINE, _FINE).astype(np.int32)])


class Sprites:
    """Keep the sprites of one scale (pixels a radius). Surfaces given out are shared: never draw on them."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self._kept: OrderedDict[tuple[object, ...], pygame.Surface | None] = OrderedDict()

    def cap(self, angle: float, faces: Faces) -> pygame.Surface:
        """Return a tile's cap, lit by its faces: array (6, 3) of linear light."""
        slant, levels = _seen(angle, faces)
        made = self._keep(("cap", slant, levels), lambda: self._cap(slant, _light(levels)))
        assert made is not None
        return made

    def halo(self, angle: float, faces: Faces) -> pygame.Surface | None:
        """Return the light a tile casts on the desk, to be added; None where it is dark."""
        slant, levels = _seen(angle, faces)
        return self._keep(("halo", slant, levels), lambda: self._halo(slant, levels))

    def shadow(self, angle: float, lifted: bool) -> pygame.Surface:
        """Return a tile's shadow, softer where the tile is lifted."""
        slant = _slant(angle)[1]
        made = self._keep(("shadow", slant, lifted), lambda: self._shadow(slant, lifted))
        assert made is not None
        return made

    def outline(self, angle: float, color: tuple[int, int, int], fill: float, edge: float) -> pygame.Surface:
        """Return a tile's outline; `fill` and `edge` are opacities, 0–1."""
        slant = _slant(angle)[1]
        made = self._keep(
            ("outline", slant, color, fill, edge), lambda: self._outline(slant, color, fill, edge)
        )
        assert made is not None
        return made

    def fault(self) -> pygame.Surface:
        """Return the mark of a tile that has stopped."""
        made = self._keep(("fault",), self._fault)
        assert made is not None
        return made

    def _keep(
        self, key: tuple[object, ...], make: Callable[[], pygame.Surface | None]
    ) -> pygame.Surface | None:
        try:
            self._kept.move_to_end(key)
            return self._kept[key]
        except KeyError:
            sprite = self._kept[key] = make()
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return sprite

    def _extent(self, reach: float) -> tuple[int, float]:
        """Return the side in pixels, odd, of a sprite of about that reach in radii, and its exact reach."""
        side = max(3, 2 * round(reach * self.scale) + 1)
        return side, side / (2.0 * self.scale)

    def _cap(self, slant: int, light: Floats) -> pygame.Surface:
        side, reach = self._extent(CAP_REACH)
        grid = min(side, LIGHT_GRID)
        shown = _encode_fast(_lights(slant, grid, reach) @ light)
        # The white of the cap gives way to the light in it: red, not salmon.
        unlit = (1.0 - shown.max(axis=2, keepdims=True)) ** 1.5
        screen = CAP_UNLIT * unlit + shown
        cap = pygame.transform.smoothscale(_surface(screen), (side, side))
        body, gloss = self._body(slant, side, reach)
        cap.blit(body, (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
        cap.blit(gloss, (0, 0), special_flags=pygame.BLEND_RGB_ADD)
        return cap

    def _body(self, slant: int, side: int, reach: float) -> tuple[pygame.Surface, pygame.Surface]:
        """Return what a cap's light is multiplied with (shape, darker rim) and the gloss that is added."""
        body = self._keep(("body", slant), lambda: _body(slant, side, reach, self.scale))
        gloss = self._keep(("gloss", slant), lambda: _gloss(slant, side, reach, self.scale))
        assert body is not None
        assert gloss is not None
        return body, gloss

    def _halo(self, slant: int, levels: tuple[int, ...]) -> pygame.Surface | None:
        if not any(levels):
            return None
        side, reach = self._extent(HALO_REACH)
        grid = min(side, LIGHT_GRID)
        cast = _encode_fast(_casts(slant, grid, reach) @ _light(levels))
        return pygame.transform.smoothscale(_surface(cast), (side, side))

    def _shadow(self, slant: int, lifted: bool) -> pygame.Surface:
        side, reach = self._extent(SHADOW_REACH)
        inside = _inside(slant, side, reach)
        soft = 0.42 if lifted else 0.16
        strength = np.clip(0.5 + inside / (2 * soft), 0.0, 1.0) ** 1.5
        return _surface(np.zeros((side, side, 3)), strength * (0.5 if lifted else 0.6))

    def _outline(self, slant: int, color: tuple[int, int, int], fill: float, edge: float) -> pygame.Surface:
        side, reach = self._extent(CAP_REACH)
        inside = _inside(slant, side, reach) * self.scale
        width = max(1.5, 0.05 * self.scale)
        line = np.clip(inside + 0.5, 0.0, 1.0) * np.clip(width - inside + 0.5, 0.0, 1.0)
        alpha = np.maximum(line * edge, np.clip(inside + 0.5, 0.0, 1.0) * fill)
        return _surface(np.broadcast_to(np.array(color) / 255.0, (side, side, 3)), alpha)

    def _fault(self) -> pygame.Surface:
        x, y = _points(*self._extent(0.5))
        soften = self.scale
        disc = np.clip((0.44 - np.hypot(x, y)) * soften + 0.5, 0.0, 1.0)
        ring = np.clip((0.44 - np.hypot(x, y)) * soften + 0.5, 0.0, 1.0) - np.clip(
            (0.37 - np.hypot(x, y)) * soften + 0.5, 0.0, 1.0
        )
        # An exclamation mark: a stroke that narrows downwards and a dot.
        stroke = np.minimum(0.085 - 0.09 * (y + 0.24) - np.abs(x), np.minimum(y + 0.25, 0.08 - y))
        mark = np.maximum(stroke, 0.065 - np.hypot(x, y - 0.2))
        white = np.clip(mark * soften + 0.5, 0.0, 1.0) + ring
        paint = np.array([0.82, 0.1, 0.1]) + np.clip(white, 0, 1)[..., None] * np.array([0.18, 0.9, 0.9])
        return _surface(paint, disc)


def _slant(angle: float) -> tuple[int, int]:
    """Split an angle in degrees into a turn (0–5) and a slant of 0 to 59 sixtieths of a turn."""
    steps = round(angle * ANGLES / 60.0)
    return steps // ANGLES % 6, steps % ANGLES


def _seen(angle: float, faces: Faces) -> tuple[int, tuple[int, ...]]:
    """Return the slant, and brightness steps by direction and colour, that tell sprites apart."""
    turn, slant = _slant(angle)
    steps = _steps(np.asarray(faces, dtype=np.float32).tobytes())
    return slant, steps[-3 * turn :] + steps[: -3 * turn] if turn else steps


@lru_cache(maxsize=4096)
def _steps(faces: bytes) -> tuple[int, ...]:
    """Return brightness steps of faces given as the bytes of a float32 array (6, 3)."""
    light = np.frombuffer(faces, dtype=np.float32)
    return tuple(np.rint(encode(light) * LEVELS).astype(np.int64).tolist())


@lru_cache(maxsize=512)
def _light(levels: tuple[int, ...]) -> Floats:
    """Return array (6, 3): linear light by direction, for a screen, of brightness steps."""
    value = np.array(levels, dtype=np.float32).reshape(6, 3) / LEVELS
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear.astype(np.float32) @ PRIMARIES, dtype=np.float32)


def _points(side: int, reach: float) -> tuple[Floats, Floats]:
    """Return x and y, arrays (side, side) indexed [x, y], of pixel centres in radii."""
    axis = np.asarray(((np.arange(side) + 0.5) / side * 2.0 - 1.0) * reach, dtype=np.float32)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    return np.asarray(x), np.asarray(y)


def _directions(slant: int) -> list[tuple[float, float]]:
    """Return the unit vectors (x, y) in which the six faces look."""
    angles = [math.radians(slant * 60.0 / ANGLES + 60.0 * direction) for direction in range(6)]
    return [(math.sin(angle), -math.cos(angle)) for angle in angles]


def _inside(slant: int, side: int, reach: float) -> Floats:
    """Return the distance to the cap's edge in radii, positive inside: array (side, side)."""
    x, y = _points(side, reach)
    apothem = CAP_RADIUS * math.sqrt(3) / 2 - CORNER
    along = [x * ux + y * uy for ux, uy in _directions(slant)]
    beyond = np.max(along, axis=0) - apothem
    # Outside the inner hexagon the distance is that to its nearest side, a segment: this rounds the corners.
    outside = np.full_like(x, np.inf)
    half = apothem / math.sqrt(3)
    for (ux, uy), forth in zip(_directions(slant), along, strict=True):
        sideways = np.abs(y * ux - x * uy)
        outside = np.minimum(outside, np.hypot(forth - apothem, np.maximum(sideways - half, 0.0)))
    return np.asarray(CORNER - np.where(beyond > 0, outside, beyond), dtype=np.float32)


@lru_cache(maxsize=128)
def _lights(slant: int, grid: int, reach: float) -> Floats:
    """Return how much of each face's light leaves the cap where: array (grid, grid, 6)."""
    x, y = _points(grid, reach)
    near = np.stack(
        [
            np.exp(-((x - LED_AT * ux) ** 2 + (y - LED_AT * uy) ** 2) / (2 * LED_SPREAD**2))
            for ux, uy in _directions(slant)
        ],
        axis=2,
    )
    share = near / near.sum(axis=2, keepdims=True)
    # The cap glows most above each LED, less between them, in its middle and at its rim.
    glow = 0.66 + 0.34 * np.minimum(near.max(axis=2) * 1.15, 1.0)
    return np.asarray(share * glow[..., None], dtype=np.float32)


@lru_cache(maxsize=128)
def _casts(slant: int, grid: int, reach: float) -> Floats:
    """Return how much of each face's light falls on the desk where: array (grid, grid, 6)."""
    x, y = _points(grid, reach)
    fade = np.clip((HALO_REACH - np.hypot(x, y)) / 0.7, 0.0, 1.0) ** 2
    lit = [
        0.055 * np.exp(-((x - 0.8 * ux) ** 2 + (y - 0.8 * uy) ** 2) / (2 * 0.42**2)) * fade
        for ux, uy in _directions(slant)
    ]
    return np.asarray(np.stack(lit, axis=2), dtype=np.float32)


def _body(slant: int, side: int, reach: float, scale: float) -> pygame.Surface:
    inside = _inside(slant, side, reach)
    shape = np.clip(inside * scale + 0.5, 0.0, 1.0)
    rim = 0.70 + 0.30 * np.clip(inside / 0.14, 0.0, 1.0) ** 0.7
    return _surface(np.repeat(rim[..., None], 3, axis=2), shape)


def _gloss(slant: int, side: int, reach: float, scale: float) -> pygame.Surface:
    """Return the light of the room on the cap's upper edge."""
    inside = _inside(slant, side, reach)
    _, y = _points(side, reach)
    width = max(0.035, 1.2 / scale)
    edge = np.exp(-(((inside - width) / width) ** 2)) * np.clip(-y, 0.0, 1.0)
    sheen = np.clip(0.5 - y, 0.0, 2.0) * np.clip(inside / 0.3, 0.0, 1.0)
    return _surface(np.repeat((0.16 * edge + 0.018 * sheen)[..., None], 3, axis=2))


def _surface(rgb: npt.NDArray[np.floating], alpha: npt.NDArray[np.floating] | None = None) -> pygame.Surface:
    """Return a surface of screen values 0–1: arrays (width, height, 3) and (width, height)."""
    surface = pygame.Surface(rgb.shape[:2], pygame.SRCALPHA, 32)
    pygame.surfarray.pixels3d(surface)[...] = np.rint(np.clip(rgb, 0.0, 1.0) * 255.0)
    pygame.surfarray.pixels_alpha(surface)[...] = (
        255 if alpha is None else np.rint(np.clip(alpha, 0.0, 1.0) * 255.0)
    )
    return surface
