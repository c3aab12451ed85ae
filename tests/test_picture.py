"""Pictures of a table: what an eye should see in them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pygame
import pytest

from blinks_sim import hexgrid, picture
from blinks_sim.errors import UsageError
from blinks_sim.hexgrid import Pose
from blinks_sim.moments import Frame, TileView

COLORS = {
    "RED": (1, 0, 0),
    "ORANGE": (1, 60 / 254, 0),
    "YELLOW": (1, 1, 0),
    "GREEN": (0, 1, 0),
    "CYAN": (0, 1, 1),
    "BLUE": (0, 0, 1),
    "MAGENTA": (1, 0, 1),
    "WHITE": (1, 1, 1),
    "OFF": (0, 0, 0),
}
SCALE = 60


def tile(number, pose, faces=(0, 0, 0), fault=None):
    light = np.broadcast_to(np.asarray(faces, dtype=np.float32), (6, 3)).copy()
    place = pose.place or (None, None)
    return TileView(number, "test", pose, *place, False, False, light, (None,) * 6, fault)


def frame(*tiles):
    return Frame(0, 0.0, tiles, frozenset())


def one(faces, pose=None, fault=None, scale=SCALE):
    """Return the picture of one tile and a function: place in radii → its color."""
    surface = picture.render(frame(tile(0, pose or Pose(0, 0), faces, fault)), scale=scale)
    middle = surface.get_width() / 2, surface.get_height() / 2

    def at(x, y):
        return np.array(surface.get_at((round(middle[0] + x * scale), round(middle[1] + y * scale)))[:3])

    return surface, at


def face_spot(direction, reach=0.55):
    angle = np.radians(60 * direction)
    return reach * np.sin(angle), -reach * np.cos(angle)


@pytest.mark.parametrize(
    ("name", "strong", "weak"),
    [
        ("RED", [0], [1, 2]),
        ("GREEN", [1], [0, 2]),
        ("BLUE", [2], [0, 1]),
        ("YELLOW", [0, 1], [2]),
        ("CYAN", [1, 2], [0]),
        ("MAGENTA", [0, 2], [1]),
    ],
)
def test_a_lit_tile_shows_its_color_not_a_pastel(name, strong, weak):
    """At full light the channels that are off stay far below those that are on, all over the cap."""
    _, at = one(COLORS[name])
    for spot in [(0, 0), *(face_spot(d) for d in range(6))]:
        seen = at(*spot)
        assert seen[strong].min() > 185, (spot, seen)
        assert seen[weak].max() < 0.45 * seen[strong].min(), (spot, seen)


@pytest.mark.parametrize("name", ["RED", "GREEN", "BLUE"])
def test_dim_light_is_still_seen(name):
    """A face at 1 % of full light is told from a dark one, and by its color."""
    _, at = one(np.array(COLORS[name]) * 0.01)
    _, dark = one((0, 0, 0))
    strong = int(np.argmax(COLORS[name]))
    gain = at(0, -0.5).astype(int) - dark(0, -0.5)
    assert gain[strong] - max(np.delete(gain, strong)) > 12


def test_brighter_light_is_brighter():
    """Each doubling of light is seen."""
    levels = [one(np.array([light, 0, 0]))[1](0, -0.5)[0] for light in (0.03, 0.06, 0.12, 0.25, 0.5, 1.0)]
    assert all(after - before > 10 for before, after in itertools.pairwise(levels)), levels


@pytest.mark.parametrize("turn", range(6))
@pytest.mark.parametrize("face", [0, 1, 4])
def test_a_face_lights_its_own_side(face, turn):
    """Light of face k of a tile turned by t is brightest towards direction (k + t) mod 6."""
    faces = np.zeros((6, 3))
    faces[face] = (0, 1, 0)
    _, at = one(faces, Pose.of((0, 0), turn))
    green = [int(at(*face_spot(d))[1]) for d in range(6)]
    assert int(np.argmax(green)) == (face + turn) % 6
    assert sorted(green)[-1] - sorted(green)[-2] > 60


def test_light_of_two_faces_mixes_between_them():
    """Between a red and a green face both colors are seen."""
    faces = np.zeros((6, 3))
    faces[0], faces[1] = (1, 0, 0), (0, 1, 0)
    _, at = one(faces)
    seen = at(0.5 * np.sin(np.radians(30)), -0.5 * np.cos(np.radians(30)))
    assert min(seen[0], seen[1]) > 120
    assert seen[2] < 90


def test_light_falls_on_the_desk_and_adds_up():
    """Beside a lit tile the desk is lit; between two it is lit by both."""
    left, right = tile(0, Pose(0, 0), (1, 0, 0)), tile(1, Pose(0, 2.2), (0, 1, 0))

    def between(*tiles):
        surface = picture.render(frame(*tiles), scale=SCALE)
        (x, y, _, _) = picture.bounds([t.pose for t in tiles])
        return np.array(surface.get_at((round(-x * SCALE), round((1.1 - y) * SCALE)))[:3]).astype(int)

    dark = between(tile(0, Pose(0, 0)), tile(1, Pose(0, 2.2)))
    both = between(left, right)
    assert both[0] > dark[0] + 15
    assert both[1] > dark[1] + 15


def test_a_tile_that_has_stopped_is_marked():
    """A fault shows as a red mark in the middle of the cap."""
    _, at = one((0, 0, 0), fault="illegal opcode")
    red, green, _ = at(0.3, 0.1)
    assert red > 180
    assert green < 80
    assert at(0, -0.1).min() > 220


@pytest.mark.parametrize("scale", [6, 17, 60, 150])
def test_a_cap_has_its_shape_at_every_scale(scale):
    """The cap covers about the area of a hexagon with rounded corners, whatever the scale."""
    surface, _ = one((1, 1, 1), scale=scale)
    bright = (pygame.surfarray.array3d(surface).min(axis=2) > 140).sum()
    assert bright / scale**2 == pytest.approx(1.5 * 3**0.5, rel=0.09)


def test_edges_are_smooth():
    """Along the rim of a white cap there are steps between desk and cap, not one jump."""
    surface, _ = one((1, 1, 1), Pose(0, 0, 13.0), scale=40)
    light = pygame.surfarray.array3d(surface).min(axis=2)
    between = ((light > 80) & (light < 190)).sum()
    assert between > 0.5 * 6 * 40


def test_a_picture_fits_the_size_asked_for():
    """With a size given, all tiles lie inside it."""
    tiles = [tile(n, Pose.of(cell), (1, 1, 1)) for n, cell in enumerate([(0, 0), (4, -9), (-3, 2)])]
    surface = picture.render(frame(*tiles), size=(300, 200))
    assert surface.get_size() == (300, 200)
    light = pygame.surfarray.array3d(surface).min(axis=2) > 140
    assert not light[[0, -1], :].any()
    assert not light[:, [0, -1]].any()
    assert light.any()


def test_many_tiles_as_ever(golden_picture):
    """A table of all colors, bright, dim and mixed, one askew and one with a fault, looks as it did."""
    colors = list(COLORS.values())
    cells = itertools.islice(hexgrid.spiral((0, 0)), 37)
    tiles = []
    for number, cell in enumerate(cells):
        bright = (1.0, 0.1, 0.012)[number // 9] if number < 27 else 1.0
        faces = np.tile(np.array(colors[number % 9]) * bright, (6, 1))
        if number >= 27:
            faces = np.roll(np.array(colors[:6], dtype=float), number, axis=0) * (0.3 if number % 2 else 1.0)
        tiles.append(tile(number, Pose.of(cell, number % 6), faces, "stopped" if number == 36 else None))
    tiles.append(tile(99, Pose(8.4, 1.0, 17.0), np.array(colors[:6])))
    golden_picture("table.png", picture.render(frame(*tiles), size=(480, 360)))


def test_pictures_are_saved(tmp_path):
    """A PNG is written and reads back the same."""
    shown = frame(tile(0, Pose(0, 0), (1, 0, 0)))
    picture.save(shown, tmp_path / "one.png", size=(64, 64))
    again = pygame.surfarray.array3d(pygame.image.load(tmp_path / "one.png"))
    assert (again == pygame.surfarray.array3d(picture.render(shown, size=(64, 64)))).all()


def test_an_empty_table_has_a_picture():
    """Without tiles the picture is an empty desk."""
    surface = picture.render(frame(), size=(40, 30))
    assert surface.get_at((20, 15))[:3] == picture.DESK


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda f, d: picture.save(f, d / "one.gif"),
            r"cannot tell the format of picture '.*one\.gif'; end its name in \.png, \.jpg or \.bmp",
        ),
        (lambda f, d: picture.save(f, d / "no" / "one.png"), r"cannot write picture '.*one\.png': .+"),
        (
            lambda f, d: picture.render(f, size=(0, 10)),
            r"a picture of 0 × 10 pixels cannot be drawn; give 1 to 16384 a side",
        ),
        (lambda f, d: picture.render(f, scale=1e6), r"a picture of .* cannot be drawn"),
    ],
)
def test_what_cannot_be_drawn_is_said(act, message, tmp_path):
    """Wrong sizes, unknown formats and unwritable files are errors a user can act on."""
    with pytest.raises(UsageError, match=message):
        act(frame(tile(0, Pose(0, 0))), tmp_path)


def test_no_window_system_is_needed(tmp_path):
    """Pictures are drawn where no video driver works at all."""
    program = (
        "from blinks_sim import picture\n"
        "from blinks_sim.moments import Frame\n"
        f"picture.save(Frame(0, 0.0, (), frozenset()), {str(tmp_path / 'none.png')!r}, size=(20, 20))\n"
        "import pygame\n"
        "assert not pygame.display.get_init()\n"
    )
    environment = {**os.environ, "SDL_VIDEODRIVER": "no such driver"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Path(tmp_path / "none.png").stat().st_size > 0
