"""The window's contents: keys, bar, words, fitting, pictures."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pygame
import pytest

from blinks_sim import commands
from blinks_sim.errors import UsageError
from blinks_sim.hexgrid import Pose, overlaps
from blinks_sim.ui import available, run_desk, texts
from blinks_sim.ui.app import SPEEDS
from blinks_sim.ui.display import window

FLOWER = ((0, 0), (0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))


def press_bar(hand, name):
    hand.point(hand.desk.toolbar.areas[name].center, steps=1)
    hand.down()
    hand.up()
    hand.wait(32)


def paint(hand, colors):
    for number, color in enumerate(colors):
        faces = np.tile(np.array(color, dtype=np.float32), (6, 1))
        hand.table.views[number] = replace(hand.table.views[number], faces=faces)
    hand.wait(300)


@pytest.mark.parametrize("way", ["key", "bar"])
def test_pause_and_go_on(drive, way):
    """Space and the bar's first button stop the table's time and let it run on at the speed it had."""
    hand = drive((0, 0))
    hand.key(pygame.K_RIGHTBRACKET)
    hand.wait(16)
    for speed in (0.0, 2.0):
        if way == "key":
            hand.key(pygame.K_SPACE)
        else:
            press_bar(hand, "pause")
        hand.wait(16)
        assert hand.source.speed == speed


@pytest.mark.parametrize(
    ("key", "text", "speed"),
    [
        (pygame.K_PLUS, "+", 2.0),
        (pygame.K_EQUALS, "+", 2.0),
        (pygame.K_KP_PLUS, "+", 2.0),
        (pygame.K_RIGHTBRACKET, "]", 2.0),
        (pygame.K_8, "+", 2.0),  # some keyboard layouts
        (pygame.K_MINUS, "-", 0.5),
        (pygame.K_KP_MINUS, "-", 0.5),
        (pygame.K_LEFTBRACKET, "[", 0.5),
    ],
)
def test_keys_of_speed(drive, key, text, speed):
    """Plus and minus and the brackets change the speed by a step, on any keyboard."""
    hand = drive((0, 0))
    hand.key(key, text)
    hand.wait(16)
    assert hand.source.speed == speed


@pytest.mark.parametrize(("name", "end"), [("slower", SPEEDS[0]), ("faster", SPEEDS[-1])])
def test_speed_has_ends(drive, name, end):
    """The speed stops at its slowest and fastest step."""
    hand = drive((0, 0))
    for _ in range(20):
        press_bar(hand, name)
    assert hand.source.speed == end


@pytest.mark.parametrize("key", [pygame.K_a, pygame.K_INSERT])
def test_add_at_the_pointer(drive, key):
    """A new tile docks to the cluster near the pointer, or lies under it in the open."""
    hand = drive((0, 0))
    hand.point(Pose(1.6, -0.8))
    hand.key(key)
    hand.wait(200)
    assert hand.poses[1].place == ((1, -1), 0)
    hand.point(Pose(-4.5, 2.0))
    hand.key(key)
    hand.wait(200)
    assert (hand.poses[2].x, hand.poses[2].y) == pytest.approx((-4.5, 2.0), abs=0.05)


def test_adding_again_and_again_never_overlaps(drive):
    """The bar's button finds a place for every new tile, and all tiles stay in the window."""
    hand = drive((0, 0))
    for _ in range(25):
        press_bar(hand, "add")
    hand.wait(100)
    assert len(hand.poses) == 26
    assert not overlaps(hand.poses)
    for pose in hand.poses.values():
        x, y = hand.screen(pose)
        assert 0 < x < 960
        assert hand.desk.toolbar.height < y < 640


@pytest.mark.parametrize(
    ("key", "command"),
    [
        (pygame.K_DELETE, commands.Remove((1,))),
        (pygame.K_BACKSPACE, commands.Remove((1,))),
        (pygame.K_r, commands.Reset(1)),
    ],
)
def test_keys_act_on_the_tile_under_the_pointer(drive, key, command):
    """Delete and R mean the tile pointed at, though another one is selected."""
    hand = drive((0, 0), (0, 1))
    hand.desk.hands.selected = 0
    hand.point(hand.poses[1])
    hand.key(key)
    hand.wait(32)
    assert hand.done == [command]


@pytest.mark.parametrize(
    ("name", "command"), [("remove", commands.Remove((1,))), ("reset", commands.Reset(1))]
)
def test_the_bar_acts_on_the_selected_tile(drive, name, command):
    """The bar's buttons mean the tile selected before, and say so where there is none."""
    hand = drive((0, 0), (0, 1))
    press_bar(hand, name)
    assert hand.done == []
    assert hand.said == texts.NO_TILE
    hand.point(hand.poses[1])
    hand.down(3)
    hand.up()
    press_bar(hand, name)
    assert hand.done == [command]


def test_nothing_is_added_or_removed_while_a_hand_is_full(drive):
    """During a drag the table stays as it is."""
    hand = drive((0, 0), (3, 0))
    hand.point(hand.poses[1])
    hand.down()
    hand.point(Pose(7, 0))
    for key in (pygame.K_a, pygame.K_DELETE, pygame.K_r):
        hand.key(key)
    assert hand.said == texts.BUSY
    assert hand.done == []


def test_what_the_table_refuses_is_told(drive):
    """A command that cannot be carried out leaves its reason in the status line and tiles where they were."""
    hand = drive((0, 0), (3, 0))
    before = hand.poses
    hand.desk._submit(commands.Move(((1, Pose.of((0, 0))),)))
    hand.wait(32)
    assert "overlap" in hand.said
    assert hand.poses == before
    assert hand.desk.hands.poses == before


