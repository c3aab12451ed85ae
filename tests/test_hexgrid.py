"""The grid: cells, poses, contacts, overlaps, clusters."""

from __future__ import annotations

import math
from itertools import combinations, islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim.hexgrid import (
    APOTHEM,
    CONTACT_ANGLE,
    CONTACT_GAP,
    DIRECTIONS,
    SQRT3,
    Contact,
    Pose,
    cell_at,
    center,
    centroid,
    clusters,
    contacts,
    contains,
    corners,
    direction_between,
    distance,
    face_angle,
    face_midpoint,
    line,
    move_group,
    neighbor,
    neighbors,
    overlap,
    overlaps,
    ring,
    rotate,
    settle,
    spiral,
    touching_faces,
)

cells = st.tuples(st.integers(-20, 20), st.integers(-20, 20))
turns = st.integers(0, 5)
# Places crowded enough that many tiles touch, nearly touch or overlap.
near = st.floats(-4, 4, allow_nan=False)
angles = st.one_of(st.sampled_from([0.0, 60.0, 120.0, 3.0, 57.0, 355.0]), st.floats(0, 359.9))
poses = st.builds(Pose, near, near, angles)
# Tiles nearly docked: each on a cell, somewhat off.
off = st.floats(-0.15, 0.15)
nearly = st.builds(
    lambda cell, turn, x, y, a: Pose.of(cell, turn).moved(x, y, a),
    st.tuples(st.integers(-2, 2), st.integers(-2, 2)),
    turns,
    off,
    off,
    st.floats(-8, 8),
)
groups = st.lists(st.one_of(poses, nearly), max_size=12).map(lambda found: dict(enumerate(found)))


def brute_touch(a: Pose, b: Pose) -> list[tuple[int, int]]:
    """All touching faces of two tiles, straight from the definition."""
    found = []
    for face_a in range(6):
        for face_b in range(6):
            gap = math.dist(face_midpoint(a, face_a), face_midpoint(b, face_b))
            askew = abs((face_angle(a, face_a) - face_angle(b, face_b)) % 360 - 180)
            if gap <= CONTACT_GAP + 1e-9 and askew <= CONTACT_ANGLE + 1e-9:
                found.append((face_a, face_b))
    return found


def depth(a: Pose, b: Pose) -> float:
    """How far two tiles lie in each other (negative: apart), by projecting all corners on all normals."""
    axes = [math.radians(face_angle(pose, face)) for pose in (a, b) for face in range(6)]
    depths = []
    for axis in axes:
        spans = [[x * math.sin(axis) - y * math.cos(axis) for x, y in corners(pose)] for pose in (a, b)]
        depths.append(max(spans[0]) - min(spans[1]))
    return min(depths)


@pytest.mark.parametrize(
    ("direction", "degrees"),
    [(0, -90), (1, -30), (2, 30), (3, 90), (4, 150), (5, -150)],
    ids=["N", "NE", "SE", "S", "SW", "NW"],
)
def test_directions_go_clockwise_from_north(direction: int, degrees: int):
    """On a screen with y down, direction 0 is up and each next one 60° clockwise, √3 away."""
    x, y = center(neighbor((0, 0), direction))
    assert math.degrees(math.atan2(y, x)) == pytest.approx(degrees)
    assert math.hypot(x, y) == pytest.approx(SQRT3)


@given(cells, st.integers(-12, 12), cells)
def test_rotation_is_the_same_on_cells_and_on_points(cell, steps, pivot):
    """Turning a cell clockwise by 60° steps moves its centre as turning the point does."""
    turned = Pose.of(cell).moved(0, 0, 60.0 * steps, about=center(pivot))
    assert turned.place == (rotate(cell, steps, pivot), steps % 6)
    assert distance(pivot, rotate(cell, steps, pivot)) == distance(pivot, cell)


@given(cells, cells)
def test_lines_are_shortest_paths(a, b):
    """A line has one cell more than the distance, and each cell touches the next."""
    found = line(a, b)
    assert (found[0], found[-1], len(found)) == (a, b, distance(a, b) + 1)
    assert all(direction_between(one, two) is not None for one, two in pairwise(found))


