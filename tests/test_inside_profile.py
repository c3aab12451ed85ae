from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from blinks_sim import Image, Table
from blinks_sim.core import Chip, ResetCause, Watch
from blinks_sim.errors import TableError
from blinks_sim.image import FLASH_BYTES
from blinks_sim.profile import FunctionCost, Profile, Profiler
from blinks_sim.profile.places import RAM_END, RAM_START

from . import programs
from .firmware.building import build_sketch, need_tools
from .test_cli import fresh

SKETCH = """
static byte table[40];
static const byte steps[8] PROGMEM = {1, 2, 3, 4, 5, 6, 7, 8};
namespace work {
__attribute__((noinline)) void hard() { for (word n = 0; n < 2000; ++n) asm volatile("nop"); }
}
__attribute__((noinline)) void deep(byte n) {
    volatile byte room[8];
    room[0] = n;
    if (n) deep(n - 1);
    table[n] += room[0] + pgm_read_byte(steps + (n & 7));
}
static inline void inlined() { for (word n = 0; n < 1000; ++n) asm volatile("nop"); }
void setup() { deep(10); }
void loop() { work::hard(); work::hard(); inlined(); setColor(table[3] ? RED : BLUE); }
"""


def profile(image: Image, seconds: float = 1.0, restart: bool = True) -> Profile:
    table = Table(seed=1)
    tile = table.add(image)
    with Profiler(table, tile) as profiler:
        table.run(1)
        if restart:
            profiler.restart()
        table.run(seconds)
        assert tile.fault is None
        return profiler.result()


def costs(result: Profile) -> dict[str, FunctionCost]:
    return {cost.name: cost for cost in result.functions}


def test_cycles_are_told_by_function():
    """Each function has the cycles that its instructions take, whether called or put into another."""
    result = profile(build_sketch(SKETCH))
    found = costs(result)
    rounds = result.rounds
    assert rounds > 50
    # A turn of the counting loop: nop 1, sbiw 2, brne 2.
    assert found["work::hard"].calls in range(2 * rounds, 2 * rounds + 3)
    assert found["work::hard"].cycles / found["work::hard"].calls == pytest.approx(2000 * 5, rel=0.01)
    assert found["inlined"].cycles / rounds == pytest.approx(1000 * 5, rel=0.03)
    assert found["loop"].calls in (rounds, rounds + 1)
    assert "deep" not in found  # it ran before


def test_all_cycles_are_accounted_for():
    """The cycles of all functions together are those of the tile, about eight million a second."""
    result = profile(build_sketch(SKETCH), restart=False, seconds=0.5)
    assert sum(cost.cycles for cost in result.functions) == result.cycles
    result = profile(build_sketch(SKETCH))
    assert result.cycles == pytest.approx(8e6, rel=0.02)
    assert result.seconds == 1.0


def test_rounds_are_those_of_the_main_loop():
    """Rounds are counted by a call of the display, as often as the sketch's own counter goes up."""
    image = build_sketch("volatile word turns;\nvoid setup() {}\nvoid loop() { ++turns; }")
    table = Table(seed=1)
    tile = table.add(image)
    table.run(1)
    before = tile.read("turns")
    with Profiler(table, tile) as profiler:
        table.run(2)
        result = profiler.result()
    assert tile.read("turns") - before - result.rounds in (0, 1)
    assert result.round_ms is not None
    shortest, mean, longest = result.round_ms
    assert shortest <= mean <= longest
    assert result.loop_hz == pytest.approx(result.rounds / 2, rel=0.02)
    assert result.loop_hz == pytest.approx(114, rel=0.1)


def test_the_deepest_stack_is_kept():
    """The deepest stack counts from the start, restart or not, and grows with the depth of calls."""
    shallow = profile(build_sketch(SKETCH.replace("deep(10)", "deep(1)")))
    deep = profile(build_sketch(SKETCH))
    per_call = (deep.stack_bytes - shallow.stack_bytes) / 9
    assert 10 <= per_call <= 24
    assert deep.stack_bytes < deep.stack_room


def test_the_maps_cover_the_memories():
    """The maps have no gaps and no overlaps, and name functions, data and variables with their sizes."""
    image = build_sketch(SKETCH)
    result = profile(image, 0.1)
    for places, start, end in [
        (result.flash, 0, FLASH_BYTES),
        (result.ram, RAM_START, RAM_END),
    ]:
        at = start
        for place in places:
            if at == image.sketch_bytes and place.kind == "bios":
                at = place.start
            assert place.start == at, place
            at += place.size
        assert at == end
    ram = {place.name: place.size for place in result.ram}
    assert ram["table"] == 40
    assert ram["free, for the stack"] == result.stack_room
    flash = {place.name: place for place in result.flash}
    assert (flash["steps"].size, flash["steps"].kind) == (8, "data")


