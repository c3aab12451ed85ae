"""A table: places, contacts, commands, the clock; nothing but seed and commands decides what happens."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from itertools import islice, pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blinks_sim import Image, Table, commands
from blinks_sim.core import ChipTable
from blinks_sim.errors import TableError
from blinks_sim.hexgrid import Pose, move_group, spiral
from blinks_sim.table import QUANTUM_S
from blinks_sim.tile import Tile

from .programs import CHATTER, GLOW, IDLE, SAMPLER

FLOWER = list(islice(spiral((0, 0)), 7))
PORTB = 0x25
few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def laid(cells, image=CHATTER, **options) -> Table:
    """Return a table with a tile on each cell, turned by turns."""
    table = Table(**options)
    for number, cell in enumerate(cells):
        table.add(image, cell, turn=number % 6)
    return table


# Time


def test_time_adds_up_exactly():
    """Slices shorter than a quantum are not lost."""
    table = Table()
    for _ in range(1000):
        table.run(0.000_033)
    assert (table.quantum, table.time_s) == (330, 0.033)


@pytest.mark.parametrize("parts", [3, 7, 3000, 9999])
def test_rounding_does_not_put_a_quantum_off(parts: int):
    """Slices that are no whole number of picoseconds add up as well."""
    table = Table()
    for _ in range(parts):
        table.run(0.9 / parts)
    assert table.quantum == 9000


@pytest.mark.parametrize("seconds", [-0.1, math.nan, math.inf, 1e300])
def test_time_only_goes_forward(seconds: float):
    """A time that cannot be run is refused."""
    with pytest.raises(TableError, match="cannot run for"):
        Table().run(seconds)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"skew_ppm": 300_000}, "skew of 300000 ppm"), ({"threads": 0}, "cannot run on 0 threads")],
)
def test_tables_that_cannot_be(options, message: str):
    """Impossible tables are refused."""
    with pytest.raises(TableError, match=message):
        Table(**options)


# Places


def test_tiles_do_not_overlap():
    """Adding or moving onto another tile is refused, names both, and changes nothing."""
    table = laid(FLOWER[:2], IDLE)
    first, second = table.tiles
    before = table.digest()
    with pytest.raises(TableError, match=r"tile 2 would overlap tile 0 at cell \(0, 0\)"):
        table.add(IDLE, (0, 0))
    with pytest.raises(TableError, match="tile 1 would overlap tile 0"):
        table.move([second], pose=Pose(0.4, 0.4, 13.0))
    assert table.digest() == before
    assert len(table.record) == 2
    assert table.tiles == (first, second)


def test_tiles_moved_together_may_change_places():
    """A move is judged by where all of its tiles come to lie."""
    table = laid([(0, 0), (1, 0)], IDLE)
    a, b = table.tiles
    table.submit(commands.Move(((a.id, b.pose), (b.id, a.pose))))
    assert (a.cell, b.cell) == ((1, 0), (0, 0))
    with pytest.raises(TableError, match="would overlap"):
        table.submit(commands.Move(((a.id, Pose(9, 9)), (b.id, Pose(9.1, 9)))))


def test_a_piece_moves_rigidly():
    """The first tile goes to its cell and turn; the others keep their relation to it."""
    table = laid([(0, 0), (1, 0), (2, 0)], IDLE)
    a, b, c = table.tiles
    table.move([a, b], cell=(5, 5), turn=1)
    assert [(t.cell, t.turn) for t in (a, b)] == [((5, 5), 1), ((5, 6), 2)]
    assert c.cell == (2, 0)
    table.move([a, b], cell=(0, 0))
    assert [(t.cell, t.turn) for t in (a, b)] == [((0, 0), 1), ((0, 1), 2)]


@few
@given(turn=st.integers(0, 5), q=st.integers(-6, 6), r=st.integers(-6, 6), first=st.integers(0, 6))
def test_contacts_of_a_piece_survive_any_move(turn: int, q: int, r: int, first: int):
    """Moving a whole cluster anywhere keeps every contact, face by face."""
    table = laid(FLOWER, IDLE)
    before = table.contacts
    tiles = list(table.tiles)
    tiles.insert(0, tiles.pop(first))
    table.move(tiles, (q, r), turn)
    assert table.contacts == before
    assert (tiles[0].cell, tiles[0].turn) == ((q, r), turn)


def test_free_poses_touch_as_well():
    """Two tiles off the lattice touch where their faces meet."""
    table = Table()
    pair = move_group({0: Pose.of((0, 0)), 1: Pose.of((0, -1))}, 10.3, 0.2, degrees=17.0)
    a, b = (table.add(IDLE, pose=pose) for pose in pair.values())
    assert (a.cell, a.turn) == (None, None)
    assert a.neighbors[0] is b
    assert b.neighbors[3] is a


def test_lifted_tiles_touch_nothing():
    """A tile in the hand has no contacts and may pass over others; put down it has both again."""
    table = laid([(0, 0), (1, 0)], IDLE)
    a, b = table.tiles
    table.submit(commands.Move(((a.id, b.pose),), lifted=True))
    assert a.lifted
    assert table.contacts == frozenset()
    assert b.neighbors == [None] * 6
    with pytest.raises(TableError, match="would overlap"):
        table.submit(commands.Move(((a.id, b.pose),)))
    table.submit(commands.Move(((a.id, Pose.of((0, 0))),)))
    assert len(table.contacts) == 1


def test_nowhere_is_no_place():
    """A pose that is not finite, a move without tiles or without a place are refused."""
    table = laid([(0, 0)], IDLE)
    with pytest.raises(TableError, match="give finite numbers"):
        table.move(table.tiles, pose=Pose(math.nan, 0))
    with pytest.raises(TableError, match="no tiles to move"):
        table.move([], (0, 0))
    with pytest.raises(TableError, match="nowhere to move to"):
        table.move(table.tiles)


def test_a_table_holds_500_tiles():
    """The 501st tile is refused."""
    table = laid(islice(spiral((0, 0)), 500), IDLE)
    with pytest.raises(TableError, match="holds 500 tiles already"):
        table.add(IDLE, (100, 0))


def test_ids_are_never_used_again():
    """A removed tile's id stays its own; a new one may be chosen once."""
    table = laid([(0, 0)], IDLE)
    table.remove(*table.tiles)
    assert table.add(IDLE, number=7).id == 7
    assert table.add(IDLE, (3, 3)).id == 8
    for number in (0, 7, -1):
        with pytest.raises(TableError, match=f"tile id {number} cannot be used; give a new one such as 9"):
            table.add(IDLE, (5, 5), number=number)


