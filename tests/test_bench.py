"""The benchmark measures what it says it does. No test looks at how fast anything was."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from tests.core.assembler import assemble
from tests.firmware.building import need_tools

SCRIPT = Path(__file__).parents[1] / "tools" / "bench.py"
TAKEN = {
    "busy_mhz": [700.0, 500.0, 900.0],
    "simavr_mhz": [100.0, 130.0, 110.0],
    "busy_gain": [7.0, 4.0, 8.0],
    "skip_gain": [2.0, 2.25, 2.125],
    "realtime_36_one_core": [4.0, 5.0, 3.0],
    "realtime_100_two_threads": [1.5, 2.5, 2.0],
    "bytes_per_tile": [77000],
    "first_picture_s": [0.5, 0.25, 1.0],
    "sketch_cold_s": [0.5, 0.25, 0.75],
    "sketch_cached_s": [0.0625, 0.03125, 0.125],
    "save_to_tiles_s": [0.75, 1.0, 0.5],
}
NAMES = set(TAKEN) - {"busy_gain"}


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


bench = load()


def test_the_busy_program_is_its_listing():
    """The words of the listing are what its assembly assembles to."""
    listing = (SCRIPT.with_suffix("") / "busy.lst").read_text(encoding="utf-8")
    assembly = "\n".join(line[16:] for line in listing.splitlines() if not line.startswith(";"))
    assert bench.busy_program() == assemble(assembly)


def test_both_simulators_end_the_busy_program_alike(need_program, need_library, tmp_path):
    """All that does not depend on the response of interrupts is equal, the cycles between them too."""
    need_library("simavr")
    need_program("cc")
    simavr = bench.build_simavr(tmp_path)
    assert simavr is not None
    ours, theirs = bench.run_busy(bench.busy_program()), simavr.run(bench.busy_program())
    bench.compare_busy(ours, theirs)
    assert ours.cycles > 40_000_000
    counted = int.from_bytes(ours.data[bench.COUNT], "little")
    assert counted == pytest.approx(ours.cycles / 1024, abs=6)  # none while it fills its table


@pytest.mark.parametrize(
    ("at", "name"), [(5, "registers"), (0x5E, "stack pointer"), (0x5F, "SREG"), (0x2FF, "RAM 0x100-0x2FF")]
)
def test_another_end_of_the_busy_program_is_seen(at, name):
    """One bit that differs is enough, wherever it counts."""
    ours = bench.Busy(bytes(0x500), 1000, 1.0)
    theirs = replace(ours, data=bytes(0x10 * (index == at) for index in range(0x500)))
    with pytest.raises(bench.MismatchError, match=f"busy program ends differently: {name} "):
        bench.compare_busy(ours, theirs)


def test_another_number_of_cycles_is_seen():
    """One cycle more is a difference; a response of four cycles to each interrupt is none."""
    count = bytes(0x300) + (300).to_bytes(2, "little") + bytes(0x1FE)
    ours, theirs = bench.Busy(count, 10_000 + 4 * 300, 1.0), bench.Busy(count, 10_000, 1.0)
    bench.compare_busy(ours, theirs)
    with pytest.raises(bench.MismatchError, match="cycles without interrupts 2797 here, 2796 on libsimavr"):
        bench.compare_busy(replace(ours, cycles=ours.cycles + 1), theirs)


def test_without_a_compiler_there_is_no_simavr(monkeypatch, tmp_path, capsys):
    """The benchmark goes on without it and says so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bench.build_simavr(tmp_path) is None
    assert capsys.readouterr().err == "no libsimavr: there is no cc to build its door with\n"


def test_without_libsimavr_there_is_no_simavr(monkeypatch, tmp_path, capsys):
    """The benchmark goes on without it and tells what the compiler said."""
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho 'busy.c: no simavr/sim_avr.h' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert bench.build_simavr(tmp_path) is None
    assert capsys.readouterr().err == "no libsimavr (libsimavr-dev?): busy.c: no simavr/sim_avr.h\n"


def test_a_cluster_runs_the_same_however_it_is_measured():
    """Every run starts from the same moment; neither skipping nor threads show in the digest."""
    cluster = bench.Cluster(7)
    digests = []
    for threads, skip in [(1, True), (1, False), (2, True), (1, True)]:
        cpu_s, wall_s = cluster.run(0.05, threads, skip)
        assert cpu_s > 0
        assert wall_s > 0
        digests.append(cluster.table.digest())
    bench.compare_digests(*digests[:2])
    assert len(set(digests)) == 1
    assert {tile.image.name for tile in cluster.table.tiles} == {"fracture"}