def test_the_bios_has_its_own_names():
    """Functions of the bundled BIOS go by their names; of another BIOS, only its parts are told."""
    image = Image.load("values")
    found = costs(profile(image, 0.2))
    assert {"BIOS display_pixel_buffer", "BIOS send", "BIOS sample_whole"} <= found.keys()
    other = Image(image.flash[:-1] + b"\0", "other")
    assert {"BIOS", "BIOS, boot section"} <= costs(profile(other, 0.2)).keys()


def test_an_image_without_symbols_is_one_function():
    """Of an image from a HEX file, the sketch is told as a whole."""
    assert costs(profile(Image.load("values"), 0.2))["values"].size == Image.load("values").sketch_bytes


def test_profiling_changes_nothing():
    """A tile that is profiled comes to the same digest as one that is not."""
    digests = []
    for watched in (False, True):
        table = Table(seed=1)
        tiles = [table.add(Image.load("clicks"), (n, 0)) for n in range(2)]
        table.run(0.3)
        profiler = Profiler(table, tiles[0]) if watched else None
        table.run(1)
        if profiler:
            assert profiler.result().rounds
            profiler.close()
        tiles[1].click()
        digests.append(table.digest())
    assert digests[0] == digests[1]


def test_a_profile_ends_with_its_tile():
    """After its tile was removed, or the table went back, a profile has no result and says so."""
    table = Table(seed=1)
    tile = table.add(programs.IDLE)
    snapshot = table.snapshot()
    profiler = Profiler(table, tile)
    table.restore(snapshot)
    with pytest.raises(TableError, match="tile 0 is not profiled any more; begin anew"):
        profiler.result()
    table.remove(tile)
    with pytest.raises(TableError, match="tile 0 was removed"):
        profiler.result()


def test_a_chip_alone_counts_its_code():
    """Cycles, runs and the lowest stack of a chip by itself are counted exactly, and the mark is noted."""
    chip = Chip()
    image = programs.image("ldi r16, 3\nturn: push r16\npop r17\ndec r16\nbrne turn\nhere: rjmp here")
    chip.load_flash(image.flash)
    chip.reset(ResetCause.POWER_ON)
    assert chip.code_count() is None
    chip.watch(Watch.CODE)
    chip.mark(programs.RESET + 2)
    chip.step(13)
    count = chip.code_count()
    assert count is not None
    first = programs.RESET // 2
    assert count.runs[first : first + 5].tolist() == [1, 3, 3, 3, 3]
    assert count.cycles[first : first + 5].tolist() == [1, 6, 6, 3, 5]
    assert count.lowest_sp == 0x04FE
    assert len(chip.events()) == 3
    assert len(chip.events()) == 0


# The command.


def test_the_command_prints_a_profile(tmp_path: Path):
    """`profile` builds a sketch and prints its functions, rounds, stack and maps."""
    need_tools()
    sketch = tmp_path / "busy.ino"
    sketch.write_text(SKETCH, encoding="utf-8")
    ran = fresh("profile", str(sketch), "--seconds", "1")
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"work::hard +│ +[\d,]+ │ +\d+\.\d %", ran.stdout)
    assert re.search(r"^Main loop: [\d]+ rounds, [\d.]+ a second;", ran.stdout, re.MULTILINE)
    assert re.search(r"^Deepest stack: \d+ of \d+ bytes\.$", ran.stdout, re.MULTILINE)


def test_the_command_gives_json():
    """`profile --json` gives all of it for machines, of a tile among others."""
    ran = fresh("profile", "values", "--seconds", "1", "--tiles", "3", "--json")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["sketch"] == "values"
    assert report["rounds"] > 10
    assert report["loop_hz"] > 10
    assert {"name", "size", "cycles", "calls"} == set(report["functions"][0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["profile", "values", "--seconds", "0"], "cannot count for 0 seconds"),
        (["profile", "nothing"], "no image 'nothing'"),
        (["run", "values", "--headless", "--ir-log", "no/such/folder"], "no/such/folder"),
    ],
)
def test_what_the_commands_refuse(options: Sequence[str], message: str):
    """Bad options end with one line and status 2."""
    ran = fresh(*options)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_run_writes_down_what_happens(tmp_path: Path):
    """`run --ir-log --vcd` writes both files and prints the table as ever."""
    log, vcd = tmp_path / "log.txt", tmp_path / "trace.vcd"
    common = ["run", "values", "--tiles", "2", "--headless", "--json", "--seconds", "1"]
    ran = fresh(*common, "--ir-log", str(log), "--vcd", str(vcd))
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == json.loads(fresh(*common).stdout)
    lines = log.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 20
    assert sum(line.endswith("37 80  value 0") for line in lines) > 20
    assert vcd.read_text(encoding="utf-8").startswith("$timescale 1 ns $end")
