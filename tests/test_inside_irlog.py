from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blinks_sim import Image, Table
from blinks_sim.core import EVENT, Watch
from blinks_sim.irlog import Entry, IrLog
from blinks_sim.irlog.packets import meaning
from blinks_sim.irlog.reader import PS_PER_US, Reader
from blinks_sim.profile import Profiler
from blinks_sim.trace import Trace
from blinks_sim.watching import Seen

from .firmware.building import build_sketch

TRACES = Path(__file__).parent / "firmware" / "traces"
ONE_US, ZERO_US, SYNC_US = 194, 476, 758

PIECE = bytes(range(32))
MEANINGS = [
    ("37 80", "value", (), "value 0"),
    ("37 01", "value", (), "value 1"),
    ("37 00", "value", ("parity",), "value 0"),
    ("37 45", "value", (), "value 5, stay awake"),
    ("37 bf", "value", (), "value 63"),
    ("37 15 15", "sleep", (), "go to sleep"),
    ("37 33 33", "wake", (), "wake up"),
    ("37", "user", ("length",), "no payload"),
    ("37 01 02", "user", (), "2 bytes of user data"),
    ("37 2a 01 02 fc", "datagram", (), "datagram of 2"),
    ("37 2a 01 02 fd", "datagram", ("checksum",), "datagram of 2"),
    ("37 aa 01 02 fc", "datagram", ("parity",), "datagram of 2"),
    ("37 2a" + " 00" * 17 + " ff", "datagram", ("length",), "datagram of 17"),
    ("0b b7 41 cf", "SEED", (), "offers a game of sum 41B7"),
    ("0b b7 41 ce", "SEED", ("checksum",), "offers a game of sum 41B7"),
    ("5d 00 75", "PULL", (), "wants piece 0"),
    ("5d b8 bd", "PULL", (), "has all pieces, its neighbors do not"),
    ("5d b9 bc", "PULL", (), "has finished"),
    ("5d ff 76", "PULL", (), "wants piece 255, which does not exist"),
    ("5d 00", "PULL", ("length",), "2 bytes instead of 3"),
    ("e8 ea", "GO", (), "start"),
    ("db" + PIECE.hex() + "07" + bytes([(0xD2 - 0xDB - sum(PIECE) - 7) & 0xFF]).hex(), "PUSH", (), "piece 7"),
    ("99 01", "unknown", (), "unknown header 99"),
]


@pytest.mark.parametrize(("data", "kind", "faults", "text"), MEANINGS, ids=[m[0][:20] for m in MEANINGS])
def test_packets_are_decoded(data: str, kind: str, faults: tuple[str, ...], text: str):
    """Each kind of packet is known by its bytes, and its parity, checksum and length are checked."""
    means = meaning(bytes.fromhex(data))
    assert (means.kind, means.faults, means.text) == (kind, faults, text)


def gaps(data: bytes) -> list[int]:
    """Return the gaps before each pulse but the first of a packet, in microseconds."""
    bits = [octet >> n & 1 for octet in data for n in range(8)]
    return [ONE_US, SYNC_US, *(ONE_US if bit else ZERO_US for bit in bits), SYNC_US]


def pulses(gaps_us: Iterable[int], start_us: int = 0) -> list[int]:
    """Return the times of pulses that lie so far apart."""
    times = [start_us]
    for gap in gaps_us:
        times.append(times[-1] + gap)
    return times


def read(times_us: Sequence[int]) -> list[tuple[bytes, str, str]]:
    """Return what a reader makes of pulses and the silence after them: (data, kind, problem)."""
    reader, found = Reader(), []
    for at in times_us:
        found += [reader.silence(at * PS_PER_US), reader.pulse(at * PS_PER_US)]
    found.append(reader.silence((times_us[-1] + 2000) * PS_PER_US))
    return [(sent.data, sent.kind, sent.problem) for sent in found if sent is not None]


