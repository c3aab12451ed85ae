"""What a hand does with tiles: carry, dock, turn, lift, refuse, split."""

from __future__ import annotations

import math
import random

import pygame
import pytest

from blinks_sim import commands
from blinks_sim.hexgrid import Pose, clusters, contacts, overlaps, spiral
from blinks_sim.ui import texts

TRIANGLE = ((0, 0), (1, -1), (1, 0))
FAR = Pose(7.0, 0.0)


def parts(poses):
    return {frozenset(part) for part in clusters(poses, contacts(poses))}


def test_dragging_a_tile_moves_its_cluster(drive):
    """A drag moves every tile that is connected with the one under the pointer, rigidly, and no other."""
    hand = drive(*TRIANGLE, (5, 0))
    before = hand.poses
    hand.drag(before[0], Pose(-2.0, 2.0))
    after = hand.poses
    assert after[3] == before[3]
    for tile in (0, 1, 2):
        moved = (after[tile].x - before[tile].x, after[tile].y - before[tile].y)
        assert moved == pytest.approx((-2.0, 2.0), abs=0.05)
    assert parts(after) == {frozenset({0, 1, 2}), frozenset({3})}


def test_a_cluster_keeps_its_contacts_while_it_is_carried(drive):
    """Until it is let go a carried cluster gets no command at all, so its links stay up."""
    hand = drive(*TRIANGLE)
    hand.point(hand.poses[0])
    hand.down()
    hand.point(FAR)
    assert hand.done == []
    hand.up()
    assert [type(command) for command in hand.done] == [commands.Move]


def test_magnets_dock_a_tile_edge_to_edge(drive):
    """Let go near an open face a tile docks there exactly, on the lattice."""
    hand = drive((0, 0), (4, 0))
    hand.drag(hand.poses[1], Pose(1.75, 0.6))
    assert hand.poses[1].place == ((1, 0), 0)
    assert contacts(hand.poses)


def test_the_landing_is_previewed(drive):
    """While a tile is carried near another, the place where it will dock is known and told."""
    hand = drive(*TRIANGLE, (5, 0))
    hand.point(hand.poses[3])
    hand.down()
    hand.point(Pose(-1.3, -0.7))
    landing = hand.desk.hands.landing
    assert landing is not None
    assert not landing.home
    assert landing.poses[3].place == ((-1, 0), 0)
    assert hand.said == texts.will_dock(len(landing.docks))
    hand.up()
    assert hand.poses[3] == landing.poses[3]


def test_a_slanted_piece_turns_to_fit(drive):
    """A tile that lies askew is turned by the least angle when it docks."""
    hand = drive((0, 0))
    hand.table.submit(commands.Add("image", Pose(6.0, 0.0, 17.0)))
    hand.wait(16)
    hand.drag(Pose(6.0, 0.0), Pose(1.7, 0.9))
    assert hand.poses[1].place == ((1, 0), 0)


def test_a_piece_laid_down_in_the_open_stays_where_it_is(drive):
    """Far from others a tile lies where it was let go, without contacts."""
    hand = drive((0, 0), (1, 0))
    hand.drag(hand.poses[1], Pose(6.3, 1.1), button=3)
    assert (hand.poses[1].x, hand.poses[1].y) == pytest.approx((6.3, 1.1), abs=0.05)
    assert contacts(hand.poses) == set()


@pytest.mark.parametrize("alone", [False, True])
def test_nothing_ever_overlaps(drive, alone):
    """A piece let go on top of others, with no open face in reach, returns home and says so."""
    ring = [(0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)]
    hand = drive((0, 0), *ring, (5, 0))
    home = hand.poses[7]
    hand.point(home)
    hand.down(3 if alone else 1)
    hand.point(hand.poses[0])
    assert hand.said == texts.NO_ROOM
    hand.up()
    hand.wait(300)
    assert hand.poses[7] == home
    assert not hand.table.views[7].lifted
    assert not overlaps(hand.poses)
    assert hand.said == texts.RETURNED


def test_right_drag_lifts_one_tile_and_breaks_its_contacts_at_once(drive):
    """The single tile leaves the cluster as soon as it is lifted, not when it is put down."""
    hand = drive(*TRIANGLE)
    hand.point(hand.poses[2])
    hand.down(3)
    hand.point(FAR)
    assert hand.table.views[2].lifted
    hand.up()
    assert not hand.table.views[2].lifted
    assert parts(hand.poses) == {frozenset({0, 1}), frozenset({2})}


def test_alt_lifts_one_tile_with_the_left_button(drive, monkeypatch):
    """With Alt held the left button does as the right one."""
    monkeypatch.setattr(pygame.key, "get_mods", lambda: pygame.KMOD_LALT)
    hand = drive(*TRIANGLE)
    hand.drag(hand.poses[2], FAR)
    assert parts(hand.poses) == {frozenset({0, 1}), frozenset({2})}


