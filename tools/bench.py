"""Measure what the simulator costs: speed, memory, and how long a user waits for the first picture.

    python tools/bench.py            # a table to read
    python tools/bench.py --json     # one object, for machines

Each figure is the median of several rounds; a round measures everything once, so that what is compared is
measured side by side. One thread's work is measured in CPU time, which other programs on the machine disturb
least; two threads and the first picture in wall time. Exit status 1: two results that must be equal differ,
so no speed counts.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import mmap
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

import blinks_sim
from blinks_sim import Image, Table
from blinks_sim.core import Chip, Sleep
from blinks_sim.core.library import lib
from blinks_sim.layout import Layout, Spot
from blinks_sim.start import join_teams, lay

FOLDER = Path(__file__).with_suffix("")
FUSES = (0xE2, 0xDF, 0xF9)  # 8 MHz from the first instruction on
DATA_BYTES = 0x500
REGISTERS, SP, SREG, KEPT = slice(0, 32), slice(0x5D, 0x5F), 0x5F, slice(0x100, 0x300)
COUNT = slice(0x300, 0x302)  # of interrupts
COMPARE_CYCLES = 24  # of busy.lst's interrupt, from `jmp` to `reti`; 4 more whenever the low byte comes round
RESPONSE_CYCLES = 4  # the part's (data sheet, "Interrupt Response Time"); libsimavr 1.6 takes none

FIRST_PICTURE_LIMIT_S = 60.0
MANY_COLORS = 100  # an empty screen has one or two, a picture of tiles thousands


class MismatchError(Exception):
    """Report two results that must be equal and are not."""


@dataclass(frozen=True, slots=True)
class Busy:
    """Hold one run of the busy program: its data space when it slept, its cycles, the CPU time it took."""

    data: bytes
    cycles: int
    cpu_s: float

    @property
    def mhz(self) -> float:
        """Give cycles per microsecond of CPU time."""
        return self.cycles / self.cpu_s / 1e6

    def end(self, response: int) -> tuple[bytes, bytes, int, bytes, int]:
        """Return what must be the same everywhere; the last is the cycles without those of the interrupts."""
        count = int.from_bytes(self.data[COUNT], "little")
        interrupts = count * (COMPARE_CYCLES + response) + count // 256 * 4
        data = self.data
        return data[REGISTERS], data[SP], data[SREG], data[KEPT], self.cycles - interrupts


def busy_program() -> bytes:
    """Return the program bytes written in bench/busy.lst."""
    words: dict[int, str] = {}
    for line in (FOLDER / "busy.lst").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([0-9A-F]{4}) ([0-9A-F]{4})(?: ([0-9A-F]{4}))?  ", line):
            at = int(match[1], 16) // 2
            words |= {at + index: word for index, word in enumerate(match.groups()[1:]) if word}
    return b"".join(int(words.get(at, "FFFF"), 16).to_bytes(2, "little") for at in range(max(words) + 1))


def run_busy(program: bytes) -> Busy:
    """Run a program on our core, skipping off, until it sleeps for good."""
    chip = Chip(fuses=FUSES)
    chip.set_skip(False)
    chip.load_flash(program)
    chip.reset()
    osc = 0
    start = time.thread_time()
    while chip.sleep is Sleep.AWAKE and chip.fault is None:
        osc += 1_000_000
        chip.run_until_osc(osc)
    took = time.thread_time() - start
    if chip.fault is not None:
        raise MismatchError(f"the busy program faults on our core: {chip.fault}")
    return Busy(chip.read(0, DATA_BYTES), chip.cycles, took)


class SimAvr:
    """Run a program on libsimavr, through the small C file bench/busy.c."""

    def __init__(self, library: Path) -> None:
        self._busy = ctypes.CDLL(str(library)).busy
        self._busy.restype = ctypes.c_double

    def run(self, program: bytes) -> Busy:
        """Run until the program sleeps for good."""
        data, cycles = ctypes.create_string_buffer(DATA_BYTES), ctypes.c_uint64()
        took = self._busy(program, ctypes.c_uint32(len(program)), data, ctypes.byref(cycles))
        if took < 0:
            raise MismatchError("the busy program does not come to its end on libsimavr")
        return Busy(data.raw, cycles.value, took)


def build_simavr(folder: Path) -> SimAvr | None:
    """Compile the door to libsimavr into a folder; None, and a line on stderr, where that cannot be done."""
    compiler = shutil.which("cc")
    if compiler is None:
        print("no libsimavr: there is no cc to build its door with", file=sys.stderr)
        return None
    library = folder / "busy.so"
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(FOLDER / "busy.c"), "-lsimavr"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"no libsimavr (libsimavr-dev?): {done.stderr.strip().splitlines()[0]}", file=sys.stderr)
        return None
    return SimAvr(library)


def compare_busy(ours: Busy, theirs: Busy) -> None:
    """Compare the ends of the busy program on both simulators.

    Raises:
        MismatchError: they differ.
    """
    names = ("registers", "stack pointer", "SREG", "RAM 0x100-0x2FF", "cycles without interrupts")
    for name, a, b in zip(names, ours.end(RESPONSE_CYCLES), theirs.end(0), strict=True):
        if a != b:
            shown = [x.hex() if isinstance(x, bytes) else x for x in (a, b)]
            raise MismatchError(
                f"the busy program ends differently: {name} {shown[0]} here, {shown[1]} on libsimavr"
            )


class Cluster:
    """Make one compact cluster of Fracture, teams mixed as in a game; runs start from the same moment."""

    def __init__(self, tiles: int) -> None:
        cells = (spot.cell for spot in Layout.load("flower", tiles).spots)
        layout = Layout(tuple(Spot(cell, 0, index % 4) for index, cell in enumerate(cells)))
        self.table = Table(seed=1)
        join_teams(self.table, lay(self.table, layout, [Image.load("fracture")]), layout)
        self._start = self.table.snapshot()

    def run(self, seconds: float, threads: int = 1, skip: bool = True) -> tuple[float, float]:
        """Run for so many seconds of table time; return the CPU time of all threads and the wall time."""
        self.table.restore(self._start)
        self.table.set_threads(threads)
        self.table.set_skip(skip)
        start = time.process_time(), time.perf_counter()
        self.table.run(seconds)
        return time.process_time() - start[0], time.perf_counter() - start[1]


def compare_digests(skipping: str, stepping: str) -> None:
    """Compare a table's digest with skipping on and off.

    Raises:
        MismatchError: they differ.
    """
    if skipping != stepping:
        raise MismatchError(f"skipping changes the result: digest {skipping} with it, {stepping} without")


def environment(**changes: str) -> dict[str, str]:
    """Return an environment without a display, in which a program finds the package measured here."""
    kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")}
    return {**kept, "PYTHONPATH": str(Path(blinks_sim.__file__).parents[1]), **changes}


def bytes_per_tile(tiles: int = 200) -> int:
    """Return what one tile costs: the core's own figure or what the process grows by, whichever is more."""

    def peak(count: int) -> int:
        command = [sys.executable, str(FOLDER / "memory.py"), str(count)]
        return int(subprocess.run(command, env=environment(), check=True, stdout=subprocess.PIPE).stdout)

    return max(int(lib.bc_tile_bytes()), (peak(1 + tiles) - peak(1)) // tiles)


@contextmanager
def xvfb(folder: Path) -> Iterator[tuple[str, Path]]:
    """Start Xvfb; give the name of its display and the file in which its screen lies."""
    read, write = os.pipe()
    command = ["Xvfb", "-screen", "0", "1280x800x24", "-fbdir", str(folder), "-displayfd", str(write)]
    with subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL) as server:
        os.close(write)
        with os.fdopen(read, encoding="ascii") as answer:
            number = answer.readline().strip()
        try:
            yield f":{number}", folder / "Xvfb_screen0"
        finally:
            server.terminate()


