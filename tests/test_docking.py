"""What hands do with a cluster: docking a piece, cutting along a ribbon."""

from __future__ import annotations

import math
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim.hexgrid import (
    EQUALLY_NEAR,
    SQRT3,
    Contact,
    Pose,
    centroid,
    contacts,
    cut,
    move_group,
    neighbor,
    overlap,
    snap,
    spiral,
)

near = st.floats(-2, 2)
shapes = st.lists(st.integers(0, 18), min_size=1, max_size=6, unique=True)
SPIRAL = list(islice(spiral((0, 0)), 19))


def laid(cells, first: int = 0) -> dict[int, Pose]:
    return {first + i: Pose.of(cell, i % 6) for i, cell in enumerate(cells)}


@st.composite
def situations(draw):
    """A piece carried near a cluster or two, each lattice turned and shifted its own way."""
    resting = move_group(laid(SPIRAL[i] for i in draw(shapes)), degrees=draw(st.floats(0, 360)))
    if draw(st.booleans()):
        second = move_group(laid((SPIRAL[i] for i in draw(shapes)), 50), 8 + draw(near), draw(near), 17)
        if not any(overlap(a, b) for a in resting.values() for b in second.values()):
            resting |= second
    piece = laid((SPIRAL[i] for i in draw(shapes)), 100)
    piece = move_group(piece, draw(st.floats(-4, 8)), draw(st.floats(-4, 4)), draw(st.floats(0, 360)))
    return piece, resting, draw(st.floats(0, 3))


@given(situations())
def test_a_docked_piece_touches_and_does_not_overlap(situation):
    """Wherever a piece docks it keeps its shape, touches, lies in no other tile and is within reach."""
    piece, resting, reach = situation
    place = snap(piece, resting, reach)
    if place is None:
        return
    assert place.poses.keys() == piece.keys()
    assert not any(overlap(a, b) for a in place.poses.values() for b in resting.values())
    both = contacts({**resting, **place.poses})
    assert place.contacts == {c for c in both if (c.a in piece) != (c.b in piece)}
    assert place.contacts
    assert {c for c in both if c.a in piece and c.b in piece} == contacts(piece)
    assert place.shift == pytest.approx(math.dist(centroid(piece), centroid(place.poses)), abs=1e-5)
    assert place.shift <= reach + 1e-6
    assert -30 - 1e-6 <= place.degrees <= 30 + 1e-6


@given(situations())
def test_docking_again_changes_nothing(situation):
    """A docked piece is where it wants to be."""
    piece, resting, reach = situation
    place = snap(piece, resting, reach)
    if place is not None:
        again = snap(place.poses, resting, 1e-5)
        assert again is not None
        assert again.shift == pytest.approx(0, abs=1e-5)
        assert len(again.contacts) >= len(place.contacts)


@given(situations(), st.integers(0, 5))
def test_no_place_nearby_is_overlooked(situation, step):
    """No place found by docking any tile to any face by hand is clearly nearer than the one taken."""
    piece, resting, reach = situation
    place = snap(piece, resting, reach)
    best = math.inf
    for at in resting.values():
        target = at.moved(0, 0)
        angle = math.radians(at.angle + 60 * step)
        for pose in piece.values():
            degrees = (at.angle - pose.angle + 30) % 60 - 30
            turned = move_group(piece, degrees=degrees)
            tile = next(t for t, p in piece.items() if p == pose)
            dx = target.x + SQRT3 * math.sin(angle) - turned[tile].x
            dy = target.y - SQRT3 * math.cos(angle) - turned[tile].y
            placed = move_group(turned, dx, dy)
            if not any(overlap(a, b) for a in placed.values() for b in resting.values()):
                best = min(best, math.hypot(dx, dy))
    if best <= reach - 1e-6:
        assert place is not None
        assert place.shift <= best + EQUALLY_NEAR + 1e-6


def test_a_tile_turns_to_fit_and_settles_on_the_lattice():
    """A tile held askew below another docks to its south face, exactly on the cell."""
    place = snap({5: Pose(0.2, 1.9, 80)}, {1: Pose.of((0, 0))}, 0.6)
    assert place is not None
    assert place.poses == {5: Pose.of((0, 1), 1)}
    assert place.contacts == {Contact(1, 3, 5, 5)}
    assert place.degrees == pytest.approx(-20)


def test_a_gap_between_two_tiles_is_preferred():
    """Nearly midway between a place with one contact and one with two, the piece takes the two."""
    resting = laid([(0, 0), (1, 0)])
    one, two = Pose.of((0, -1)), Pose.of((1, -1))
    share = 0.49
    held = Pose(one.x + share * (two.x - one.x), one.y + share * (two.y - one.y))
    place = snap({9: held}, resting, 1.2)
    assert place is not None
    assert place.poses[9].place == ((1, -1), 0)
    assert len(place.contacts) == 2
    nearer = snap({9: Pose(one.x + 0.4 * (two.x - one.x), one.y + 0.4 * (two.y - one.y))}, resting, 1.2)
    assert nearer is not None
    assert nearer.poses[9].place == ((0, -1), 0)


