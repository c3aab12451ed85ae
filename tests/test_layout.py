"""Layouts, built in and from files."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim.errors import LayoutError
from blinks_sim.hexgrid import Contact, Pose, clusters, contacts, direction_between, distance
from blinks_sim.layout import MAX_TILES, Layout, Spot

coordinates = st.integers(-400, 400)
spots = st.builds(
    Spot, st.tuples(coordinates, coordinates), st.integers(0, 5), st.one_of(st.none(), st.integers(0, 5))
)
layouts = st.lists(spots, min_size=1, max_size=60, unique_by=lambda spot: spot.cell).map(
    lambda found: Layout(tuple(found))
)


def touching(layout: Layout) -> set[Contact]:
    return contacts({i: Pose.of(spot.cell, spot.turn) for i, spot in enumerate(layout.spots)})


def cells(layout: Layout) -> list[tuple[int, int]]:
    return [spot.cell for spot in layout.spots]


@given(layouts)
def test_a_layout_reads_what_it_writes(layout):
    """Parsing a layout's text gives the same layout."""
    assert Layout.parse(str(layout)) == layout


def test_a_file_may_have_comments_and_short_lines(tmp_path: Path):
    """Turn and team may be left out; comments and empty lines count for nothing."""
    path = tmp_path / "three.txt"
    path.write_text("# three tiles\n\n0 0\n  1 -1 2   # turned\n\t-1 +1 0 3\n")
    layout = Layout.load(str(path))
    assert layout.spots == (Spot((0, 0)), Spot((1, -1), 2), Spot((-1, 1), 0, 3))
    assert str(layout) == "0 0\n1 -1 2\n-1 1 0 3\n"
    assert Layout.load(str(path), tiles=3) == layout


FORM = "write 'q r [turn] [team]', whole numbers such as '1 -2 3'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 0\n1 x\n", f"t.txt:2: cannot read '1 x'; {FORM}"),
        ("0\n", f"t.txt:1: cannot read '0'; {FORM}"),
        ("0 0 0 0 0 # five\n", f"t.txt:1: cannot read '0 0 0 0 0'; {FORM}"),
        ("0 1.5\n", f"t.txt:1: cannot read '0 1.5'; {FORM}"),
        ("0, 1\n", f"t.txt:1: cannot read '0, 1'; {FORM}"),
        ("0 ١\n", f"t.txt:1: cannot read '0 ١'; {FORM}"),
        ("0 0 6\n", "t.txt:1: turn 6 in '0 0 6' is not 0 to 5; give steps of 60° clockwise"),
        ("0 0 -1\n", "t.txt:1: turn -1 in '0 0 -1' is not 0 to 5; give steps of 60° clockwise"),
        ("0 0 0 6\n", "t.txt:1: team 6 in '0 0 0 6' is not 0 to 5; leave it out for none"),
        ("900 200\n", "t.txt:1: cell of '900 200' is off the table; stay within 1000 of 0 0"),
        (
            "1 2\n0 0\n\n1 2 3\n",
            "t.txt:4: cell of '1 2 3' is taken by the tile of line 1; move one of them",
        ),
        ("# nothing\n", f"t.txt: there is no tile in it; {FORM}, a line for each tile"),
        (
            "".join(f"{q} 0\n" for q in range(501)),
            "t.txt: 501 tiles are too many; a table holds at most 500",
        ),
    ],
)
def test_a_bad_line_is_named(text: str, message: str):
    """Errors name file and line, quote what is there and say what to write."""
    with pytest.raises(LayoutError) as caught:
        Layout.parse(text, "t.txt")
    assert str(caught.value) == message


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 12, 13, 19, 36, 499, 500])
@pytest.mark.parametrize("name", ["line", "ring", "flower", "triangle"])
def test_shapes_have_the_size_asked_for(name: str, size: int):
    """Every shape has as many tiles as asked, on different cells, in one cluster."""
    layout = Layout.load(name, tiles=size)
    assert len(layout.spots) == len(set(cells(layout))) == size
    assert len(clusters(range(size), touching(layout))) == 1
    assert {spot.team for spot in layout.spots} == {None}
    assert Layout.parse(str(layout)) == layout


