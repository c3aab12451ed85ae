"""The bar above the table: pause, speed, add, remove, reset, help."""

from __future__ import annotations

from dataclasses import dataclass

import pygame

from . import texts
from .type import Color, icon, text, width

BAR: Color = (33, 35, 41)
EDGE: Color = (50, 53, 61)
INK: Color = (222, 225, 232)
FAINT: Color = (150, 155, 166)
HOT: Color = (58, 62, 72)
ALERT: Color = (255, 176, 92)


@dataclass(frozen=True, slots=True)
class State:
    """Say what the bar shows: `speed` is what is asked for, 0 when paused; `percent` what is achieved."""

    speed: float
    paused: bool
    percent: float
    hovered: str | None


class Toolbar:
    """Lay out and draw the bar for a width in pixels; `zoom` is 1 for text of usual size."""

    def __init__(self, wide: int, zoom: float) -> None:
        self.height = round(44 * zoom)
        self._zoom = zoom
        self._size = round(21 * zoom)
        self._wide = wide
        self._labels = True
        self.areas = self._lay_out()
        if self.areas["help"].left < self.areas["reset"].right + 8 * zoom:
            self._labels = False
            self.areas = self._lay_out()

    def _lay_out(self) -> dict[str, pygame.Rect]:
        gap, pad = round(6 * self._zoom), round(5 * self._zoom)
        high = self.height - 2 * pad
        areas: dict[str, pygame.Rect] = {}
        x = gap

        def put(name: str, wide: int, at: int) -> int:
            areas[name] = pygame.Rect(at, pad, wide, high)
            return at + wide + gap

        x = put("pause", self._button_width(max(texts.PAUSE, texts.GO_ON, key=len)), x)
        x = put("slower", high, x + gap)
        x = put("speed", self._speed_width(), x)
        x = put("faster", high, x)
        for name, label in (("add", texts.ADD), ("remove", texts.REMOVE), ("reset", texts.RESET)):
            x = put(name, self._button_width(label), x + (2 * gap if name == "add" else 0))
        help_wide = self._button_width(texts.HELP_BUTTON)
        put("help", help_wide, self._wide - gap - help_wide)
        return areas

    def _button_width(self, label: str) -> int:
        high = self.height - 2 * round(5 * self._zoom)
        return high + (width(label, self._size) + round(8 * self._zoom) if self._labels else 0)

    def _speed_width(self) -> int:
        longest = texts.speed(9999.0) if self._labels else "9999 %"
        return width(longest, self._size) + round(12 * self._zoom)

    def button_at(self, at: tuple[float, float]) -> str | None:
        """Return the name of the button at a pixel."""
        return next(
            (name for name, area in self.areas.items() if name != "speed" and area.collidepoint(at)), None
        )

    def draw(self, onto: pygame.Surface, state: State) -> None:
        """Draw the bar."""
        pygame.draw.rect(onto, BAR, (0, 0, self._wide, self.height))
        pygame.draw.line(onto, EDGE, (0, self.height - 1), (self._wide, self.height - 1))
        labels = {
            "pause": texts.GO_ON if state.paused else texts.PAUSE,
            "add": texts.ADD,
            "remove": texts.REMOVE,
            "reset": texts.RESET,
            "help": texts.HELP_BUTTON,
        }
        for name, area in self.areas.items():
            if name == "speed":
                self._draw_speed(onto, area, state)
                continue
            if name == state.hovered:
                pygame.draw.rect(onto, HOT, area, border_radius=round(6 * self._zoom))
            drawn = "go" if name == "pause" and state.paused else name
            side = round(area.height * 0.56)
            color = ALERT if drawn == "go" else INK
            middle = area.left + area.height // 2
            onto.blit(icon(drawn, side, color), (middle - side // 2, area.centery - side // 2))
            if self._labels and name in labels:
                words = text(labels[name], self._size, color)
                onto.blit(words, words.get_rect(midleft=(area.left + area.height, area.centery)))

    def _draw_speed(self, onto: pygame.Surface, area: pygame.Rect, state: State) -> None:
        asked = state.speed * 100.0
        behind = not state.paused and state.percent < 0.93 * asked
        if state.paused:
            words = texts.PAUSED
        elif self._labels:
            words = texts.speed(state.percent)
        else:
            words = texts.speed(state.percent).split(" of")[0]
        main = text(words, self._size, ALERT if behind or state.paused else INK)
        if not behind and asked == 100.0 and not state.paused:
            onto.blit(main, main.get_rect(center=area.center))
            return
        below = text(texts.asked(asked), round(self._size * 0.72), FAINT)
        onto.blit(main, main.get_rect(midbottom=(area.centerx, area.centery + round(4 * self._zoom))))
        onto.blit(below, below.get_rect(midtop=(area.centerx, area.centery + round(4 * self._zoom))))
