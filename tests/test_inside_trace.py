from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import pytest
from vcdvcd import VCDVCD

from blinks_sim import Image, Table
from blinks_sim.core import QUANTUM_PS
from blinks_sim.errors import TableError
from blinks_sim.trace import Trace

from . import programs

QUANTUM_NS = QUANTUM_PS // 1000
FRAME_NS = 7_680_000


def two(name: str = "values") -> Table:
    table = Table(seed=1)
    table.add(Image.load(name), (0, 0))
    table.add(Image.load(name), (1, 0))  # touches face 2 of tile 0 with its face 5
    return table


def changes(path: Path) -> dict[str, list[tuple[int, str]]]:
    """Return what a VCD file holds: (time in ns, level) by the full name of a wire, as vcdvcd reads it."""
    read = VCDVCD(str(path))
    assert read.timescale["magnitude"] == 1
    assert read.timescale["unit"] == "ns"
    return {name: read[name].tv for name in read.signals}


@pytest.fixture
def traced(tmp_path: Path) -> dict[str, list[tuple[int, str]]]:
    """Give the trace of two tiles that talk, tile 0 pressed at 1.15 s, from 0.9 to 1.4 s."""
    table = two()
    table.run(0.9)
    with (tmp_path / "t.vcd").open("w") as file, Trace(table, file, pins=["PB0", "PC2", "PD7"]):
        table.run(0.25)
        table.tile(0).press()
        table.run(0.1)
        table.tile(0).release()
        table.run(0.15)
    return changes(tmp_path / "t.vcd")


def test_each_tile_has_its_wires(traced: dict[str, list[tuple[int, str]]]):
    """The file has button, light and anodes of both tiles and the pins asked for, all from the start on."""
    faces = [f"face{face}.{name}" for face in range(6) for name in ("ir_out", "ir_in", "anode")]
    wires = ["button", "PB0", "PC2", "PD7", *faces]
    assert set(traced) == {f"tile{tile}.{wire}" for tile in (0, 1) for wire in wires}
    assert {each[0][0] for each in traced.values()} == {900_000_000}


def test_pulses_are_in_the_trace(traced: dict[str, list[tuple[int, str]]]):
    """The light of a face is pulses of about 20 us."""
    levels = traced["tile0.face2.ir_out"][1:]
    widths = [off - on for (on, high), (off, low) in zip(levels[::2], levels[1::2], strict=True)]
    assert len(widths) > 50
    assert all(19_000 < width < 22_000 for width in widths)
    assert {level for _, level in levels[::2]} == {"1"}


def test_light_arrives_one_quantum_later(traced: dict[str, list[tuple[int, str]]]):
    """What one face emits falls on the face that touches it, after the latency of light, and on no other."""
    for sender, receiver in [("tile0.face2", "tile1.face5"), ("tile1.face5", "tile0.face2")]:
        sent = [(at + QUANTUM_NS, level) for at, level in traced[f"{sender}.ir_out"][1:]]
        heard = traced[f"{receiver}.ir_in"][1:]
        assert heard
        assert [one for one in sent if one in heard] == heard
        assert len(sent) - len(heard) <= 2  # the last may still be under way
    assert traced["tile0.face0.ir_in"] == [(900_000_000, "0")]


def test_one_anode_is_lit_at_a_time(traced: dict[str, list[tuple[int, str]]]):
    """The faces take turns, once each frame."""
    events = sorted((at, face, level) for face in range(6) for at, level in traced[f"tile1.face{face}.anode"])
    lit = set()
    for _, face, level in events[6:]:
        lit = lit | {face} if level == "1" else lit - {face}
        assert len(lit) <= 2  # for the moment between the writes of two ports
    rises = [at for at, level in traced["tile1.face0.anode"] if level == "1"]
    frames = [later - at for at, later in pairwise(rises)]
    assert all(FRAME_NS * 0.97 < frame < FRAME_NS * 1.03 for frame in frames)