def test_distance_is_the_number_of_steps():
    """Distances equal those of a search outwards through neighbors."""
    known = {(0, 0): 0}
    edge = [(0, 0)]
    for step in range(1, 5):
        edge = [n for n in dict.fromkeys(n for cell in edge for n in neighbors(cell)) if n not in known]
        known.update(dict.fromkeys(edge, step))
    assert all(distance((0, 0), cell) == step for cell, step in known.items())


def test_directions_between_cells():
    """Neighbors know their direction; other cells have none."""
    assert [direction_between((2, -1), neighbor((2, -1), d)) for d in range(6)] == list(range(6))
    assert direction_between((0, 0), (0, 0)) is None
    assert direction_between((0, 0), (2, 0)) is None
    assert neighbors((0, 0)) == DIRECTIONS


@pytest.mark.parametrize("radius", range(5))
def test_rings_and_spiral(radius: int):
    """A ring has every cell at its distance once, from the north on clockwise; rings make the spiral."""
    cells = ring((3, -2), radius)
    assert cells[0] == (3, -2 - radius)
    assert len(set(cells)) == len(cells) == max(1, 6 * radius)
    assert {distance((3, -2), cell) for cell in cells} == {radius}
    if radius:
        assert direction_between(cells[0], cells[1]) == 2
    before = 1 + 3 * radius * (radius - 1) if radius else 0
    assert list(islice(spiral((3, -2)), before, before + len(cells))) == cells


@given(cells, st.floats(0, 360), st.floats(0, 0.86))
def test_a_point_belongs_to_the_cell_around_it(cell, degrees, radius):
    """Every point nearer to a centre than the apothem lies in that cell."""
    x, y = center(cell)
    angle = math.radians(degrees)
    assert cell_at(x + radius * math.cos(angle), y + radius * math.sin(angle)) == cell


@given(st.floats(-6, 6), st.floats(-6, 6))
def test_a_point_belongs_to_the_nearest_centre(x, y):
    """No neighbor's centre is nearer than that of the cell found."""
    found = cell_at(x, y)
    away = math.dist(center(found), (x, y))
    assert away <= 1 + 1e-9
    assert all(away <= math.dist(center(cell), (x, y)) + 1e-9 for cell in neighbors(found))


@given(cells, turns)
def test_a_pose_on_the_lattice_knows_its_place(cell, turn):
    """Cell and turn come back from a pose, also with rounding errors, which settling removes."""
    pose = Pose.of(cell, turn)
    assert pose.place == (cell, turn)
    rough = Pose(pose.x + 1e-7, pose.y - 1e-7, pose.angle - 1e-6)
    assert rough.place == (cell, turn)
    assert settle({7: rough}) == {7: pose}


@pytest.mark.parametrize(
    "pose", [Pose(1e-5, 0), Pose(0, -1e-5), Pose(0, 0, 1e-3), Pose(0, 0, 30), Pose(0.75, 0.4)]
)
def test_a_free_pose_has_no_place(pose: Pose):
    """Off the lattice there is no cell, and settling changes nothing, not even for the rest of a group."""
    assert pose.place is None
    group = {1: pose, 2: Pose.of((0, 1)).moved(1e-7, 0)}
    assert settle(group) == group


@given(cells, turns, turns)
def test_a_face_looks_along_its_direction(cell, turn, face):
    """Face k of a tile with turn t looks along direction k + t."""
    x, y = face_midpoint(Pose.of(cell, turn), face)
    to_x, to_y = center(neighbor(cell, face + turn))
    from_x, from_y = center(cell)
    assert (x, y) == pytest.approx(((from_x + to_x) / 2, (from_y + to_y) / 2))
    assert face_angle(Pose.of(cell, turn), face) == 60 * ((face + turn) % 6)