class Screen:
    """Look at the screen file of an Xvfb, which has the layout of xwd's files."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = struct.unpack(">25I", self._file[:100])
        size, wide, high, line, colors = header[0], header[4], header[5], header[12], header[19]
        pixels = np.frombuffer(self._file, dtype="<u4", offset=size + 12 * colors, count=line // 4 * high)
        self.pixels = pixels.reshape(high, line // 4)[:, :wide]

    def colors(self) -> int:
        """Return how many colors a sample of the screen has."""
        return len(np.unique(self.pixels[::8, ::8]))


def first_picture_s(folder: Path) -> float:
    """Return the wall time from the bare command to the desk's first picture, on a screen where Xvfb is."""
    if shutil.which("Xvfb") is None:
        start = time.perf_counter()
        command = [sys.executable, str(FOLDER / "undisplayed.py")]
        subprocess.run(
            command, env=environment(SDL_VIDEODRIVER="dummy"), check=True, timeout=FIRST_PICTURE_LIMIT_S
        )
        return time.perf_counter() - start
    with xvfb(folder) as (display, path):
        screen = Screen(path)
        start = time.perf_counter()
        with subprocess.Popen([sys.executable, "-m", "blinks_sim"], env=environment(DISPLAY=display)) as desk:
            try:
                while screen.colors() < MANY_COLORS:
                    if desk.poll() is not None or time.perf_counter() - start > FIRST_PICTURE_LIMIT_S:
                        raise MismatchError("the desk shows no picture")
                    time.sleep(0.005)
                return time.perf_counter() - start
            finally:
                desk.terminate()


