"""Draw the table: what lies there, what the hand holds, where it will land, the ribbon."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pygame

from ..hexgrid import Contact, Pose, face_midpoint
from ..moments import TileView
from ..picture import DESK, Look, Painter
from .hands import Hands
from .type import Color, text

GHOST: Color = (190, 215, 255)
REFUSED: Color = (255, 92, 84)
CHOSEN: Color = (225, 230, 240)
DOWN: Color = (255, 255, 255)
RIBBON: Color = (255, 214, 120)
SHADE: Color = (24, 20, 12)
NUMBER: Color = (255, 255, 255)
LIFT = 0.16  # radii a held piece seems to float above the desk


@dataclass(frozen=True, slots=True)
class Extras:
    """Say what is shown beside the tiles."""

    hovered: int | None = None
    numbers: bool = False


def draw_table(
    onto: pygame.Surface,
    painter: Painter,
    tiles: dict[int, TileView],
    seen: dict[int, Pose],
    hands: Hands,
    extras: Extras,
) -> None:
    """Draw the table onto a surface; `seen` is where each tile is seen now."""
    onto.fill(DESK)
    held = hands.held.home if hands.held is not None else {}

    def looks(numbers: list[int]) -> list[Look]:
        return [(seen[number], tiles[number].faces, tiles[number].fault) for number in numbers]

    resting = [number for number in tiles if number not in held]
    painter.halos(onto, looks(list(tiles)))
    painter.tiles(onto, looks(resting))
    for number in resting:
        if tiles[number].pressed or number == hands.pressed:
            painter.outline(onto, seen[number], DOWN, edge=1.0)
    if hands.selected in tiles and hands.selected not in held:
        painter.outline(onto, seen[hands.selected], CHOSEN, edge=0.5)
    if hands.ribbon is not None:
        _draw_ribbon(onto, painter, seen, hands.ribbon.crossed, hands.ribbon.points)
    landing = hands.landing
    if landing is not None:
        for pose in landing.poses.values():
            painter.outline(onto, pose, REFUSED if landing.home else GHOST, 0.10 if landing.home else 0.22)
    painter.tiles(onto, looks([number for number in tiles if number in held]), LIFT)
    labelled = list(tiles) if extras.numbers else [extras.hovered] if extras.hovered in tiles else []
    for number in labelled:
        if number is not None and tiles[number].fault is None:
            _draw_number(onto, painter, number, seen[number])


def _draw_ribbon(
    onto: pygame.Surface,
    painter: Painter,
    seen: dict[int, Pose],
    crossed: frozenset[Contact],
    points: list[tuple[float, float]],
) -> None:
    line = [painter.to_screen(*point) for point in points]
    for contact in crossed:
        center = painter.to_screen(*face_midpoint(seen[contact.a], contact.face_a))
        radius = max(4, round(0.13 * painter.scale))
        pygame.draw.aacircle(onto, SHADE, center, radius + 2)
        pygame.draw.aacircle(onto, RIBBON, center, radius)
    wide = max(2, round(0.055 * painter.scale))
    for color, thick in ((SHADE, wide + 4), (RIBBON, wide)):
        for start, end in pairwise(line):
            pygame.draw.aaline(onto, color, start, end, thick)


def _draw_number(onto: pygame.Surface, painter: Painter, number: int, pose: Pose) -> None:
    """Draw a tile's number, and a dot on its face 0."""
    size = max(16, round(0.62 * painter.scale))
    at = painter.to_screen(pose.x, pose.y)
    rim = max(1, size // 18)
    for dx, dy in (
        (-rim, 0),
        (rim, 0),
        (0, -rim),
        (0, rim),
        (-rim, -rim),
        (rim, -rim),
        (-rim, rim),
        (rim, rim),
    ):
        words = text(str(number), size, SHADE)
        onto.blit(words, words.get_rect(center=(at[0] + dx, at[1] + dy)))
    words = text(str(number), size, NUMBER)
    onto.blit(words, words.get_rect(center=at))
    x, y = face_midpoint(pose, 0)
    spot = painter.to_screen(pose.x + (x - pose.x) * 0.8, pose.y + (y - pose.y) * 0.8)
    radius = max(2, round(0.07 * painter.scale))
    pygame.draw.aacircle(onto, SHADE, spot, radius + 1)
    pygame.draw.aacircle(onto, NUMBER, spot, radius)