@pytest.mark.parametrize("size", range(3, 40))
def test_a_ring_is_closed(size: int):
    """Each tile of a ring touches the next, the last the first, and as a rule nothing else."""
    layout = Layout.load("ring", tiles=size)
    around = [*cells(layout), cells(layout)[0]]
    assert all(direction_between(a, b) is not None for a, b in pairwise(around))
    if size >= 6 and size != 7:
        assert len(touching(layout)) == size


def test_usual_sizes():
    """Without a number of tiles a shape has its usual one."""
    sizes = {name: len(Layout.load(name).spots) for name in ("line", "ring", "flower", "triangle")}
    assert sizes == {"line": 6, "ring": 6, "flower": 7, "triangle": 3}
    assert set(cells(Layout.load("triangle"))) == {(0, 0), (1, 0), (0, 1)}
    assert len(touching(Layout.load("triangle", tiles=6))) == 9


@pytest.mark.parametrize("each", range(2, 7))
@pytest.mark.parametrize("teams", range(2, 7))
def test_a_start_is_segregated_and_compact(teams: int, each: int):
    """Each team's tiles are connected, so are all, and no tile is farther out than it must be."""
    layout = Layout.load(f"start-{teams}x{each}")
    assert [spot.team for spot in layout.spots] == [team for team in range(teams) for _ in range(each)]
    found = touching(layout)
    for team in range(teams):
        assert len(clusters(range(team * each, (team + 1) * each), found)) == 1
    assert len(clusters(range(teams * each), found)) == 1
    assert set(cells(layout)) == set(cells(Layout.load("flower", tiles=teams * each)))
    assert max(distance((0, 0), cell) for cell in cells(layout)) <= 3
    assert Layout.parse(str(layout)) == layout


def test_starts_come_out_the_same_everywhere():
    """A start is fixed: this one is written down."""
    assert str(Layout.load("start-2x3")) == "0 0 0 0\n0 1 0 0\n-1 1 0 0\n0 -1 0 1\n1 -1 0 1\n1 0 0 1\n"


KNOWN = "there are line, ring, flower, triangle, start-PxK (P teams of K tiles) and layout files"


@pytest.mark.parametrize(
    ("name", "tiles", "message"),
    [
        ("rign", None, f"no layout 'rign'; did you mean 'ring'? {KNOWN}"),
        ("xyzzy", None, f"no layout 'xyzzy'; {KNOWN}"),
        (
            "start-7x3",
            None,
            "no layout 'start-7x3'; start-PxK has P = 2 to 6 teams of K = 2 to 6 tiles, as start-3x5",
        ),
        (
            "start-2x1",
            None,
            "no layout 'start-2x1'; start-PxK has P = 2 to 6 teams of K = 2 to 6 tiles, as start-3x5",
        ),
        ("start-3x5", 14, "start-3x5: has 15 tiles, not 14; leave the number of tiles out"),
        ("line", 0, "cannot lay 0 tiles; a table holds 1 to 500"),
        ("ring", -3, "cannot lay -3 tiles; a table holds 1 to 500"),
        ("flower", 10_000, "cannot lay 10000 tiles; a table holds 1 to 500"),
        (
            "no/such.txt",
            None,
            "no/such.txt: cannot read it (No such file or directory); name a layout file",
        ),
    ],
)
def test_what_cannot_be_laid(name: str, tiles: int | None, message: str):
    """Unknown names, numbers that do not fit and missing files are refused in one line."""
    with pytest.raises(LayoutError) as caught:
        Layout.load(name, tiles)
    assert str(caught.value) == message


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What the system says about a file reaches the user; bytes that are no text are told apart."""
    path = tmp_path / "table.txt"
    path.write_bytes(b"\xff\xfe0 0")
    with pytest.raises(LayoutError) as caught:
        Layout.load(str(path))
    assert str(caught.value) == f"{path}: not a text file; {FORM}, a line for each tile"

    def refuse(self: Path, encoding: str) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(LayoutError) as caught:
        Layout.load(str(path))
    assert str(caught.value) == f"{path}: cannot read it (Permission denied); name a layout file"


def test_a_built_in_name_wins_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file called like a built-in layout is reached through its path."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "line").write_text("5 5\n")
    (tmp_path / "mine").write_text("5 5\n")
    assert len(Layout.load("line").spots) == 6
    assert cells(Layout.load("./line")) == cells(Layout.load("mine")) == [(5, 5)]
    assert MAX_TILES == 500