def test_the_button_is_traced_when_it_moves(traced: dict[str, list[tuple[int, str]]]):
    """The button changes at the times of press and release."""
    assert traced["tile0.button"] == [(900_000_000, "0"), (1_150_000_000, "1"), (1_250_000_000, "0")]
    assert traced["tile1.button"] == [(900_000_000, "0")]


def test_a_pin_shows_what_drives_it(traced: dict[str, list[tuple[int, str]]]):
    """An output is 1 or 0, an input z; the IR anode of face 0 is its light."""
    assert traced["tile0.PD7"] == [(900_000_000, "z")]
    assert {level for _, level in traced["tile0.PC2"]} == {"0", "1", "z"}
    assert [at for at, level in traced["tile0.PB0"] if level == "1"] == [
        at for at, level in traced["tile0.face0.ir_out"] if level == "1"
    ]


def test_a_reset_lets_go_of_all_pins(tmp_path: Path):
    """At a reset every pin becomes an input at once."""
    table = two()
    table.run(1)
    with (tmp_path / "t.vcd").open("w") as file, Trace(table, file):
        table.tile(0).reset()
        table.run(0.05)
    anodes = [changes(tmp_path / "t.vcd")[f"tile0.face{face}.anode"] for face in range(6)]
    assert {each[-1] for each in anodes} == {(1_000_000_000, "z")}


def test_light_ends_where_tiles_part(tmp_path: Path):
    """A face that its neighbor leaves while it shines is dark from then on, and lit when it comes back."""
    table = Table(seed=1)
    table.add(programs.IDLE, (0, 0))
    glow = table.add(programs.GLOW, (1, 0))
    with (tmp_path / "t.vcd").open("w") as file, Trace(table, file):
        for cell in [(5, 0), (1, 0), (5, 0)]:
            table.run(0.1)
            assert table.tile(0).chip.status().ir_lit == (0 if cell == (1, 0) else 1 << 2)
            table.move([glow], cell)
        table.run(0.1)
    (_, dark), *rest = changes(tmp_path / "t.vcd")["tile0.face2.ir_in"]
    assert dark == "0"
    assert [level for _, level in rest] == ["1", "0", "1", "0"]
    assert [at for at, _ in rest[1:]] == [100_000_000, 200_000_000, 300_000_000]


def test_only_chosen_tiles_are_traced(tmp_path: Path):
    """The light of a tile that is not traced still falls on one that is."""
    table = two()
    table.run(0.9)
    with (tmp_path / "t.vcd").open("w") as file, Trace(table, file, tiles=[1]):
        table.run(0.5)
    read = changes(tmp_path / "t.vcd")
    assert {name.split(".")[0] for name in read} == {"tile1"}
    assert len(read["tile1.face5.ir_in"]) > 50


def test_what_cannot_be_traced_is_told():
    """Unknown pins and tiles are refused, and a table that went back cannot go on in the same file."""
    table = two()
    with pytest.raises(TableError, match=r"^there is no pin 'PA0'; name pins as in 'PD3', ports B to E$"):
        Trace(table, io.StringIO(), pins=["PA0"])
    with pytest.raises(TableError, match="there is no tile 7"):
        Trace(table, io.StringIO(), tiles=[7])
    snapshot = table.snapshot()
    Trace(table, io.StringIO())
    table.run(0.1)
    table.restore(snapshot)
    with pytest.raises(TableError, match="a VCD file cannot go back in time with its table"):
        table.run(0.1)


def test_tracing_changes_nothing():
    """A table that is traced has the same digest as one that is not; a new tile does not disturb it."""
    digests = []
    for watched in (False, True):
        table = two("clicks")
        trace = Trace(table, io.StringIO()) if watched else None
        table.run(1)
        table.tile(1).press()
        table.add(Image.load("values"), (0, 1))
        table.remove(table.tile(0))
        table.run(0.5)
        if trace:
            trace.close()
        digests.append(table.digest())
    assert digests[0] == digests[1]