@given(st.binary(min_size=1, max_size=40), st.data())
def test_a_reader_undoes_sending(data: bytes, draw: st.DataObject):
    """Whatever is sent is read, with up to 60 us of jitter on every gap."""
    jitter = draw.draw(st.lists(st.integers(-60, 60), min_size=len(gaps(data)), max_size=len(gaps(data))))
    assert read(pulses(gap + off for gap, off in zip(gaps(data), jitter, strict=True))) == [(data, "", "")]


def test_a_packet_of_the_shipping_bios_is_read():
    """The pulses of a packet that was measured elsewhere are read as its bytes."""
    with (TRACES / "ir_value_packet.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert read([round(float(row["t_us"])) for row in rows]) == [(b"\x37\x80", "", "")]


@pytest.mark.parametrize(
    ("gaps_us", "found"),
    [
        ([], [(b"", "noise", "1 pulse without a sync")]),
        ([ONE_US, ONE_US], [(b"", "noise", "3 pulses without a sync")]),
        ([ONE_US, SYNC_US, ONE_US], [(b"", "broken", "silence after 1 bits")]),
        (gaps(b"\x37\x01")[:-1], [(b"\x37\x01", "broken", "silence after 16 bits")]),
        (
            [*gaps(b"\x37")[:-2], SYNC_US, *gaps(b"\x42")[2:]],
            [(b"", "broken", "a sync after 7 bits"), (b"\x42", "", "")],
        ),
        ([ONE_US, SYNC_US, SYNC_US, *gaps(b"\x42")[2:]], [(b"\x42", "", "")]),
        ([*gaps(b"\x37"), 5000, *gaps(b"\x42")], [(b"\x37", "", ""), (b"\x42", "", "")]),
        (
            [*gaps(b"\x37")[:-1], 1000, *gaps(b"\x42")],
            [(b"\x37", "broken", "silence after 8 bits"), (b"\x42", "", "")],
        ),
    ],
    ids=["pulse", "pulses", "bit", "no end", "odd sync", "two syncs", "two packets", "lost end"],
)
def test_what_is_no_packet_is_told(gaps_us: list[int], found: list[tuple[bytes, str, str]]):
    """Receptions that break off or do not fit are told from packets, with the reason."""
    assert read(pulses(gaps_us)) == found


def test_an_endless_reception_is_cut():
    """Somebody who sends bits for ever fills no memory."""
    found = read(pulses([ONE_US, SYNC_US, *[ONE_US] * 2000]))
    assert {kind for _, kind, _ in found} == {"broken", "noise"}
    assert all(len(data) <= 64 for data, _, _ in found)


# Pulses of several faces, as the hub hands them on.

FACING = {(0, 0): (1, 3), (1, 3): (0, 0)}


def log_of(
    sent: dict[tuple[int, int], list[int]], facing: dict[tuple[int, int], tuple[int, int]]
) -> list[Entry]:
    """Return the entries of a log that sees pulses by (tile, face), in microseconds."""
    tiles = {tile for tile, _ in sent}
    events = {}
    for tile in tiles:
        edges = [
            (at, 1 << face, on)
            for (t, face), ats in sent.items()
            if t == tile
            for at0 in ats
            for at, on in ((at0, True), (at0 + 20, False))
        ]
        lit, rows = 0, []
        for at, bit, on in sorted(edges):
            lit = lit | bit if on else lit & ~bit
            rows.append((at * PS_PER_US, Watch.LIGHT, 0, lit))
        events[tile] = np.array(rows, dtype=EVENT)
    end_ps = 10**12
    log = IrLog(Table())
    log.see(Seen(0, end_ps, dict.fromkeys(tiles), events, facing, frozenset(tiles)))  # type: ignore[arg-type]
    log.close()
    return list(log.entries)


def test_an_entry_tells_who_and_when():
    """An entry has the times of its first and last pulse, and both ends of the contact."""
    (entry,) = log_of({(0, 0): pulses(gaps(b"\x37\x01"), 100)}, FACING)
    assert (entry.sender, entry.receiver, entry.kind, entry.faults) == ((0, 0), (1, 3), "value", ())
    assert entry.start_ps == 100 * PS_PER_US
    assert entry.end_ps == (100 + sum(gaps(b"\x37\x01"))) * PS_PER_US
    assert str(entry) == "    0.000100 s    7.634 ms  0.0 > 1.3       value    37 01  value 1"


def test_both_sides_sending_is_a_collision():
    """Where both faces of a contact send at once, both packets are marked; elsewhere nothing is."""
    sent = {
        face: pulses(gaps(b"\x37\x01"), start) for face, start in [((0, 0), 0), ((1, 3), 5000), ((0, 1), 0)]
    }
    faults = {entry.sender: entry.faults for entry in log_of(sent, FACING)}
    assert faults == {(0, 0): ("collision",), (1, 3): ("collision",), (0, 1): ()}
    assert {entry.faults for entry in log_of(sent, {})} == {()}


def test_taking_turns_is_no_collision():
    """An answer after the last pulse of a packet collides with nothing."""
    packet = gaps(b"\x37\x01")
    sent = {(0, 0): pulses(packet), (1, 3): pulses(packet, sum(packet) + 200)}
    assert [entry.faults for entry in log_of(sent, FACING)] == [(), ()]


def test_too_long_a_packet_is_marked():
    """A packet that no receiver takes is marked, and its line is cut short."""
    (entry,) = log_of({(0, 0): pulses(gaps(b"\x99" * 41))}, FACING)
    assert (entry.faults, entry.text) == (("length",), "41 bytes; a receiver takes 40")
    assert str(entry).count("99") == 20


# On a table.


def two(image: Image) -> Table:
    table = Table(seed=1)
    table.add(image, (0, 0))
    table.add(image, (1, 0))
    return table


def test_values_pass_on_a_table():
    """Two tiles with a sketch send values to each other and into the void, without a fault."""
    table = two(
        build_sketch("void setup() { setValueSentOnAllFaces(0); setValueSentOnFace(21, 2); } void loop() {}")
    )
    seen: list[Entry] = []
    with IrLog(table, seen.append) as log:
        table.run(2)
    assert list(log.entries) == seen[-1000:]
    whole = [entry for entry in seen if entry.kind != "cut"]
    assert {entry.faults for entry in whole} == {()}
    assert {entry.kind for entry in whole} == {"value"}
    assert {entry.receiver for entry in whole} == {None, (0, 2), (1, 5)}
    assert {entry.text for entry in whole if entry.sender[1] == 2} == {"value 21"}
    assert {entry.text for entry in whole if entry.sender[1] != 2} == {"value 0"}
    assert len({entry.sender for entry in whole}) == 12
    ends = [entry.end_ps for entry in whole]
    assert ends == sorted(ends)


def test_what_is_logged_is_what_arrives():
    """A datagram that the log sees without a fault is one that the sketch on the other side gets."""
    sketch = """
        byte got;
        byte data[3] = {1, 2, 3};
        void setup() {}
        void loop() {
            if (buttonSingleClicked()) sendDatagramOnFace(data, 3, 2);
            FOREACH_FACE(f) if (isDatagramReadyOnFace(f)) {
                got += getDatagramOnFace(f)[2];
                markDatagramReadOnFace(f);
            }
        }
    """
    table = two(build_sketch(sketch))
    table.run(1)
    with IrLog(table) as log:
        table.tile(0).click()
        table.run(1)
    (entry,) = [entry for entry in log.entries if entry.kind == "datagram"]
    assert (entry.sender, entry.receiver, entry.data) == ((0, 2), (1, 5), bytes.fromhex("37 2A 01 02 03 F9"))
    assert entry.text == "datagram of 3"
    assert table.tile(1).read("got") == 3


def test_a_raw_packet_shows_its_fault():
    """A packet that a sketch sends through the BIOS with bad parity is logged as such."""
    sketch = """
        extern "C" uint8_t bios_send_packet(uint8_t, const uint8_t *, uint8_t);
        byte bad = 0x03;
        void setup() {}
        void loop() { bios_send_packet(2, &bad, 1); }
    """
    table = two(build_sketch(sketch))
    with IrLog(table) as log:
        table.run(1)
    assert any(entry.faults == ("parity",) and entry.data == b"\x37\x03" for entry in log.entries)


def test_moving_tiles_apart_is_seen():
    """A packet that was under way when its tile went away is marked, and the next ones go into the void."""
    table = two(Image.load("values"))
    table.run(1)
    with IrLog(table, keep=10_000) as log:
        while not any(line.reader.active and line.receiver for line in log._lines.values()):
            table.run(0.001)
        table.move([table.tile(1)], (5, 0))
        table.run(1)
    parted = [entry for entry in log.entries if "parted" in entry.faults]
    assert parted
    last = max(entry.end_ps for entry in parted)
    assert {entry.receiver for entry in log.entries if entry.start_ps > last} == {None}


def test_the_log_keeps_no_more_than_asked():
    """However long a table runs, the log holds the last entries only."""
    table = two(Image.load("values"))
    with IrLog(table, keep=5) as log:
        table.run(2)
    assert len(log.entries) == 5
    assert all(entry.end_ps > 1.9e12 for entry in log.entries)


def test_a_table_that_goes_back_is_logged_anew():
    """After a return to a snapshot the log goes on with what happens then, as it did the first time."""
    table = two(Image.load("values"))
    table.run(1)
    snapshot = table.snapshot()
    seen: list[Entry] = []
    with IrLog(table, seen.append):
        table.run(0.5)
        first = [entry for entry in seen if entry.kind == "value"]
        seen.clear()
        table.restore(snapshot)
        table.run(0.5)
    second = [entry for entry in seen if entry.kind == "value"]
    assert second == first


@pytest.mark.parametrize("slices", [1, 7])
def test_watching_changes_nothing(slices: int):
    """A table that is watched has the same digest as one that is not, however it is sliced."""
    digests = []
    for watched in (False, True):
        table = two(Image.load("clicks"))
        log = IrLog(table) if watched else None
        for _ in range(slices):
            table.run(0.3)
            table.tile(0).press()
            table.run(0.05)
            table.tile(0).release()
        if log:
            assert slices == 1 or log.entries
            log.close()
            table.run(0)
        digests.append(table.digest())
    assert digests[0] == digests[1]


@pytest.mark.long
def test_a_game_spreads_in_the_log():
    """Every packet of a game on its way to another tile is logged: 184 pieces, each asked for."""
    table = Table(seed=1)
    root = table.add(Image.load("hello"), (0, 0))
    table.add(Image.load("values"), (5, 0))
    table.run(1)
    root.hold(3.4)
    seen: list[Entry] = []
    with IrLog(table, seen.append):
        table.move([table.tile(1)], (1, 0))
        table.run(20)
    good = [entry for entry in seen if not entry.faults]
    kinds = Counter(entry.kind for entry in good)
    pieces = {entry.data[33] for entry in good if entry.kind == "PUSH"}
    assert pieces == set(range(184))
    assert kinds["PUSH"] >= 184
    assert kinds["PULL"] >= 185
    assert kinds["SEED"] > 0
    assert kinds["GO"] > 0
    assert table.tile(0).chip.flash(0, 0x1700) == table.tile(1).chip.flash(0, 0x1700)


def test_many_may_watch_one_table():
    """Each watcher sees all that it would see alone, whoever else comes and goes."""
    alone: list[Entry] = []
    together: list[Entry] = []
    for seen, others in ((alone, False), (together, True)):
        table = two(Image.load("values"))
        with IrLog(table, seen.append):
            table.run(0.7)
            if others:
                trace = Trace(table, io.StringIO())
                profiler = Profiler(table, table.tile(1))
            table.run(0.7)
            if others:
                trace.close()
                assert profiler.result().rounds > 10
                profiler.close()
            table.run(0.7)
    assert together == alone
