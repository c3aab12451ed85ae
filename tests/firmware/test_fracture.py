"""The seed's Fracture on tiles: teams by triple click, and happiness."""

from __future__ import annotations

import pytest

from blinks_sim import Image, Table
from blinks_sim.tile import Tile

TEAMS = ["RED", "BLUE", "YELLOW", "GREEN"]
TRIANGLE = [(0, 0), (1, 0), (0, 1)]


def looks(tile: Tile, table: Table, seconds: float = 1.5) -> list[str | None]:
    """Return what a tile shows during a time, each color once a change, looking every 20 ms."""
    seen: list[str | None] = []
    for _ in range(round(seconds / 0.02)):
        table.run(0.02)
        if tile.color is not None and seen[-1:] != [tile.color]:  # None: a frame in which it changes
            seen.append(tile.color)
    return seen


def blinking(tiles: list[Tile], table: Table) -> list[bool]:
    """Return for each tile whether it goes on and off in turn during 1.5 s; it must be steady if not."""
    seen: dict[int, list[str | None]] = {tile.id: [] for tile in tiles}
    for _ in range(75):
        table.run(0.02)
        for tile in tiles:
            if tile.color is not None and seen[tile.id][-1:] != [tile.color]:
                seen[tile.id].append(tile.color)
    for colors in seen.values():
        assert len(colors) == 1 or len(colors) >= 5
        assert len(set(colors) - {"OFF"}) == 1
    return [len(seen[tile.id]) >= 5 for tile in tiles]


def triangle(image: str = "fracture") -> tuple[Table, list[Tile]]:
    """Return three tiles that touch each other, all red."""
    table = Table(seed=1)
    tiles = [table.add(Image.load(image), cell=cell, turn=2 * n) for n, cell in enumerate(TRIANGLE)]
    table.run(1.5)
    return table, tiles


@pytest.mark.parametrize(
    ("image", "teams"), [("fracture", TEAMS), ("fracture6", [*TEAMS, "ORANGE", "MAGENTA"])]
)
def test_team_cycle(image: str, teams: list[str]) -> None:
    """A triple click gives a tile to the next team; after the last comes the first again."""
    table = Table(seed=1)
    tile = table.add(Image.load(image))
    table.run(1.0)
    for team in [*teams, teams[0]]:
        assert looks(tile, table, 0.6) == [team]
        tile.click(3)
        table.run(0.05)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_other_clicks_do_nothing(count: int) -> None:
    """Only a triple click changes the team."""
    table = Table(seed=1)
    tile = table.add(Image.load("fracture"))
    table.run(1.0)
    tile.click(count)
    assert looks(tile, table, 0.6) == ["RED"]


def test_triangle() -> None:
    """Three tiles of one team are steady; of three teams all blink; with two made equal those two stop."""
    table, tiles = triangle()
    assert blinking(tiles, table) == [False] * 3
    tiles[1].click(3)
    table.run(0.5)
    # Red, blue, red: the reds touch each other, the blue one is happy.
    assert blinking(tiles, table) == [False, True, False]
    tiles[2].click(3)
    tiles[2].click(3)
    table.run(0.5)
    assert blinking(tiles, table) == [True, True, True]
    for _ in range(3):
        tiles[2].click(3)
    table.run(0.5)
    assert blinking(tiles, table) == [True, False, False]
    assert [tile.color for tile in tiles[1:]] == ["BLUE", "BLUE"]


def test_one_neighbor_is_not_enough() -> None:
    """A tile that touches only one tile is not happy, nor one that has lost its second."""
    table, tiles = triangle()
    tiles[1].click(3)
    tiles[2].click(3)
    tiles[2].click(3)
    table.run(0.5)
    assert blinking(tiles, table) == [True] * 3
    table.move([tiles[2]], cell=(8, 0))
    table.run(0.5)
    assert blinking(tiles, table) == [False] * 3


def test_own_color_anywhere_spoils_it() -> None:
    """With two neighbors of other teams and one of the own, a tile is steady, whatever face that touches."""
    table = Table(seed=1)
    image = Image.load("fracture")
    middle = table.add(image)
    others = [table.add(image, cell=cell) for cell in [(0, -1), (1, 0), (-1, 1)]]
    table.run(1.5)
    table.click(others, 3)
    table.run(0.5)
    assert blinking([middle], table) == [True]
    for other in others:
        for _ in range(3):
            other.click(3)  # blue to red
        table.run(0.5)
        assert blinking([middle], table) == [False]
        other.click(3)
        table.run(0.5)
        assert blinking([middle], table) == [True]


def test_tiles_with_other_games_count_as_tiles() -> None:
    """A neighbor that sends something else is a tile of no own team; one that sends nothing is none."""
    table = Table(seed=1)
    tile = table.add(Image.load("fracture"))
    strangers = [table.add(Image.load("values"), cell=(1, 0)), table.add(Image.load("values"), cell=(0, 1))]
    table.run(1.5)
    table.click(strangers, 1)  # they send 1, the value of blue
    table.run(0.5)
    assert blinking([tile], table) == [True]
    assert tile.fault is None


def test_fracture_is_small() -> None:
    """Both images take less than 4,096 bytes."""
    for name in ("fracture", "fracture6"):
        assert Image.load(name).sketch_bytes < 4096