def test_a_piece_fits_into_a_ring():
    """A tile let go over the hole of a ring falls into it, six contacts at once."""
    place = snap({9: Pose(0.3, -0.2, 25)}, laid(SPIRAL[1:7]), 0.5)
    assert place is not None
    assert place.poses[9].place == ((0, 0), 0)
    assert len(place.contacts) == 6


def test_out_of_reach_or_alone_there_is_no_place():
    """Nothing docks beyond the reach, onto an empty table, or where every place nearby is taken."""
    resting = laid(SPIRAL)
    assert snap({99: Pose(0, 12)}, resting, 1.0) is None
    assert snap({99: Pose(0, 12)}, {}, 100.0) is None
    assert snap({}, resting, 1.0) is None
    assert snap({99: Pose(0.1, 0)}, resting, 1.0) is None
    assert snap({99: Pose(0.1, 0)}, resting, 6.0) is not None


def test_a_carried_tile_does_not_dock_to_itself():
    """A piece that is still listed among the resting tiles neither blocks nor attracts itself."""
    group = laid([(0, 0), (0, 1)])
    place = snap({1: Pose(0, 1.9)}, group, 0.5)
    assert place is not None
    assert place.poses == {1: Pose.of((0, 1))}
    assert snap({1: Pose(9, 9)}, group, 0.5) is None


FLOWER = laid(SPIRAL[:7])


def test_a_ribbon_across_a_flower():
    """A line between two rows crosses the contacts between them, and the flower falls in two."""
    touching = contacts(FLOWER)
    ribbon = [(-4.0, -1.0), (4.0, -1.0)]
    found = cut(FLOWER, touching, ribbon)
    upper = {i for i, pose in FLOWER.items() if pose.y < -1}
    assert found.crossed == {c for c in touching if (c.a in upper) != (c.b in upper)}
    assert set(found.parts) == {frozenset(upper), frozenset(FLOWER.keys() - upper)}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("joints", [2, 3, 5])
def test_a_ribbon_through_centres_is_no_special_case(reverse: bool, joints: int):
    """A line through the centres of three tiles leaves two connected sides, also with a joint on a centre."""
    ribbon = [(0.0, -4 + 8 * i / (joints - 1)) for i in range(joints)]
    found = cut(FLOWER, contacts(FLOWER), ribbon[::-1] if reverse else ribbon)
    assert sorted(map(len, found.parts)) == [2, 5]


def test_a_ribbon_that_ends_inside_separates_nothing():
    """A ribbon crosses contacts without freeing anything while another way round is left."""
    touching = contacts(FLOWER)
    found = cut(FLOWER, touching, [(-4.0, -1.0), (-1.0, -0.9)])
    assert found.crossed
    assert found.parts == (frozenset(FLOWER),)
    assert cut(FLOWER, touching, [(-4.0, -4.0), (4.0, -4.0)]).crossed == frozenset()
    assert cut(FLOWER, touching, [(0.0, 0.5)]).crossed == frozenset()


def test_a_loop_frees_the_tile_inside():
    """A closed ribbon around one tile crosses just its contacts."""
    angles = [math.radians(a) for a in range(7, 368, 15)]
    loop = [(0.9 * math.sin(a), -0.9 * math.cos(a)) for a in angles]
    found = cut(FLOWER, contacts(FLOWER), loop)
    assert found.crossed == {c for c in contacts(FLOWER) if 0 in (c.a, c.b)}
    assert found.parts == (frozenset({0}), frozenset(range(1, 7)))


def test_a_winding_ribbon_makes_several_parts():
    """A ribbon down and up again through a row cuts it in three, in the order of the tiles."""
    row = laid([(0, 0)])
    for i in range(1, 5):
        row[i] = Pose.of(neighbor((i - 1, 0), 2))
    x = [(row[i].x + row[i + 1].x) / 2 for i in range(4)]
    y = [(row[i].y + row[i + 1].y) / 2 for i in range(4)]
    ribbon = [(x[0], y[0] - 3), (x[0], y[0] + 3), (x[2], y[2] + 3), (x[2], y[2] - 3)]
    found = cut(row, contacts(row), ribbon)
    assert found.parts == (frozenset({0}), frozenset({1, 2}), frozenset({3, 4}))


@given(st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=2, max_size=6))
def test_parts_are_what_is_left_connected(ribbon):
    """Contacts not crossed stay inside parts, and a ribbon drawn backwards cuts the same."""
    touching = contacts(FLOWER)
    found = cut(FLOWER, touching, ribbon)
    assert found.crossed <= touching
    for c in touching - found.crossed:
        assert any({c.a, c.b} <= part for part in found.parts)
    assert sorted(tile for part in found.parts for tile in part) == sorted(FLOWER)
    on_centre = any(
        abs((bx - ax) * (p.y - ay) - (by - ay) * (p.x - ax)) < 1e-9
        for (ax, ay), (bx, by) in pairwise(ribbon)
        for p in FLOWER.values()
    )
    if not on_centre:
        assert cut(FLOWER, touching, ribbon[::-1]) == found