# Chance and determinism


def test_each_tile_has_its_own_clock():
    """Seeded skews differ, stay within ±1 %, and follow from seed and id alone."""
    table = laid(FLOWER, IDLE, seed=3)
    table.run(1.0)
    clocks = [tile.chip.osc for tile in table.tiles]
    assert len(set(clocks)) == 7
    table.run(1.0)
    seconds = [tile.chip.osc - osc for tile, osc in zip(table.tiles, clocks, strict=True)]
    assert len({osc // 1000 for osc in seconds}) > 3
    assert all(7_920_000 - 32 <= osc <= 8_080_000 + 32 for osc in seconds)
    again = laid(reversed(FLOWER), IDLE, seed=3)
    again.run(1.0)
    assert [tile.chip.osc for tile in again.tiles] == clocks
    other = laid(FLOWER, IDLE, seed=4)
    other.run(1.0)
    assert [tile.chip.osc for tile in other.tiles] != clocks


def test_a_given_skew_is_exact():
    """With skew 0 every tile runs at 8 MHz; serial numbers differ still."""
    table = laid(FLOWER, IDLE, skew_ppm=0)
    table.run(0.1)
    clocks = [tile.chip.osc for tile in table.tiles]
    table.run(0.1)
    for tile, osc in zip(table.tiles, clocks, strict=True):
        assert tile.chip.osc - osc == pytest.approx(800_000, abs=32)
    assert len({tile.read(0xF0, 9) for tile in table.tiles}) == 7


def chat(
    order=range(7), threads: int = 1, skip: bool = True, slices=(0.05,), image: Image = CHATTER, seed: int = 1
) -> str:
    """Run a flower of tiles added in an order, with a press and a move on the way; return its digest."""
    table = Table(seed=seed, threads=threads)
    for number in order:
        table.add(image, FLOWER[number], turn=number % 6, number=number)
    table.set_skip(skip)
    for piece in slices:
        table.run(piece)
    table.tile(3).press()
    table.move([table.tile(5), table.tile(6)], cell=(4, 4), turn=2)
    for piece in slices:
        table.run(piece)
    table.tile(3).release()
    table.run(0.013)
    return table.digest()


@pytest.fixture(scope="module")
def chatted() -> str:
    return chat()


def test_light_passes_between_the_tiles(chatted: str):
    """The run depends on contacts and on the seed; else the tests below would show nothing."""
    apart = Table(seed=1)
    together = laid(FLOWER, seed=1)
    for number, (q, r) in enumerate(FLOWER):
        apart.add(CHATTER, (3 * q, 3 * r), turn=number % 6)
    apart.run(0.05)
    together.run(0.05)
    assert [t.read(0x200) for t in apart.tiles] != [t.read(0x200) for t in together.tiles]
    assert chat(seed=2) != chatted


@few
@given(st.permutations(range(7)))
def test_the_order_of_tiles_does_not_matter(chatted: str, order: list[int]):
    """Tiles may be added in any order."""
    assert chat(order) == chatted


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_do_not_matter(chatted: str, threads: int):
    """Any number of threads gives the same bits."""
    assert chat(threads=threads) == chatted


def test_skipping_does_not_matter(chatted: str):
    """Spin loops may be skipped or run."""
    assert chat(skip=False) == chatted


@few
@given(st.lists(st.floats(0, 0.05), max_size=12), st.integers(1, 2))
def test_slices_do_not_matter(chatted: str, cuts: list[float], threads: int):
    """A run may be cut anywhere, quanta or not."""
    pieces = [end - start for start, end in pairwise([0.0, *sorted(cuts), 0.05])]
    assert chat(slices=pieces, threads=threads) == chatted


def test_the_order_of_contacts_does_not_matter(chatted: str, monkeypatch: pytest.MonkeyPatch):
    """The core may be told the contacts in any order, from either side."""
    plain = ChipTable.set_contacts
    chance = Random(1)

    def shuffled(self: ChipTable, rows) -> None:
        rows = [(c, d, a, b) if chance.random() < 0.5 else (a, b, c, d) for a, b, c, d in rows]
        chance.shuffle(rows)
        plain(self, rows)

    monkeypatch.setattr(ChipTable, "set_contacts", shuffled)
    assert chat() == chatted


def test_looking_does_not_matter(chatted: str, monkeypatch: pytest.MonkeyPatch):
    """Frames, faces, digests and snapshots taken on the way change nothing."""
    run = Table.run

    def watched(self: Table, seconds: float) -> None:
        for _ in range(5):
            run(self, seconds / 5)
            self.frame()
            self.snapshot()
            self.digest()

    monkeypatch.setattr(Table, "run", watched)
    assert chat() == chatted


@pytest.mark.parametrize(
    "look", [Table.frame, Table.snapshot, lambda t: t.tile(0).neighbors, lambda t: t.run(0)]
)
def test_looking_between_two_moves_does_not_matter(look: Callable[[Table], object]):
    """Away and back before time goes on is no move at all, seen or not: light goes on falling on a face."""

    def digest(look: Callable[[Table], object]) -> str:
        table = Table()
        table.add(SAMPLER)
        lamp = table.add(GLOW, (1, 0))
        table.run(0.01)  # both are switched on by then
        for _ in range(20):
            table.run(QUANTUM_S)
            table.move([lamp], (5, 5))
            look(table)
            table.move([lamp], (1, 0))
        return table.digest()

    assert digest(look) == digest(lambda table: None)


@pytest.mark.parametrize(
    "put_out",
    [lambda tile: tile.flash(IDLE), lambda tile: tile.write(PORTB, b"\0")],
)
def test_what_puts_a_light_out_between_quanta_darkens_the_face_beyond(put_out: Callable[[Tile], None]):
    """Flashing, a reset or a written port act at once, on the neighbor one latency later, restored or not."""
    table = Table()
    eye, lamp = table.add(SAMPLER), table.add(GLOW, (1, 0))
    table.run(0.01)
    assert eye.chip.status().ir_lit == 1 << 2
    for _ in range(12):  # more than a quantum's worth of changes
        lamp.write(PORTB, b"\0")
        lamp.write(PORTB, b"\x3f")
    put_out(lamp)
    other = Table()
    other.restore(table.snapshot())
    for each in (table, other):
        each.run(QUANTUM_S)
        assert each.tile(0).chip.status().ir_lit == 1 << 2
        each.run(QUANTUM_S)
        assert each.tile(0).chip.status().ir_lit == 0
    assert table.digest() == other.digest()


@pytest.mark.parametrize(
    ("threads", "skip", "order"),
    [(2, True, range(7)), (1, False, range(7)), (1, True, (6, 2, 4, 0, 1, 5, 3))],
)
def test_fracture_is_deterministic(fractured: str, threads: int, skip: bool, order):
    """Firmware of thousands of lines gives the same bits however it is run."""
    image = Image.load("fracture")
    assert chat(order, threads, skip, (0.3, 0.2999, 0.1001), image) == fractured


@pytest.fixture(scope="module")
def fractured() -> str:
    return chat(image=Image.load("fracture"), slices=(0.7,))


deeds = st.lists(
    st.one_of(
        st.builds(commands.Press, st.integers(0, 4)),
        st.builds(commands.Release, st.integers(0, 4)),
        st.builds(commands.Reset, st.integers(0, 4)),
        st.builds(commands.Remove, st.tuples(st.integers(0, 4))),
        st.builds(
            lambda number, place, turn: commands.Move(((number, Pose.of(place, turn)),)),
            st.integers(0, 4),
            st.sampled_from(list(islice(spiral((0, 0)), 12))),
            st.integers(0, 5),
        ),
        st.integers(1, 200),  # quanta to run
    ),
    max_size=30,
)


def lived(image: Image, history: list[commands.Command | int], threads: int, skip: bool, step: int) -> str:
    """Do and run what a history says, in steps of so many quanta; refused commands count as well."""
    table = laid(FLOWER[:5], image, threads=threads)
    table.set_skip(skip)
    for deed in history:
        if isinstance(deed, int):
            for start in range(0, deed, step):
                table.run(min(step, deed - start) * 1e-4)
        else:
            with contextlib.suppress(TableError):
                table.submit(deed)
    return table.digest()


@settings(max_examples=40, deadline=None)
@given(deeds)
def test_any_history_has_one_end(history: list[commands.Command | int]):
    """Whatever is done to a table, threads, skipping and slices do not show."""
    assert lived(CHATTER, history, 1, True, 1000) == lived(CHATTER, history, 3, False, 7)


@settings(max_examples=8, deadline=None)
@given(deeds)
def test_any_history_of_fracture_has_one_end(history: list[commands.Command | int]):
    """The same with real firmware, from its first light on."""
    history = [7000, *(deed * 5 if isinstance(deed, int) else deed for deed in history)]
    image = Image.load("fracture")
    assert lived(image, history, 1, True, 10_000) == lived(image, history, 2, False, 613)


# Commands and keeping


def replayed(record) -> Table:
    """Return a new table on which recorded commands were carried out at their times."""
    table = Table()
    for done in record:
        table.run((done.quantum - table.quantum) * 1e-4)
        table.submit(done.command)
    return table


def test_a_record_replays_to_the_same_end():
    """All that was done is in the record; carried out again at its times it gives the same table."""
    table = laid(FLOWER[:3])
    table.run(0.01)
    a, b, c = table.tiles
    a.press()
    table.run(0.000_25)
    a.release()
    b.write(0x0200, b"x")
    b.battery_mv = 2500
    table.move([c], cell=(4, 0), turn=2)
    table.run(0.01)
    b.reset()
    table.remove(a)
    table.add(IDLE, (0, 0))
    c.flash(IDLE)
    table.run(0.01)
    again = replayed(table.record)
    again.run(0.01)
    assert [done.quantum for done in table.record[3:6]] == [100, 102, 102]
    assert again.record == table.record
    assert again.digest() == table.digest()


def test_a_restored_table_plays_on_alike():
    """Run on, return, run on again: same digest, tiles and record, whatever happened in between."""
    table = laid(FLOWER)
    table.run(0.0301)
    held = table.tiles
    kept, digest, record = table.snapshot(), table.digest(), table.record
    table.run(0.02)
    later = table.digest()
    table.remove(held[0], held[3])
    table.add(IDLE, (9, 9))
    table.move([held[5]], pose=Pose(-20.0, 3.0, 33.0))
    held[6].press()
    table.run(0.05)
    table.restore(kept)
    assert (table.digest(), table.record, table.time_s) == (digest, record, 0.0301)
    assert table.tiles == held
    assert [tile.cell for tile in held] == FLOWER
    assert not held[6].pressed
    table.run(0.02)
    assert table.digest() == later


def test_a_snapshot_goes_onto_another_table_alike():
    """A table of the same seed and skew takes a snapshot; others refuse it."""
    table = laid(FLOWER, seed=5)
    table.run(0.02)
    kept = table.snapshot()
    table.run(0.02)
    other = Table(seed=5, threads=2)
    other.restore(kept)
    other.run(0.02)
    assert other.digest() == table.digest()
    with pytest.raises(TableError, match="is of a table with seed 5 and skew None, this one has 6 and None"):
        Table(seed=6).restore(kept)


def test_a_click_of_many_takes_the_time_of_one():
    """Tiles clicked together are pressed together."""
    table = laid(FLOWER, IDLE)
    table.click(table.tiles, 3)
    assert table.time_s == pytest.approx(3 * 0.12 + 0.28)
    presses = [d.quantum for d in table.record if isinstance(d.command, commands.Press)]
    assert presses == [0] * 7 + [1200] * 7 + [2400] * 7


def test_a_frame_shows_everything_and_stays():
    """A frame holds what is drawn, in the order of ids, and does not change when the table does."""
    table = laid([(0, 0), (1, 0)], IDLE)
    a, b = table.tiles
    a.press()
    frame = table.frame()
    table.move([b], pose=Pose(9, 9, 7))
    table.run(0.001)
    assert (frame.quantum, frame.time_s, len(frame.contacts)) == (0, 0.0, 1)
    first, second = frame.tiles
    assert (first.id, first.sketch, first.cell, first.turn) == (0, "idle", (0, 0), 0)
    assert (first.pressed, second.pressed, second.cell) == (True, False, (1, 0))
    assert (first.neighbors[2], second.neighbors[4]) == (1, 0)
    with pytest.raises(ValueError, match="read-only"):
        first.faces[0, 0] = 1.0
    assert table.frame().tiles[1].cell is None


def test_commands_name_tiles_that_exist():
    """Commands for unknown tiles are refused and not recorded."""
    table = laid([(0, 0)], IDLE)
    for command in (
        commands.Press(5),
        commands.Remove((0, 5)),
        commands.Move(((5, Pose(4, 4)),)),
        commands.Flash(5, IDLE),
        commands.Send(5, b"x"),
        commands.Reset(5),
    ):
        with pytest.raises(TableError, match="there is no tile 5 on the table; it has 0"):
            table.submit(command)
    assert len(table.record) == 1
    assert isinstance(table.tile(0), Tile)


def test_serial_input_has_an_end():
    """More bytes than the port can queue are refused with what to do."""
    table = laid([(0, 0)], IDLE)
    before = table.digest()
    with pytest.raises(TableError, match=r"took only \d+ of 100000 bytes; run the table between sends"):
        table.tile(0).send(bytes(100_000))
    assert table.digest() == before