@pytest.mark.parametrize(
    ("how", "turn"), [("e", 1), ("q", 5), ("wheel down", 1), ("wheel up", 5), ("e twice", 2)]
)
def test_what_is_held_turns_by_60_degrees(drive, how, turn):
    """Q, E and the wheel turn the held piece about the pointer."""
    hand = drive((0, 0), (1, 0))
    hand.point(hand.poses[0])
    hand.down()
    hand.point(Pose(-3.0, 1.0))
    if how.startswith("wheel"):
        hand.wheel(-1 if how == "wheel down" else 1)
    else:
        for _ in range(2 if "twice" in how else 1):
            hand.key(pygame.K_e if how[0] == "e" else pygame.K_q)
    hand.wait(300)
    hand.up()
    first, second = hand.poses[0], hand.poses[1]
    assert first.angle == pytest.approx(60.0 * turn)
    assert (first.x, first.y) == pytest.approx((-3.0, 1.0), abs=0.05)
    bearing = math.degrees(math.atan2(second.x - first.x, first.y - second.y)) % 360
    assert bearing == pytest.approx((120 + 60 * turn) % 360, abs=0.5)


def test_turning_without_holding_does_nothing(drive):
    """The keys that turn act on what is held only."""
    hand = drive((0, 0))
    hand.key(pygame.K_e)
    hand.wheel(1)
    assert hand.done == []


def test_escape_puts_back_what_is_held(drive):
    """Esc ends a carry as if it had never begun."""
    hand = drive(*TRIANGLE)
    before = hand.poses
    hand.point(before[2])
    hand.down(3)
    hand.point(FAR)
    hand.key(pygame.K_ESCAPE)
    hand.up()
    hand.wait(200)
    assert hand.poses == before
    assert not hand.table.views[2].lifted
    assert hand.said == texts.PUT_BACK


def test_a_ribbon_splits_a_cluster(drive):
    """Where the ribbon crosses contacts the cluster opens; the smaller part slides away, as one piece."""
    hand = drive((0, 0), (0, 1), (0, 2), (0, 3))
    before = hand.poses
    between = (before[0].y + before[1].y) / 2
    hand.drag(Pose(-3.0, between), Pose(3.0, between))
    assert parts(hand.poses) == {frozenset({0}), frozenset({1, 2, 3})}
    assert all(hand.poses[tile] == before[tile] for tile in (1, 2, 3))
    assert not overlaps(hand.poses)
    assert hand.said == texts.was_split([1])


def test_a_loop_takes_a_tile_out_of_the_middle(drive):
    """A loop round the centre of a flower separates it; it slides to where it touches nothing."""
    ring = [(0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)]
    hand = drive((0, 0), *ring)
    # It starts on the desk, goes in between two tiles, round the centre, and out again.
    around = [Pose(math.sin(a) * 1.0, -math.cos(a) * 1.0) for a in [k * math.pi / 6 for k in range(1, 14)]]
    hand.drag(Pose(2.2, -3.4), *around, Pose(2.0, -3.6))
    assert frozenset({0}) in parts(hand.poses)
    assert not overlaps(hand.poses)


def test_a_ribbon_that_separates_nothing_says_so(drive):
    """A ribbon beside the tiles, or one that ends inside a cluster, changes nothing."""
    hand = drive((0, 0), (0, 1), (1, 0))
    before = hand.poses
    hand.drag(Pose(-4.0, -2.0), Pose(-3.0, 2.0))
    assert hand.said == texts.NOTHING_SEPARATED
    between = (before[0].y + before[1].y) / 2
    hand.drag(Pose(-3.0, between), Pose(0.3, between))
    assert hand.said == texts.NOTHING_SEPARATED
    assert hand.done == []


def test_a_tile_removed_while_held_is_no_longer_held(drive):
    """What vanishes from the table vanishes from the hand."""
    hand = drive((0, 0), (3, 0))
    hand.point(hand.poses[1])
    hand.down()
    hand.point(FAR)
    hand.table.submit(commands.Remove((1,)))
    hand.wait(50)
    hand.up()
    hand.wait(50)
    assert hand.poses.keys() == {0}


def test_a_second_mouse_button_does_not_interfere(drive):
    """While one button drags, pressing and letting go another changes nothing."""
    hand = drive((0, 0), (3, 0))
    hand.point(hand.poses[1])
    hand.down()
    hand.point(FAR)
    hand.down(3)
    hand.up()
    assert hand.done == []
    hand.held = 1
    hand.up()
    assert [type(command) for command in hand.done] == [commands.Move]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_hands_do_no_tile_is_lost_or_overlaps(drive, seed):
    """Random drags, lifts, turns, ribbons and Esc, also beyond the window: tiles stay whole and apart."""
    chance = random.Random(seed)
    hand = drive(*[cell for cell, _ in zip(spiral((0, 0)), range(9), strict=False)], size=(640, 480))
    for _ in range(40):
        if chance.random() < 0.7:
            hand.point(hand.poses[chance.randrange(9)], steps=2)
        else:
            hand.point((chance.randint(0, 639), chance.randint(50, 479)), steps=2)  # below the bar
        hand.down(chance.choice((1, 1, 3)))
        for _ in range(chance.randint(1, 3)):
            hand.point((chance.randint(-30, 670), chance.randint(-30, 510)), steps=5)
            if chance.random() < 0.5:
                hand.key(chance.choice((pygame.K_q, pygame.K_e)))
        if chance.random() < 0.1:
            hand.key(pygame.K_ESCAPE)
        hand.up()
        hand.wait(chance.choice((0, 16, 200)))
        assert hand.poses.keys() == set(range(9))
        assert not any(tile.lifted for tile in hand.table.views.values())
        assert not overlaps(hand.poses)
        assert "overlap" not in hand.said
    assert not any(tile.pressed for tile in hand.table.views.values())
    hand.wait(400)
    assert hand.desk.hands.poses == hand.poses
