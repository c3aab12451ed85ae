"""Do what the bare command does until the desk has drawn its first picture; for machines without Xvfb.

The environment must say SDL_VIDEODRIVER=dummy.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

from blinks_sim.cli import main
from blinks_sim.ui.app import Desk

if TYPE_CHECKING:
    import pygame

draw = Desk.draw


def draw_once(desk: Desk, surface: pygame.Surface, now_ms: float) -> NoReturn:
    """Draw and leave; exit status 0 only where something was drawn."""
    os._exit(0 if draw(desk, surface, now_ms) else 1)


Desk.draw = draw_once  # type: ignore[method-assign, assignment]
main([])