def test_another_digest_is_seen():
    """What skipping may not change fails the benchmark."""
    with pytest.raises(
        bench.MismatchError, match="skipping changes the result: digest 1f with it, 2e without"
    ):
        bench.compare_digests("1f", "2e")


def test_a_tile_keeps_within_its_memory():
    """A tile costs at most 150 KB, all that Python keeps of it included."""
    assert bench.lib.bc_tile_bytes() <= bench.bytes_per_tile(tiles=100) <= 150_000


def test_an_empty_screen_is_no_picture(need_program, tmp_path):
    """The wait for the first picture is not over before there is one."""
    need_program("Xvfb")
    with bench.xvfb(tmp_path) as (_, path):
        screen = bench.Screen(path)
        assert screen.pixels.shape == (800, 1280)
        assert screen.colors() < 3


def test_the_first_picture_comes_on_a_screen(need_program, tmp_path):
    """The bare command shows a picture, and nothing of it stays behind."""
    need_program("Xvfb")
    assert 0 < bench.first_picture_s(tmp_path) < bench.FIRST_PICTURE_LIMIT_S


def test_the_first_picture_comes_without_a_screen(monkeypatch, tmp_path, capfd):
    """Where there is no Xvfb the desk draws on nothing, and prints nothing into the benchmark's output."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert 0 < bench.first_picture_s(tmp_path) < bench.FIRST_PICTURE_LIMIT_S
    assert capfd.readouterr().out == ""


def test_a_command_that_ends_shows_no_picture(need_program, monkeypatch, tmp_path):
    """A desk that does not open fails the benchmark."""
    need_program("Xvfb")
    monkeypatch.setattr(bench.sys, "executable", "true")
    with pytest.raises(bench.MismatchError, match="the desk shows no picture"):
        bench.first_picture_s(tmp_path)


def test_sketches_are_built():
    """The times of building a sketch come from a process of their own, each above nothing."""
    need_tools()
    taken = bench.sketches_s()
    assert set(taken) == {"sketch_cold_s", "sketch_cached_s", "save_to_tiles_s"}
    assert all(value > 0 for value in taken.values())


def test_json_gives_medians():
    """One object holds the median of every figure, and nothing else."""
    assert json.loads(bench.as_json(TAKEN)) == {
        "busy_mhz": 700.0,
        "simavr_mhz": 110.0,
        "skip_gain": 2.125,
        "realtime_36_one_core": 4.0,
        "realtime_100_two_threads": 2.0,
        "bytes_per_tile": 77000,
        "first_picture_s": 0.5,
        "sketch_cold_s": 0.5,
        "sketch_cached_s": 0.0625,
        "save_to_tiles_s": 0.75,
    }


def test_json_without_simavr():
    """What could not be measured is null."""
    assert json.loads(bench.as_json({**TAKEN, "simavr_mhz": [], "busy_gain": []}))["simavr_mhz"] is None


def test_the_table_gives_medians_and_spread():
    """A line for each figure shows median, least and most; the ratio to simavr is that of single rounds."""
    lines = bench.as_table(TAKEN).splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:11]}
    assert set(rows) == NAMES
    assert rows["busy_mhz"][:4] == ["700", "500", "900", "MHz"]
    assert rows["bytes_per_tile"][:2] == ["77,000", "bytes"]
    assert lines[11] == "busy_mhz is 7.00 x simavr_mhz (least 4.00, most 8.00)"


def test_the_table_without_simavr():
    """Nothing is compared with what is not there."""
    lines = bench.as_table({**TAKEN, "simavr_mhz": [], "busy_gain": []}).splitlines()
    assert lines[2].split()[:4] == ["simavr_mhz", "-", "-", "-"]
    assert not any("x simavr_mhz" in line for line in lines)


def test_no_rounds_are_refused():
    """The benchmark measures at least once."""
    command = [sys.executable, SCRIPT, "--rounds", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith("bench.py: error: cannot measure 0 times; give --rounds 1 or more\n")


@pytest.mark.long
def test_the_whole_benchmark(need_library, need_program):
    """Run as its user runs it, it prints all its figures."""
    need_library("simavr")
    need_program("Xvfb")
    command = [sys.executable, SCRIPT, "--rounds", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert set(figures) == NAMES
    assert all(value > 0 for value in figures.values())
    assert figures["bytes_per_tile"] <= 150_000
