"""Text and icons, drawn once and kept."""

from __future__ import annotations

from functools import lru_cache

import pygame

Color = tuple[int, int, int]

_SHARPER = 4  # text and icons are drawn so much larger and scaled down: even spacing at small sizes

# Icons as polygons on a square of side 1, then what is cut out of them.
_ICONS: dict[str, tuple[list[list[tuple[float, float]]], list[list[tuple[float, float]]]]] = {
    "pause": (
        [
            [(0.22, 0.15), (0.42, 0.15), (0.42, 0.85), (0.22, 0.85)],
            [(0.58, 0.15), (0.78, 0.15), (0.78, 0.85), (0.58, 0.85)],
        ],
        [],
    ),
    "go": ([[(0.26, 0.12), (0.84, 0.5), (0.26, 0.88)]], []),
    "slower": ([[(0.5, 0.2), (0.5, 0.8), (0.08, 0.5)], [(0.92, 0.2), (0.92, 0.8), (0.5, 0.5)]], []),
    "faster": ([[(0.08, 0.2), (0.08, 0.8), (0.5, 0.5)], [(0.5, 0.2), (0.5, 0.8), (0.92, 0.5)]], []),
}


@lru_cache(maxsize=32)
def _font(size: int) -> pygame.font.Font:
    return pygame.font.Font(None, size * _SHARPER)


@lru_cache(maxsize=512)
def text(words: str, size: int, color: Color) -> pygame.Surface:
    """Return a line of text; the surface is shared, do not draw on it."""
    large = _font(size).render(words or " ", True, color)
    wide, high = large.get_size()
    return pygame.transform.smoothscale(large, (max(wide // _SHARPER, 1), max(high // _SHARPER, 1)))


def width(words: str, size: int) -> int:
    """Return how many pixels wide a line of text is."""
    return _font(size).size(words)[0] // _SHARPER


def shortened(words: str, size: int, room: int) -> str:
    """Return a line of text cut to a width, with an ellipsis where something is missing."""
    if width(words, size) <= room:
        return words
    while words and width(words + "…", size) > room:
        words = words[:-1]
    return words + "…"


@lru_cache(maxsize=128)
def icon(name: str, side: int, color: Color) -> pygame.Surface:
    """Return a named icon; the surface is shared, do not draw on it."""
    big = side * _SHARPER
    surface = pygame.Surface((big, big), pygame.SRCALPHA)
    surface.fill((*color, 0))
    draw = {"add": _add, "remove": _remove, "reset": _reset, "help": _help}.get(name)
    if draw is not None:
        draw(surface, big, color)
    else:
        for polygon in _ICONS[name][0]:
            pygame.draw.polygon(surface, color, [(x * big, y * big) for x, y in polygon])
    return pygame.transform.smoothscale(surface, (side, side))


def _hexagon(surface: pygame.Surface, big: int, color: Color) -> None:
    points = [(0.98, 0.5), (0.74, 0.915), (0.26, 0.915), (0.02, 0.5), (0.26, 0.085), (0.74, 0.085)]
    pygame.draw.polygon(surface, color, [(x * big, y * big) for x, y in points])
    inner = [(0.5 + (x - 0.5) * 0.8, 0.5 + (y - 0.5) * 0.8) for x, y in points]
    pygame.draw.polygon(surface, (*color, 0), [(x * big, y * big) for x, y in inner])


def _bar(surface: pygame.Surface, big: int, color: Color, upright: bool) -> None:
    across, along = 0.1 * big, 0.46 * big
    wide, high = (across, along) if upright else (along, across)
    pygame.draw.rect(surface, color, (big / 2 - wide / 2, big / 2 - high / 2, wide, high))


def _add(surface: pygame.Surface, big: int, color: Color) -> None:
    _hexagon(surface, big, color)
    _bar(surface, big, color, upright=False)
    _bar(surface, big, color, upright=True)


def _remove(surface: pygame.Surface, big: int, color: Color) -> None:
    _hexagon(surface, big, color)
    _bar(surface, big, color, upright=False)


def _reset(surface: pygame.Surface, big: int, color: Color) -> None:
    pygame.draw.circle(surface, color, (big / 2, big / 2), 0.4 * big, round(0.11 * big))
    pygame.draw.polygon(
        surface, (*color, 0), [(0.5 * big, 0.5 * big), (0.5 * big, 0), (big, 0), (big, 0.42 * big)]
    )
    pygame.draw.polygon(
        surface, color, [(0.5 * big, -0.06 * big), (0.5 * big, 0.38 * big), (0.76 * big, 0.16 * big)]
    )


def _help(surface: pygame.Surface, big: int, color: Color) -> None:
    pygame.draw.circle(surface, color, (big / 2, big / 2), 0.46 * big, round(0.09 * big))
    mark = text("?", round(0.92 * big), color)
    surface.blit(mark, mark.get_rect(center=(big / 2, big * 0.53)))
