from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim import Image, Table, Tile
from blinks_sim.errors import VariableError
from blinks_sim.sketch import build
from blinks_sim.variables import EnumValue, variables
from blinks_sim.variables.mangled import readable, split
from blinks_sim.variables.types import Array, Enumeration, Member, Number, Struct, decode, encode

from .firmware.building import build_sketch, need_tools

SKETCH = """
enum Team : byte { RED_TEAM, BLUE_TEAM = 4, GREEN_TEAM };
enum class Mode : int8_t { Down = -1, Idle, Up };
struct Face { byte value; byte fresh : 1; byte age : 7; Team team; };
union Mix { uint16_t word; byte bytes[2]; };
typedef uint16_t wide;
struct Base { byte n = 3; virtual byte f() { return n; } };
struct Derived : Base { byte m = 4; byte f() override { return n + m; } static byte made; };
struct Boxed { union { byte low; uint16_t both; }; int8_t after; };
namespace ns { int16_t x = -5; namespace { byte hidden = 9; } namespace deep { long far = -70000; } }

byte Derived::made = 7;
static byte teamIndex = 3;
Face faces[6] = {{1, 1, 100, BLUE_TEAM}, {2, 0, 5, RED_TEAM}};
Mix mix = {0x1234};
Mode mode = Mode::Down;
bool on = true;
char letter = 'q';
float ratio = 1.5;
wide grid[2][3] = {{1, 2, 3}, {4, 500, 6}};
byte *pointer = &teamIndex;
Derived derived;
Boxed boxed;
uint64_t big = 0x0123456789ABCDEF;
volatile byte idle;
extern const byte steps[4] PROGMEM = {1, 2, 3, 4};
static byte gone = 5;

static byte count() { static byte calls = 40; return ++calls; }
void keep(volatile void *) __attribute__((noinline));
void keep(volatile void *place) { asm volatile("" : : "r"(place) : "memory"); }

void setup() {
    boxed.both = 0x0201;
    boxed.after = -3;
    void *const all[] = {(void *)&teamIndex, (void *)faces, (void *)&mix, (void *)&mode, (void *)&on,
                       (void *)&letter, (void *)&ratio, (void *)grid, (void *)&pointer, (void *)&derived,
                       (void *)&boxed, (void *)&ns::x, (void *)&ns::hidden, (void *)&ns::deep::far,
                       (void *)&Derived::made, (void *)&big, (void *)steps};
    for (void *each : all) keep(each);
    count();
}
void loop() {
    static int16_t turns;
    turns = turns < 0 ? turns : 11;
    setColor(gone == 5 ? RED : BLUE);
}
"""


@pytest.fixture
def tile() -> Tile:
    table = Table(seed=1)
    tile = table.add(build_sketch(SKETCH))
    table.run(1)
    assert tile.fault is None
    return tile


VALUES = [
    ("teamIndex", 3),
    ("faces[0]", {"value": 1, "fresh": 1, "age": 100, "team": 4}),
    ("faces[1].age", 5),
    ("mix", {"word": 0x1234, "bytes": [0x34, 0x12]}),
    ("mix.bytes[1]", 0x12),
    ("mode", -1),
    ("on", True),
    ("letter", ord("q")),
    ("ratio", 1.5),
    ("grid", [[1, 2, 3], [4, 500, 6]]),
    ("grid[1][1]", 500),
    ("derived", {"n": 3, "m": 4}),
    ("derived.n", 3),
    ("Derived::made", 7),
    ("boxed", {"low": 1, "both": 0x0201, "after": -3}),
    ("ns::x", -5),
    ("ns::hidden", 9),
    ("hidden", 9),
    ("ns::deep::far", -70000),
    ("deep::far", -70000),
    ("big", 0x0123456789ABCDEF),
    ("steps", [1, 2, 3, 4]),
    ("count::calls", 41),
    ("loop::turns", 11),
    ("turns", 11),
]


@pytest.mark.parametrize(("path", "value"), VALUES, ids=[path for path, _ in VALUES])
def test_a_variable_is_read_by_name(tile: Tile, path: str, value: Any):
    """Every kind of variable is found by its name and has the value that the sketch gave it."""
    found = tile.read(path)
    assert found == value
    assert type(found) in (type(value), EnumValue)


def test_an_enumeration_names_its_value(tile: Tile):
    """The value of an enumeration is a number that knows its enumerator."""
    assert tile.read("mode").name == "Down"
    assert str(tile.read("faces[0].team")) == "BLUE_TEAM (4)"
    tile.write("faces[0].team", 2)
    assert tile.read("faces[0].team").name is None
    assert str(tile.read("faces[0].team")) == "2"