def sketches_s() -> dict[str, float]:
    """Return the wall times of building a sketch, by figure; nothing where there is no tool chain."""
    command = [sys.executable, str(FOLDER / "sketches.py")]
    done = subprocess.run(command, env=environment(), check=True, stdout=subprocess.PIPE)
    return {str(name): float(value) for name, value in json.loads(done.stdout).items()}


@dataclass(frozen=True, slots=True)
class Figure:
    """Describe one figure of the result: its unit, what it must reach, and which clock measured it."""

    unit: str
    goal: str
    clock: str


FIGURES = {
    "busy_mhz": Figure("MHz", "4 x simavr", "CPU"),
    "simavr_mhz": Figure("MHz", "", "CPU"),
    "skip_gain": Figure("x", "at least 2", "CPU"),
    "realtime_36_one_core": Figure("x real time", "at least 2", "CPU"),
    "realtime_100_two_threads": Figure("x real time", "at least 1.5", "wall"),
    "bytes_per_tile": Figure("bytes", "at most 150,000", ""),
    "first_picture_s": Figure("s", "under 2", "wall"),
    "sketch_cold_s": Figure("s", "under 1", "wall"),
    "sketch_cached_s": Figure("s", "under 0.1", "wall"),
    "save_to_tiles_s": Figure("s", "under 1.5", "wall"),
}


def measure(rounds: int, seconds: float) -> dict[str, list[float]]:
    """Measure everything so many times, `seconds` of table time each; return the measurements by figure.

    `busy_gain`, busy_mhz ÷ simavr_mhz of the same round, comes with them where libsimavr is there.

    Raises:
        MismatchError: two results that must be equal differ.
    """
    taken: dict[str, list[float]] = {name: [] for name in (*FIGURES, "busy_gain")}
    program, few, many = busy_program(), Cluster(36), Cluster(100)
    taken["bytes_per_tile"].append(bytes_per_tile())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        simavr = build_simavr(folder)
        for _ in range(rounds):
            ours = run_busy(program)
            taken["busy_mhz"].append(ours.mhz)
            if simavr is not None:
                theirs = simavr.run(program)
                compare_busy(ours, theirs)
                taken["simavr_mhz"].append(theirs.mhz)
                taken["busy_gain"].append(ours.mhz / theirs.mhz)
            skipping, _ = few.run(seconds)
            digest = few.table.digest()
            stepping, _ = few.run(seconds, skip=False)
            compare_digests(digest, few.table.digest())
            taken["skip_gain"].append(stepping / skipping)
            taken["realtime_36_one_core"].append(seconds / skipping)
            taken["realtime_100_two_threads"].append(seconds / many.run(seconds, threads=2)[1])
            taken["first_picture_s"].append(first_picture_s(folder))
            for figure, value in sketches_s().items():
                taken[figure].append(value)
    return taken


def as_json(taken: dict[str, list[float]]) -> str:
    """Return one JSON object: the median of each figure, null where there is none."""
    medians = {name: float(f"{median(taken[name]):.6g}") if taken[name] else None for name in FIGURES}
    medians["bytes_per_tile"] = int(taken["bytes_per_tile"][0])
    return json.dumps(medians)


def as_table(taken: dict[str, list[float]]) -> str:
    """Return the figures as lines to read: median, smallest and largest, unit, goal, clock."""
    lines = [f"{'':26}{'median':>10}{'least':>10}{'most':>10}  unit         goal             time"]
    for name, figure in FIGURES.items():
        values = taken[name]
        numbers = (
            [f"{value:,.4g}" for value in (median(values), min(values), max(values))] if values else ["-"] * 3
        )
        if name == "bytes_per_tile":
            numbers = [f"{values[0]:,.0f}", "", ""]
        columns = "".join(f"{number:>10}" for number in numbers)
        lines.append(f"{name:26}{columns}  {figure.unit:13}{figure.goal:17}{figure.clock}".rstrip())
    if gains := taken["busy_gain"]:
        lines.append(
            f"busy_mhz is {median(gains):.2f} x simavr_mhz (least {min(gains):.2f}, most {max(gains):.2f})"
        )
    where = "on Xvfb's screen" if shutil.which("Xvfb") else "drawn, though not shown (SDL's dummy driver)"
    lines.append(f"The first picture is {where}. {os.cpu_count()} cores here.")
    return "\n".join(lines)


def main() -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(description="Measure speed, memory and the wait for the first picture.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="measure everything N times [5]")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"cannot measure {arguments.rounds} times; give --rounds 1 or more")
    try:
        taken = measure(arguments.rounds, seconds=1.0)
    except MismatchError as difference:
        print(f"bench: {difference}", file=sys.stderr)
        return 1
    print(as_json(taken) if arguments.json else as_table(taken))
    return 0


if __name__ == "__main__":
    sys.exit(main())
