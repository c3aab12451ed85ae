"""A table in a test: what is done with its tiles, and what they are asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from blinks_sim import Image
from blinks_sim.errors import LayoutError, TableError, UsageError, VariableError
from blinks_sim.hexgrid import Pose
from blinks_sim.testing.report import describe, packets
from blinks_sim.testing.tables import Blinks, Sketches

SKETCHES = Path(__file__).parents[1] / "firmware" / "sketches"
ROW = """
    A
      B
        C
"""


@pytest.fixture(scope="module")
def built() -> Sketches:
    return Sketches()


@pytest.fixture
def blinks(built: Sketches) -> Blinks:
    """Give a table for the bundled sketch "values"."""
    return Blinks(SKETCHES / "values", built, SKETCHES)


def test_tiles_start_while_they_are_placed(blinks: Blinks):
    """After a second every tile runs its sketch, and has heard of its neighbors."""
    blinks.place(ROW)
    assert blinks.names == ("A", "B", "C")
    assert blinks.table.time_s == 1.0
    assert blinks.neighbors("B") == [None, None, "C", None, None, "A"]
    assert [blinks.received("B", face) for face in range(6)] == [None, None, 0, None, None, 0]


def test_a_table_can_be_looked_at_from_the_start(blinks: Blinks):
    """Without time to start, no time has gone by and nothing shines."""
    blinks.place(ROW, start_s=0)
    assert blinks.table.time_s == 0
    assert blinks.colors() == {"A": "OFF", "B": "OFF", "C": "OFF"}


def test_placing_anew_gives_a_fresh_table(blinks: Blinks):
    """The same drawing and seed give the same table; another seed another one."""
    digests = []
    for seed in (1, 1, 2):
        blinks.place(ROW, seed=seed)
        digests.append(blinks.table.digest())
    assert digests[0] == digests[1] != digests[2]


def test_tiles_run_sketches_of_their_own(blinks: Blinks):
    """A path, a build or an image may be given for a tile; turns turn it."""
    hello = Image.load("hello")
    blinks.place(ROW, sketches={"A": hello, "C": "hello"}, turns={"C": 1})
    assert [blinks[name].image.name for name in "ABC"] == ["hello", "values", "hello"]
    assert [blinks.color(name, 0) for name in "ABC"] == ["RED", "OFF", "RED"]
    assert blinks.neighbors("C") == [None, None, None, None, "B", None]


def test_values_are_those_of_the_sketch(blinks: Blinks):
    """What one tile sends another receives, and forgets when it is alone."""
    blinks.place(ROW)
    blinks.click("AC", 1)
    blinks.click("C")
    assert [blinks.sent(name, 0) for name in "ABC"] == [1, 0, 2]
    blinks.wait_until(lambda: (blinks.received("B", 5), blinks.received("B", 2)) == (1, 2))
    assert (blinks.color("B", 5), blinks.color("B", 2), blinks.color("B")) == ("ORANGE", "YELLOW", None)
    blinks.remove("C")
    blinks.run(0.3)
    assert blinks.received("B", 2) is None
    assert blinks.names == ("A", "B")
    blinks.table.remove(blinks["A"])
    assert describe(blinks).splitlines()[-1].startswith("B ")
    with pytest.raises(UsageError, match="there is no tile 'A' on the table; it has B"):
        blinks.click("A")


def test_values_of_an_image_without_names_are_not_known(blinks: Blinks):
    """Only a sketch that was built tells where its values lie; the report leaves them out."""
    blinks.place("A", sketches={"A": Image.load("hello")})
    with pytest.raises(VariableError):
        blinks.sent("A", 0)
    row = describe(blinks).splitlines()[-1]
    assert re.fullmatch(r"A     RED ORANGE YELLOW GREEN BLUE MAGENTA +\. \. \. \. \. \.  +\d+", row)


def test_a_piece_is_split_off_and_joined(blinks: Blinks):
    """A piece keeps its shape on its way, touches nothing far away, and comes to lie where it is wanted."""
    blinks.place(ROW, turns={"A": 2})
    blinks.split("AB")
    assert blinks.neighbors("C") == [None] * 6
    assert blinks.neighbors("B") == [None] * 5 + ["A"]
    blinks.join("BA", to="C", face=0)
    assert blinks.neighbors("C") == ["B", None, None, None, None, None]
    assert blinks.neighbors("B") == [None, None, None, "C", None, "A"]
    blinks.split("B")
    blinks.join("B", to="A", face=0)
    assert blinks.neighbors("A") == ["B", None, None, None, None, None]  # turned: its face 0 looks south-east
    assert blinks["A"].turn == 2
    with pytest.raises(TableError, match="there is no room for 'C' at face 0 of 'A'"):
        blinks.join("C", to="A", face=0)


@pytest.mark.parametrize("odd", [False, True])
def test_a_piece_split_off_stays_at_its_height(blinks: Blinks, odd: bool):
    """Wherever the piece lay, it lies on the lattice, clear of the others."""
    blinks.place("A\n  B" + ("\n    C" if odd else ""), start_s=0)
    y = blinks["A"].pose.y
    blinks.split("A")
    assert blinks["A"].pose.y == pytest.approx(y)
    assert blinks.neighbors("A") == [None] * 6
    assert len(blinks.table.contacts) == odd


def test_a_move_is_drawn(blinks: Blinks):
    """All tiles go at once to where they are drawn, and are not turned."""
    blinks.place(ROW, turns={"B": 3})
    blinks.move("""
        C
          A  .
        B
    """)
    assert blinks.neighbors("A") == [None, None, None, None, "B", "C"]
    assert blinks["B"].turn == 3
    with pytest.raises(UsageError, match="the drawing leaves out B; draw the tiles A, B, C"):
        blinks.move("A\n\nC")
    with pytest.raises(UsageError, match="the drawing has D, not on the table"):
        blinks.move(ROW + "          D")


def test_buttons_are_clicked_together_and_held(blinks: Blinks):
    """Clicks of several tiles take the time of one; a button is down as long as it is held."""
    blinks.place(ROW, sketches=dict.fromkeys("ABC", "clicks"))
    start = blinks.table.time_s
    blinks.triple_click("AB")
    assert blinks.table.time_s - start == pytest.approx(3 * 0.12 + 0.28)
    blinks.double_click("C")
    blinks.hold("A", 0.5)
    downs = [
        (done.command.tile, done.quantum) for done in blinks.table.record if hasattr(done.command, "tile")
    ]
    pressed = [tile for tile, quantum in downs if quantum >= 10_000]
    assert pressed.count(0) == 2 * 4
    assert pressed.count(1) == 2 * 3
    assert pressed.count(2) == 2 * 2
    assert downs[-1][1] - downs[-2][1] == 5000


def test_blinking_has_a_rate(blinks: Blinks):
    """Happy tiles of Fracture blink twice a second, each in its color; one alone does not."""
    fracture = SKETCHES / "fracture"
    blinks.place(ROW, sketches=dict.fromkeys("ABC", fracture))
    blinks.triple_click("B")
    assert 1.9 < blinks.blink_rate("B") < 2.1
    assert 1.9 < blinks.blink_rate("B", color="BLUE", face=3, seconds=1.5) < 2.1
    assert blinks.blink_rate("B", color="RED") == 0
    assert blinks.blink_rate("A") == 0


def test_waiting_is_by_the_clock_of_the_table(blinks: Blinks):
    """It ends as soon as the condition holds, or fails when its time is over."""
    blinks.place("A")
    assert blinks.wait_until(lambda: True) == 0
    start = blinks["A"].millis
    took = blinks.wait_until(lambda: blinks["A"].millis >= start + 500)
    assert took == pytest.approx(0.5, rel=0.03)
    before = blinks.table.time_s
    with pytest.raises(AssertionError, match=r"did not come to hold within 0\.3 s of the table's time"):
        blinks.wait_until(lambda: False, timeout_s=0.3)
    assert blinks.table.time_s - before == pytest.approx(0.3)


def test_names_are_checked(blinks: Blinks):
    """Tiles, faces and letters that are not there are refused with those that are."""
    with pytest.raises(UsageError, match="there is no tile 'A' on the table; it has none yet; place some"):
        blinks.click("A")
    blinks.place(ROW, start_s=0)
    for wrong in (
        lambda: blinks["X"],
        lambda: blinks.click("AX"),
        lambda: blinks.place("A\n\nB", turns={"X": 1}),
    ):
        with pytest.raises(UsageError, match="there is no tile 'X' on the table; it has A, B"):
            wrong()
    with pytest.raises(UsageError, match="there is no face 6; give 0 to 5"):
        blinks.color("A", 6)
    with pytest.raises(UsageError, match="no tiles named; give their letters"):
        blinks.click("")
    with pytest.raises(UsageError, match="cannot split 'ABC' off: these are all tiles"):
        blinks.split("ABC")
    with pytest.raises(LayoutError, match="there is no tile in it"):
        blinks.place("")


def test_tiles_off_the_lattice_are_told_but_not_drawn(blinks: Blinks):
    """Whatever is done to the table itself, the report holds; what needs the lattice is refused."""
    blinks.place("A\n\nB")
    blinks.table.move([blinks["B"]], pose=Pose(9.0, 1.0, 10.0))
    assert describe(blinks).splitlines()[1] == "A"
    assert describe(blinks).splitlines()[-1].startswith("B ")
    with pytest.raises(TableError, match="tile B lies off the lattice"):
        blinks.split("B")


def test_packets_are_those_of_the_run(blinks: Blinks):
    """They are found by doing the same once more, whatever was done, in the last half second."""
    blinks.place(ROW)
    assert len(packets(blinks)) == 1 + 12
    blinks.click("A")
    blinks.run(0.2)
    blinks.table.run(0.01003)
    blinks.split("C")
    blinks.run(0.1)
    blinks["B"].write("sent", 9)
    blinks.run(0.2)
    last = packets(blinks)
    assert last[0] == "last packets:"
    assert {line.split()[2] for line in last[1:]} <= {"A2", "B5", "B2", "C5"}
    assert [line for line in last if "B5 > A2" in line][-1].endswith("value 9")
    blinks.run(0.6)
    blinks.split("A")
    blinks.run(0.6)
    assert packets(blinks) == ["packets: none went from tile to tile in the last 0.5 s"]


def test_packets_that_cannot_be_found_are_not_made_up(blinks: Blinks):
    """A test that reaches round the table is told that its packets are not known."""
    blinks.place(ROW)
    blinks["A"].chip.write(0x0200, b"\x55")
    blinks.run(0.1)
    assert packets(blinks)[0].startswith("packets: not known, as the test did something to a chip")
