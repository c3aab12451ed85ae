"""The start of a table: deal images to the spots of a layout, and bring each tile of Fracture to its team."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import LayoutError, TableError
from .image import Image
from .layout import Layout
from .table import Table
from .tile import Tile

# Colors of the bundled Fracture images, in the order in which a triple click brings them (seeds/fracture.md).
TEAMS = {
    "fracture": ("RED", "BLUE", "YELLOW", "GREEN"),
    "fracture6": ("RED", "BLUE", "YELLOW", "GREEN", "ORANGE", "MAGENTA"),
}

_STEP_S = 0.05
_BOOT_S = 3.0  # tiles start within 0.7 s; a user's own BIOS may take longer
_SHOW_S = 2.0  # long enough for a blinking tile to be seen lit


def lay(table: Table, layout: Layout, images: Sequence[Image]) -> list[Tile]:
    """Lay a tile on each spot of a layout; the images are dealt to them in turn."""
    return [
        table.add(images[index % len(images)], spot.cell, spot.turn)
        for index, spot in enumerate(layout.spots)
    ]


def join_teams(table: Table, tiles: Sequence[Tile], layout: Layout) -> None:
    """Triple-click each tile that runs Fracture until it shows the color of its team, all tiles at once.

    `tiles` are those of the layout's spots, in order. Spots without a team are left alone, and so are tiles
    that run other sketches.

    Raises:
        LayoutError: there are more teams than the image has colors.
        TableError: a tile does not show its team's color in the end.
    """
    teams = {
        tile: spot.team
        for tile, spot in zip(tiles, layout.spots, strict=True)
        if spot.team is not None and tile.image.name in TEAMS
    }
    for tile, team in teams.items():
        if team >= len(TEAMS[tile.image.name]):
            raise LayoutError(
                f"{layout.name}: has a team {team}, but {tile.image.name!r} has colors for teams 0 to "
                f"{len(TEAMS[tile.image.name]) - 1}; run fracture6"
            )
    if not any(teams.values()):
        return
    _await_colors(table, {tile: TEAMS[tile.image.name][0] for tile in teams}, _BOOT_S)
    for clicks in range(max(teams.values())):
        table.click([tile for tile, team in teams.items() if team > clicks], 3)
    _await_colors(table, {tile: TEAMS[tile.image.name][team] for tile, team in teams.items()}, _SHOW_S)


def _await_colors(table: Table, wanted: dict[Tile, str], limit_s: float) -> None:
    """Run the table until each tile has shown its color; a happy one blinks, so not all need to at once."""
    waiting = dict(wanted)
    for _ in range(round(limit_s / _STEP_S)):
        waiting = {tile: color for tile, color in waiting.items() if tile.color != color}
        if not waiting:
            return
        table.run(_STEP_S)
    tile, color = next(iter(waiting.items()))
    raise TableError(
        f"tile {tile.id} shows {tile.color or 'several colors'} instead of {color} "
        f"{f'({tile.fault}) ' if tile.fault else ''}after {limit_s:g} s; try without a start layout"
    )
