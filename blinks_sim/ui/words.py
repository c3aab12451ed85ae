"""The words around the table: status line, hints for newcomers, the help sheet, a note at the pointer."""

from __future__ import annotations

import pygame

from . import texts
from .toolbar import ALERT, BAR, EDGE, FAINT, INK
from .type import Color, shortened, text, width

DONE: Color = (104, 196, 128)
KEY: Color = (255, 214, 120)
SHEET: Color = (24, 26, 31)
_HINT_GESTURES = ("drag", "split", "click", "help")


class StatusLine:
    """One line at the bottom of the window."""

    def __init__(self, size: tuple[int, int], zoom: float) -> None:
        self.height = round(26 * zoom)
        self._wide, self._high = size
        self._size = round(19 * zoom)
        self._pad = round(10 * zoom)

    def draw(self, onto: pygame.Surface, words: str, alert: bool) -> None:
        """Draw the line."""
        top = self._high - self.height
        pygame.draw.rect(onto, BAR, (0, top, self._wide, self.height))
        pygame.draw.line(onto, EDGE, (0, top), (self._wide, top))
        line = text(
            shortened(words, self._size, self._wide - 2 * self._pad), self._size, ALERT if alert else INK
        )
        onto.blit(line, line.get_rect(midleft=(self._pad, top + self.height // 2)))


class Hints:
    """What a newcomer has to know, above the status line, until each gesture was made once."""

    def __init__(self, size: tuple[int, int], zoom: float, bottom: int) -> None:
        self._size = round(19 * zoom)
        self._pad = round(10 * zoom)
        self._line = round(22 * zoom)
        room = size[0] - self._pad
        self._rows: list[list[tuple[int, str]]] = [[]]
        x = self._pad
        for number, words in enumerate(texts.HINTS):
            wide = self._line + width(words, self._size) + 2 * self._pad
            if self._rows[-1] and x + wide > room:
                self._rows.append([])
                x = self._pad
            self._rows[-1].append((number, words))
            x += wide
        self.height = len(self._rows) * self._line + self._pad // 2
        self._top = bottom - self.height

    def draw(self, onto: pygame.Surface, done: set[str]) -> None:
        """Draw the hints; those of gestures made are ticked off."""
        for row, hints in enumerate(self._rows):
            x, y = self._pad, self._top + row * self._line + self._line // 2
            for number, words in hints:
                made = _HINT_GESTURES[number] in done
                radius = round(self._size * 0.22)
                center = (x + radius, y)
                pygame.draw.aacircle(onto, DONE if made else FAINT, center, radius, 0 if made else 2)
                line = text(words, self._size, FAINT if made else INK)
                onto.blit(line, line.get_rect(midleft=(x + round(self._line * 0.75), y)))
                x += self._line + line.get_width() + 2 * self._pad


def draw_help(onto: pygame.Surface, zoom: float) -> None:
    """Draw the sheet of all gestures and keys over the window, as large as fits."""
    wide, high = onto.get_size()
    size = round(23 * zoom)
    while size > 10 and not _fits(size, wide, high):
        size -= 1
    left = max(width(keys, size) for keys, _ in texts.HELP)
    right = max(width(words, size) for _, words in texts.HELP)
    line, pad = round(size * 1.3), size
    sheet = pygame.Rect(0, 0, min(left + right + 4 * pad, wide), line * (len(texts.HELP) + 3) + pad)
    sheet.center = (wide // 2, high // 2)
    veil = pygame.Surface((wide, high), pygame.SRCALPHA)
    veil.fill((0, 0, 0, 130))
    onto.blit(veil, (0, 0))
    pygame.draw.rect(onto, SHEET, sheet, border_radius=pad // 2)
    pygame.draw.rect(onto, EDGE, sheet, 1, border_radius=pad // 2)
    y = sheet.top + pad
    title = text(texts.HELP_TITLE, round(size * 1.25), INK)
    onto.blit(title, (sheet.left + pad, y))
    y += round(line * 1.5)
    for keys, words in texts.HELP:
        onto.blit(text(keys, size, KEY), (sheet.left + pad, y))
        room = sheet.right - pad - (sheet.left + left + 2 * pad)
        onto.blit(text(shortened(words, size, room), size, INK), (sheet.left + left + 2 * pad, y))
        y += line
    close = text(texts.HELP_CLOSE, size, FAINT)
    onto.blit(close, close.get_rect(midtop=(sheet.centerx, y + line // 4)))


def _fits(size: int, wide: int, high: int) -> bool:
    left = max(width(keys, size) for keys, _ in texts.HELP)
    right = max(width(words, size) for _, words in texts.HELP)
    return left + right + 4 * size <= wide and round(size * 1.3) * (len(texts.HELP) + 3) + size <= high


def draw_note(onto: pygame.Surface, zoom: float, at: tuple[int, int], words: str, alert: bool) -> None:
    """Draw a note near the pointer, wholly inside the window."""
    size, pad = round(19 * zoom), round(7 * zoom)
    lines = _wrapped(words, size, min(onto.get_width() - 4 * pad, round(420 * zoom)))
    high = round(size * 1.15)
    box = pygame.Rect(0, 0, max(width(line, size) for line in lines) + 2 * pad, high * len(lines) + 2 * pad)
    box.topleft = (at[0] + round(16 * zoom), at[1] + round(18 * zoom))
    box.clamp_ip(onto.get_rect())
    pygame.draw.rect(onto, SHEET, box, border_radius=pad)
    pygame.draw.rect(onto, ALERT if alert else EDGE, box, 1, border_radius=pad)
    for row, line in enumerate(lines):
        onto.blit(text(line, size, INK), (box.left + pad, box.top + pad + row * high))


def _wrapped(words: str, size: int, room: int) -> list[str]:
    lines = [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