def test_a_pointer_is_the_address_it_holds(tile: Tile):
    """What a pointer points to is found at the address that it reads as."""
    assert tile.read(tile.read("pointer")) == b"\3"


@pytest.mark.parametrize(
    ("path", "value", "then"),
    [
        ("teamIndex", 255, 255),
        ("faces[2]", {"age": 127, "team": "GREEN_TEAM"}, {"value": 0, "fresh": 0, "age": 127, "team": 5}),
        ("faces[0].fresh", 0, 0),
        ("mode", "Up", 1),
        ("mode", -1, -1),
        ("on", False, False),
        ("ratio", -2, -2.0),
        ("grid", [[7, 8, 9], (10, 11, 65535)], [[7, 8, 9], [10, 11, 65535]]),
        ("mix.bytes", b"\1\2", [1, 2]),
        ("ns::x", -32768, -32768),
        ("boxed.after", -128, -128),
        ("derived", {"n": 9}, {"n": 9, "m": 4}),
    ],
)
def test_a_variable_is_written_by_name(tile: Tile, path: str, value: Any, then: Any):
    """What is written by name is read back, and only that changes."""
    names = [name for name in variables(tile.image).names if name != "blinklib::now"]
    before = {name: tile.read(name) for name in names}
    tile.write(path, value)
    assert tile.read(path) == then
    root = path.split("[")[0].split(".")[0]
    assert all(tile.read(name) == before[name] for name in names if name != root)


def test_a_bit_field_leaves_its_neighbors_alone(tile: Tile):
    """Writing a bit-field changes no other bit of its byte."""
    tile.write("faces[0].age", 0)
    assert tile.read("faces[0]") == {"value": 1, "fresh": 1, "age": 0, "team": 4}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("teamIndex", 256, "teamIndex: 256 does not fit byte; give 0 to 255"),
        ("teamIndex", -1, "teamIndex: -1 does not fit byte; give 0 to 255"),
        ("teamIndex", "x", "teamIndex: 'x' does not fit byte; give a whole number"),
        ("teamIndex", 1.5, "teamIndex: 1.5 does not fit byte; give a whole number"),
        ("ns::x", 32768, "ns::x: 32768 does not fit int16_t; give -32768 to 32767"),
        ("faces[0].age", 128, "faces[0].age: 128 does not fit byte; give 0 to 127"),
        ("on", 2, "on: 2 does not fit bool; give 0 to 1"),
        ("mode", "Upp", "mode: Mode has no 'Upp'; did you mean 'Up'? it has Down, Idle, Up"),
        ("grid", [1], "grid: [1] does not fit wide[2][3]; give a list of 2"),
        ("faces[0]", 3, "faces[0]: 3 does not fit Face; give a dict of members"),
        ("ratio", "x", "ratio: 'x' does not fit float; give a number"),
        ("faces[6]", 0, "'faces[6]': faces has 6 elements; give 0 to 5"),
        ("faces[0].agee", 0, "Face has no member 'agee'; did you mean 'age'? it has value, fresh, age, team"),
        ("teamIndex[0]", 0, "'teamIndex[0]': teamIndex is byte, not an array; leave '[0]' out"),
        ("faces.age", 0, "'faces.age': faces is Face[6] and has no members; leave '.age' out"),
        ("faces[x]", 0, "'faces[x]': cannot follow '[x]'; write .member or [index]"),
        ("steps", [0] * 4, "steps lies in flash; only variables in RAM can be written"),
    ],
)
def test_what_cannot_be_written_says_why(tile: Tile, path: str, value: Any, message: str):
    """A value that does not fit, or a path that leads nowhere, changes nothing and says what would do."""
    digest = tile.chip.digest()
    with pytest.raises(VariableError) as caught:
        tile.write(path, value)
    assert str(caught.value) == message
    assert tile.chip.digest() == digest


def test_a_removed_variable_is_told(tile: Tile):
    """A variable that the optimiser removed is not there, and the message names those that are."""
    with pytest.raises(VariableError, match=r"no variable 'gone': no such name, or the optimiser removed it"):
        tile.read("gone")
    with pytest.raises(
        VariableError, match=r"^probe: the optimiser removed 'idle': it has no place in memory"
    ):
        tile.read("idle")
    with pytest.raises(VariableError, match=r"did you mean 'teamIndex'\? there are .*faces, grid"):
        tile.read("temIndex")


def test_an_image_without_names_is_told():
    """An image from a HEX file has no variables, and the message says what to run instead."""
    tile = Table(seed=1).add(Image.load("hello"))
    with pytest.raises(VariableError, match=r"^hello: holds no names of variables; run the sketch"):
        tile.read("x")


