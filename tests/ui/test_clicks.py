"""How a pointer presses buttons: real presses, none lost, none made by a drag."""

from __future__ import annotations

import itertools

import pytest

from blinks_sim import commands
from blinks_sim.commands import Press, Release
from blinks_sim.hexgrid import Pose

APART_S = 0.040  # so long a press has to last to be taken for one, with some room


def edges(hand):
    """Return (table time, command) of the presses and releases that reached the table."""
    return [(at, done) for at, done in hand.table.record if isinstance(done, Press | Release)]


def click(hand, count=1, down_ms=60.0, up_ms=60.0):
    for _ in range(count):
        hand.down()
        hand.wait(down_ms)
        hand.up()
        hand.wait(up_ms)


def test_a_held_press_reaches_the_tile_after_80_ms(drive):
    """Without movement the button goes down after 80 ms and stays down until the pointer is let go."""
    hand = drive((0, 0))
    hand.point(hand.poses[0])
    hand.down()
    hand.wait(70)
    assert edges(hand) == []
    hand.wait(40)
    assert [done for _, done in edges(hand)] == [Press(0)]
    hand.wait(2000)
    assert hand.table.views[0].pressed
    hand.up()
    hand.wait(50)
    assert [done for _, done in edges(hand)] == [Press(0), Release(0)]


def test_a_quick_click_lasts_long_enough(drive):
    """A press and release within one frame still holds the button for 40 ms."""
    hand = drive((0, 0))
    hand.point(hand.poses[0])
    hand.down()
    hand.up()
    hand.wait(200)
    (pressed, first), (released, second) = edges(hand)
    assert (first, second) == (Press(0), Release(0))
    assert released - pressed >= APART_S


@pytest.mark.parametrize("speed", [1.0, 0.5, 0.1])
@pytest.mark.parametrize("gap_ms", [0.0, 15.0, 60.0, 90.0])
def test_no_click_of_three_is_lost(drive, speed, gap_ms):
    """Three clicks reach the tile as three, within its click window, however quick the hand."""
    hand = drive((0, 0))
    hand.source.speed = speed
    hand.desk._speed = speed
    hand.point(hand.poses[0])
    click(hand, 3, gap_ms, gap_ms)
    hand.wait(400 / speed)
    made = edges(hand)
    assert [done for _, done in made] == [Press(0), Release(0)] * 3
    times = [at for at, _ in made]
    assert all(after - before >= APART_S for before, after in itertools.pairwise(times))
    presses = times[::2]
    assert all(after - before < 0.330 for before, after in itertools.pairwise(presses))


def test_fast_time_does_not_outrun_the_hand(drive):
    """At 8 times real time a table runs at real time while somebody clicks, and fast again after."""
    hand = drive((0, 0))
    hand.source.speed = hand.desk._speed = 8.0
    hand.point(hand.poses[0])
    click(hand, 3)
    presses = [at for at, done in edges(hand) if isinstance(done, Press)]
    assert presses[2] - presses[0] < 2 * 0.330
    hand.wait(600)
    assert hand.source.speed == 8.0


def test_clicks_on_two_tiles_are_each_its_own(drive):
    """Clicking A then B gives each of them one click."""
    hand = drive((0, 0), (0, 1))
    for tile in (0, 1):
        hand.point(hand.poses[tile], steps=1)
        click(hand, 1, 30, 30)
    hand.wait(100)
    assert sorted(done.tile for _, done in edges(hand)) == [0, 0, 1, 1]


@pytest.mark.parametrize("step_ms", [8, 40, 70])
def test_moving_first_never_presses(drive, step_ms):
    """A pointer that moves before the press is through drags, however slowly it starts."""
    hand = drive((0, 0))
    hand.point(hand.poses[0])
    hand.down()
    hand.wait(step_ms)
    hand.point(Pose(4.0, 0.0))
    hand.wait(500)
    hand.up()
    hand.wait(100)
    assert [type(done) for done in hand.done] == [commands.Move]


def test_a_shaky_press_is_a_press(drive):
    """A few pixels of movement leave a press a press."""
    hand = drive((0, 0))
    hand.point(hand.poses[0])
    x, y = hand.at
    hand.down()
    for shake in ((x + 3, y), (x - 2, y + 3), (x, y - 3)):
        hand.point(shake, steps=1)
    hand.wait(200)
    hand.up()
    hand.wait(100)
    assert [done for _, done in edges(hand)] == [Press(0), Release(0)]


def test_a_press_that_becomes_a_drag_lets_go_of_the_button(drive):
    """Dragging off after a long press releases the button first, then carries the cluster."""
    hand = drive((0, 0))
    hand.point(hand.poses[0])
    hand.down()
    hand.wait(200)
    hand.point(Pose(4.0, 0.0))
    hand.wait(100)
    assert not hand.table.views[0].pressed
    hand.up()
    assert hand.poses[0].x == pytest.approx(4.0, abs=0.05)


def test_the_right_button_selects_without_pressing(drive):
    """A right click marks the tile and leaves its button alone."""
    hand = drive((0, 0))
    hand.point(hand.poses[0])
    hand.down(3)
    hand.wait(300)
    hand.up()
    hand.wait(100)
    assert hand.done == []
    assert hand.desk.hands.selected == 0


def test_a_click_on_a_tile_that_is_gone_is_forgotten(drive):
    """A button that cannot be pressed any more raises nothing and blocks nothing."""
    hand = drive((0, 0), (3, 0))
    hand.point(hand.poses[1])
    hand.down()
    hand.up()
    hand.table.submit(commands.Remove((1,)))
    hand.wait(1000)
    hand.point(hand.poses[0])
    click(hand)
    hand.wait(200)
    assert [done for _, done in edges(hand)][-2:] == [Press(0), Release(0)]