@given(poses, turns)
def test_corners_bound_their_face(pose, face):
    """Corner k and corner k + 1 are radius 1 from the centre, the midpoint of face k between them."""
    (ax, ay), (bx, by) = corners(pose)[face], corners(pose)[(face + 1) % 6]
    assert math.dist((ax, ay), (pose.x, pose.y)) == pytest.approx(1)
    assert face_midpoint(pose, face) == pytest.approx(((ax + bx) / 2, (ay + by) / 2))
    assert contains(pose, ax * 0.999 + pose.x * 0.001, ay * 0.999 + pose.y * 0.001)
    assert not contains(pose, ax + (ax - pose.x) * 0.001, ay + (ay - pose.y) * 0.001)


@given(st.lists(st.tuples(cells, turns), unique_by=lambda t: t[0], max_size=40))
def test_contacts_on_the_lattice(placed):
    """On cells exactly neighbors touch: direction d of one meets direction d + 3 of the other."""
    expected = set()
    for (a, (cell_a, turn_a)), (b, (cell_b, turn_b)) in combinations(enumerate(placed), 2):
        direction = direction_between(cell_a, cell_b)
        if direction is not None:
            expected.add(Contact(a, (direction - turn_a) % 6, b, (direction + 3 - turn_b) % 6))
    assert contacts({i: Pose.of(cell, turn) for i, (cell, turn) in enumerate(placed)}) == expected


@given(groups)
def test_contacts_equal_brute_force(group):
    """The hashed search finds what the definition says of every pair of faces, at any poses."""
    expected = {
        Contact(a, face_a, b, face_b)
        for a, b in combinations(group, 2)
        for face_a, face_b in brute_touch(group[a], group[b])
    }
    assert contacts(group) == expected


@given(st.one_of(poses, nearly), st.one_of(poses, nearly))
def test_touching_is_symmetric(a, b):
    """Seen from the other tile the same two faces touch."""
    faces = touching_faces(a, b)
    assert touching_faces(b, a) == (faces and faces[::-1])


@pytest.mark.parametrize(
    ("shift_x", "shift_y", "degrees", "touches"),
    [
        (0, 0, 0, True),
        (0, 0.1199, 0, True),
        (0, 0.1201, 0, False),
        (0.1199, 0, 0, True),
        (0.1201, 0, 0, False),
        (0, 0, 5.99, True),
        (0, 0, 6.01, False),
        (0, 0, -5.99, True),
        (0, 0, -6.01, False),
        (0.08, 0.08, 0, True),
        (0.09, 0.09, 0, False),
    ],
)
def test_contact_tolerances(shift_x: float, shift_y: float, degrees: float, touches: bool):
    """Faces touch up to 6° and 0.12 between midpoints, the other tile turned about the face that touches."""
    still = Pose(0, 0)
    other = Pose(0, 2 * APOTHEM).moved(shift_x, shift_y, degrees, about=(0, APOTHEM))
    assert touching_faces(still, other) == ((3, 0) if touches else None)


@given(groups, st.floats(-50, 50), st.floats(-50, 50), st.integers(0, 5))
def test_contacts_do_not_change_when_all_move(group, dx, dy, steps):
    """Moving and turning everything rigidly keeps clear contacts and makes none."""
    # Rounding may tip a pair over that lies exactly on the limit, so pairs near it do not count.
    doubtful = {
        (a, b)
        for a, b in combinations(group, 2)
        for face in range(6)
        for other in range(6)
        if abs(math.dist(face_midpoint(group[a], face), face_midpoint(group[b], other)) - CONTACT_GAP) < 1e-6
        or abs(abs((face_angle(group[a], face) - face_angle(group[b], other)) % 360 - 180) - 6) < 1e-6
    }
    moved = move_group(group, dx, dy, 60.0 * steps, about=(1.0, -2.0))
    before = {c for c in contacts(group) if (c.a, c.b) not in doubtful}
    assert {c for c in contacts(moved) if (c.a, c.b) not in doubtful} == before