def test_writing_by_name_is_recorded(tile: Tile):
    """Writing by name is a command like any other, so that a replay does it too."""
    tile.write("teamIndex", 9)
    command = tile._table.record[-1].command  # type: ignore[attr-defined]
    assert (command.address, command.data) == (variables(tile.image).place("teamIndex").address, b"\t")


def test_another_sketch_has_other_variables(tile: Tile):
    """A tile that runs another sketch than its image's, as after a download, gives no wrong values."""
    tile.chip.load_flash(bytes(128))
    with pytest.raises(VariableError, match="tile 0 runs another sketch than probe"):
        tile.read("teamIndex")


def test_two_statics_of_one_name_are_told_apart():
    """Where two functions have a static of one name, the short name is refused and the full ones work."""
    image = build_sketch(
        "static byte f() { static volatile byte n = 1; return ++n; }\n"
        "static byte g() { static volatile byte n = 5; return ++n; }\n"
        "void setup() {}\nvoid loop() { setColor(f() + g() ? RED : BLUE); }"
    )
    table = Table(seed=1)
    tile = table.add(image)
    table.run(1)
    assert tile.read("g::n") - tile.read("f::n") == 4
    with pytest.raises(VariableError, match=r"several are called 'n'; say [fg]::n or [fg]::n"):
        tile.read("n")


def test_statics_of_two_files_are_told_apart(tmp_path: Path):
    """Where two files of a sketch have a static of one name, the file is part of the name."""
    need_tools()
    (tmp_path / "tabs.ino").write_text(
        "byte other();\nstatic byte count = 1;\nvoid setup() {}\n"
        "void loop() { count += 3; setColor(other() & count ? RED : BLUE); }\n"
    )
    (tmp_path / "other.cpp").write_text(
        "static unsigned char count = 100, theirs = 7;\n"
        "unsigned char other() { theirs += 2; return count += theirs; }\n"
    )
    tile = Table(seed=1).add(build(tmp_path / "tabs.ino").image)
    found = variables(tile.image)
    assert {name for name in found.names if "blinklib" not in name} == {
        "tabs.ino::count",
        "other.cpp::count",
        "theirs",
    }
    with pytest.raises(
        VariableError, match=r"several are called 'count'; say other.cpp::count or tabs.ino::count"
    ):
        found.place("count")


def test_mangled_names_are_taken_apart():
    """Names of namespaces, classes and functions give parts; what they cannot tell stays as it is."""
    assert split("_ZN7Derived7counterE") == (["Derived", "counter"], "")
    assert split("_ZN2ns12_GLOBAL__N_1L6hiddenE") == (["ns", "hidden"], "")
    assert split("loop") == ([], "loop")
    assert readable("_ZN5Timer3setEm") == "Timer::set"
    assert readable("_ZNK5TimerD1Ev") == "Timer::~Timer"
    assert readable("_Z3dim5Colorh") == "dim"
    assert readable("_ZN5Print6digitsEmh.constprop.8") == "Print::digits.constprop.8"
    assert readable("_ZplRK1AS1_") == "_ZplRK1AS1_"


NUMBERS = st.sampled_from([1, 2, 4, 8]).flatmap(
    lambda size: st.sampled_from([Number("n", size, "signed"), Number("n", size, "unsigned")])
)
ENUMERATIONS = st.builds(Enumeration, st.just("e"), st.just(1), st.booleans(), st.just({0: "A", 1: "B"}))


@st.composite
def structs(draw: st.DrawFn, parts: st.SearchStrategy[Any]) -> Struct:
    members, offset = [], 0
    for index, part in enumerate(draw(st.lists(parts, min_size=1, max_size=4))):
        members.append(Member(f"m{index}", offset, part))
        offset += part.size
    low = draw(st.integers(0, 7))
    members.append(Member("bits", offset, Number("n", 1, "signed"), (low, draw(st.integers(1, 8 - low)))))
    return Struct("s", offset + 1, tuple(members))


TYPES = st.recursive(
    NUMBERS | ENUMERATIONS,
    lambda parts: st.builds(Array, parts, st.integers(1, 4)) | structs(parts),
    max_leaves=8,
)


@given(st.data())
def test_encoding_undoes_decoding(data: st.DataObject):
    """The value that any bytes hold, encoded, gives those bytes again; unused bits stay."""
    kind = data.draw(TYPES)
    held = data.draw(st.binary(min_size=kind.size, max_size=kind.size))
    assert encode(kind, decode(kind, held), held) == held