def test_the_bar_is_no_table(drive):
    """A press on the bar neither presses a tile nor starts a ribbon."""
    hand = drive((0, 0))
    hand.point((hand.desk.toolbar.areas["help"].left - 20, 10), steps=1)
    hand.down()
    assert not hand.desk.hands.busy


def test_hints_go_away(drive):
    """Once a newcomer has dragged, split and clicked, the hints give their room to the table."""
    hand = drive((0, 0), (0, 1))
    assert hand.desk.hinting
    between = (hand.poses[0].y + hand.poses[1].y) / 2
    hand.drag(Pose(-3.0, between), Pose(3.0, between))
    hand.drag(hand.poses[0], Pose(-3.0, 0.0))
    hand.point(hand.poses[0])
    hand.down()
    hand.up()
    hand.wait(50)
    assert not hand.desk.hinting


@pytest.mark.parametrize("size", [(480, 360), (1280, 800), (2560, 1600), (500, 1000)])
def test_everything_fits_every_window(drive, size):
    """All tiles lie between bar and hints, the bar's buttons side by side, after any change of size."""
    hand = drive(*FLOWER, (6, 0), (-5, 3))
    hand.desk.resize(size)
    top, bottom = hand.desk.toolbar.height, size[1] - 30
    for pose in hand.poses.values():
        x, y = hand.screen(pose)
        radius = hand.desk.painter.scale
        assert radius <= x <= size[0] - radius
        assert top + radius * 0.8 <= y <= bottom - radius * 0.8
    areas = list(hand.desk.toolbar.areas.values())
    assert all(area.left >= 0 and area.right <= size[0] for area in areas)
    for first, area in enumerate(areas):
        assert not any(area.colliderect(other) for other in areas[first + 1 :])


def test_the_view_follows_a_tile_laid_outside(drive):
    """A cluster laid down half outside the window makes the view fit again."""
    hand = drive((0, 0), (0, 3))
    hand.drag(hand.poses[1], (955, 320))
    hand.wait(100)
    x, _ = hand.screen(hand.poses[1])
    assert x + hand.desk.painter.scale <= 960


def test_nothing_is_drawn_twice(drive):
    """While nothing changes no picture is made; a new light or a move of the pointer makes one."""
    hand = drive((0, 0))
    hand.wait(400)
    assert not hand.desk.draw(hand.surface, hand.now_ms)
    faces = np.ones((6, 3), dtype=np.float32)
    hand.table.views[0] = replace(hand.table.views[0], faces=faces)
    hand.desk.update(hand.now_ms)
    assert hand.desk.draw(hand.surface, hand.now_ms)
    assert not hand.desk.draw(hand.surface, hand.now_ms)


def test_a_stopped_tile_says_why(drive):
    """A fault is marked on the tile and told where the pointer is."""
    hand = drive((0, 0))
    hand.table.views[0] = replace(hand.table.views[0], fault="illegal opcode: word 0xffff at 0x1700 (loop)")
    hand.point(Pose(0.0, 0.0))
    hand.wait(100)
    words, alert = hand.desk._status_words(0, None)
    assert words == "Tile 0 has stopped: illegal opcode: word 0xffff at 0x1700 (loop). R resets it"
    assert alert


def test_pictures_of_the_desk(drive, golden_picture):
    """A table being worked looks as it did: a held tile and its landing; a ribbon; the help."""
    hand = drive(*FLOWER, size=(640, 480))
    paint(hand, [(1, 0, 0), (0, 0, 1), (1, 1, 0), (0, 1, 0), (1, 0.24, 0), (1, 0, 1), (0.02, 0.02, 0.02)])
    hand.point(hand.poses[2])
    hand.down(3)
    hand.point(Pose(3.3, 0.4))
    hand.key(pygame.K_e)
    hand.wait(400)
    golden_picture("desk-held.png", hand.surface)
    hand.up()
    hand.wait(300)
    hand.point((60, 380))
    hand.down()
    hand.point((500, 150), steps=30)
    hand.wait(50)
    golden_picture("desk-ribbon.png", hand.surface)
    hand.key(pygame.K_ESCAPE)
    hand.up()
    hand.key(pygame.K_F1)
    hand.wait(50)
    golden_picture("desk-help.png", hand.surface)


def test_a_display_nobody_sees_is_none(monkeypatch):
    """Drivers that SDL falls back on count as no display, and so does none; one that was asked for is one."""
    pygame.display.quit()
    assert available()  # the tests ask for the dummy driver
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    assert not available()
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    assert not available()
    monkeypatch.delenv("SDL_VIDEODRIVER")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert available() is (sys.platform != "linux")


def test_no_window_without_a_driver(monkeypatch):
    """Where no window can be opened the error says what to do."""
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    with (
        pytest.raises(UsageError, match=r"cannot open a window: .+; run with --headless"),
        window("x", (480, 360)),
    ):
        pass


def test_the_window_runs_until_it_is_closed(drive):
    """The loop opens a window, takes its events and ends when it is closed."""
    hand = drive((0, 0))
    pygame.display.init()
    for event in (
        pygame.Event(pygame.KEYDOWN, key=pygame.K_RIGHTBRACKET, unicode="]", mod=0),
        pygame.Event(pygame.QUIT),
    ):
        pygame.event.post(event)
    run_desk(hand.source, title="Test", image="image", size=(480, 360))
    assert not pygame.display.get_init()