@given(st.one_of(poses, nearly), st.one_of(poses, nearly))
def test_overlap_equals_projection_of_corners(a, b):
    """Tiles overlap where every axis sees them more than 0.02 deep in each other; touching is not enough."""
    deep = depth(a, b)
    if abs(deep - 0.02) > 1e-9:
        assert overlap(a, b) == overlap(b, a) == (deep > 0.02)


def test_limits_in_the_corners():
    """Corners just in each other overlap; faces askew and pressed together as far as allowed still touch."""
    still = Pose(0, 0)
    x, y = corners(still)[1]
    assert overlap(still, Pose(1.975 * x, 1.975 * y))
    assert not overlap(still, Pose(1.978 * x, 1.978 * y))
    bent = Pose(0, 2 * APOTHEM).moved(0, 0, 5.99, about=(0, APOTHEM))
    away = math.hypot(bent.x, bent.y)
    pressed = bent.moved(-0.1199 * bent.x / away, -0.1199 * bent.y / away)
    assert touching_faces(still, pressed) == (3, 0)
    assert math.hypot(pressed.x, pressed.y) < 2 * APOTHEM - CONTACT_GAP


@given(groups)
def test_overlaps_equal_brute_force(group):
    """The hashed search for overlaps finds every pair."""
    assert overlaps(group) == {(a, b) for a, b in combinations(group, 2) if overlap(group[a], group[b])}


def test_a_full_lattice_touches_and_does_not_overlap():
    """500 tiles on a spiral: no overlap, and as many contacts as that shape has neighbors."""
    places = list(islice(spiral((0, 0)), 500))
    group = {i: Pose.of(cell, i % 6) for i, cell in enumerate(places)}
    assert not overlaps(group)
    assert len(contacts(group)) == sum(n in set(places) for cell in places for n in neighbors(cell)) // 2


@given(groups)
def test_clusters_partition_the_tiles(group):
    """Every tile is in one cluster, contacts never lead out of one, and the order is that of the tiles."""
    touching = contacts(group)
    parts = clusters(group, touching)
    assert sorted(tile for part in parts for tile in part) == sorted(group)
    assert all(any({c.a, c.b} <= part for part in parts) for c in touching)
    assert [min(part) for part in parts] == sorted(min(part) for part in parts)
    # Connected: no part falls apart into two without a contact between.
    for part in parts:
        reached = {min(part)}
        for _ in part:
            reached |= {t for c in touching for t in (c.a, c.b) if {c.a, c.b} & reached}
        assert reached == part


def test_clusters_of_some_tiles():
    """Contacts with tiles that are not asked for do not connect."""
    row = {i: Pose.of((i, 0)) for i in range(3)}
    assert clusters(row, contacts(row)) == [{0, 1, 2}]
    assert clusters([2, 0], contacts(row)) == [{2}, {0}]
    assert clusters([], contacts(row)) == []


@given(groups.filter(bool), st.floats(-9, 9), st.floats(-9, 9), st.floats(-180, 180))
def test_a_group_moves_rigidly(group, dx, dy, degrees):
    """Distances and relative angles stay; the centroid shifts by just dx, dy."""
    moved = move_group(group, dx, dy, degrees)
    x, y = centroid(group)
    assert centroid(moved) == pytest.approx((x + dx, y + dy), abs=1e-9)
    for tile, pose in moved.items():
        old = group[tile]
        assert 0 <= pose.angle < 360
        turned = (pose.angle - old.angle - degrees) % 360
        assert min(turned, 360 - turned) == pytest.approx(0, abs=1e-9)
        assert math.dist((pose.x, pose.y), centroid(moved)) == pytest.approx(
            math.dist((old.x, old.y), (x, y)), abs=1e-9
        )


def test_turning_is_clockwise_on_the_screen():
    """A tile north of the pivot, turned by 90°, lies east of it."""
    pose = move_group({1: Pose(0, -2)}, degrees=90, about=(0, 0))[1]
    assert (pose.x, pose.y, pose.angle) == pytest.approx((2, 0, 90))
