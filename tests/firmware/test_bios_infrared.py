"""The BIOS's infrared link: the waveform it sends, and what it makes of light."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from blinks_sim.core import Chip

from .bios_rig import FACE, FACE_STRIDE, IDLE, SENDER, booted, chip, packet, pair, run_ms, send

TRACE = Path(__file__).parent / "traces" / "ir_value_packet.csv"
US = 8  # oscillator cycles
GAP_US = {"1": 193.6, "0": 475.9, "s": 758.1}


def _edges(tile: Chip) -> list[tuple[float, float]]:
    """Return a lone chip's pulses: leading edge and width in µs."""
    edges = [time / US for time, _ in tile.pulses()]
    return [(on, off - on) for on, off in zip(edges[::2], edges[1::2], strict=True)]


def _shine(tile: Chip, face: int, symbols: str, stretch: float = 1.0) -> None:
    """Shine a train of pulses on a lone chip's face: one, then one after each gap."""
    start = float(tile.osc)
    times = [start]
    for symbol in symbols:
        times.append(times[-1] + GAP_US[symbol] * stretch * US)
    for time in times:
        tile.run_until_osc(round(time))
        tile.shine(face, True)
        tile.run_until_osc(round(time + 20.1 * stretch * US))
        tile.shine(face, False)
    run_ms(tile, 0.9)


def _symbols(data: bytes) -> str:
    bits = "".join(f"{byte:08b}"[::-1] for byte in data)
    return f"1s{bits}s"


def test_waveform_is_the_shipping_one() -> None:
    """A value packet has the recorded pulses: 20.1 µs wide, gaps within 7 µs of the recorded ones."""
    tile = booted(SENDER)
    tile.pulses()
    send(tile, 0, b"\x80")
    run_ms(tile, 12)
    assert tile.read(0x2F3, 2) == b"\x01\x01"
    sent = _edges(tile)
    rows = [row for row in csv.reader(TRACE.read_text(encoding="utf-8").splitlines()) if row[0][0].isdigit()]
    assert len(sent) == len(rows) == 20
    for index, row in enumerate(rows):
        assert sent[index][1] == pytest.approx(20.12, abs=0.13), index
        if index:
            assert sent[index][0] - sent[index - 1][0] == pytest.approx(float(row[2]), abs=7), index


def test_every_kind_of_byte_keeps_its_width() -> None:
    """Pulses are equally wide wherever they stand: start, header, data, tail."""
    tile = booted(SENDER)
    tile.pulses()
    send(tile, 2, bytes([0x00, 0xFF, 0xA5]))
    run_ms(tile, 20)
    widths = {round(width, 2) for _, width in _edges(tile)}
    assert max(widths) - min(widths) <= 0.13


def test_send_returns_before_the_last_pulse() -> None:
    """Sending blocks until about 1 ms before the last pulse."""
    tile = booted(SENDER)
    tile.pulses()
    send(tile, 0, b"\x80")
    while tile.read(0x2F4) == b"\0":
        tile.run_until_osc(tile.osc + 80)
    returned = tile.osc / US
    run_ms(tile, 3)
    last = _edges(tile)[-1][0]
    assert 800 < last - returned < 1300


def test_end_of_sending_clears_all_flags() -> None:
    """While a packet goes out its face is marked; the end of any send clears all six marks."""
    tile = booted(SENDER)
    send(tile, 4, b"\x80")
    run_ms(tile, 2)
    assert tile.read(FACE + 4 * FACE_STRIDE + 1) != b"\0"
    for face in range(6):
        tile.write(FACE + face * FACE_STRIDE + 1, b"\x01")
    run_ms(tile, 10)
    assert all(tile.read(FACE + face * FACE_STRIDE + 1) == b"\0" for face in range(6))


@pytest.mark.parametrize("face", range(6))
def test_hears_on_every_face(face: int) -> None:
    """A packet arrives on the face that sees its light, header first, and on no other."""
    tile = booted(IDLE)
    _shine(tile, face, _symbols(b"\x37\x80\x01\xfe"))
    assert [packet(tile, f) for f in range(6)] == [
        b"\x37\x80\x01\xfe" if f == face else None for f in range(6)
    ]


@pytest.mark.parametrize("stretch", [0.94, 0.97, 1.0, 1.03, 1.06])
def test_hears_skewed_clocks(stretch: float) -> None:
    """A sender whose clock differs by up to 6 % is understood, whatever the phase of the samples."""
    tile = booted(IDLE)
    data = b"\x37\x5a\x00\xff"
    for phase in range(10):
        run_ms(tile, 1 + 0.0131 * phase)
        _shine(tile, 1, _symbols(data), stretch)
        assert packet(tile, 1) == data, phase


def test_deaf_until_read() -> None:
    """A second packet is lost while the first waits; after it is read the next is heard."""
    tile = booted(IDLE)
    _shine(tile, 0, _symbols(b"\x01\x02"))
    _shine(tile, 0, _symbols(b"\x03\x04\x05"))
    assert packet(tile, 0) == b"\x01\x02"
    _shine(tile, 0, _symbols(b"\x06"))
    assert packet(tile, 0) == b"\x06"


@pytest.mark.parametrize(("length", "heard"), [(1, True), (40, True), (41, False)])
def test_packet_lengths(length: int, heard: bool) -> None:
    """Packets of 1 to 40 bytes arrive; a 41st byte discards a packet."""
    tile = booted(IDLE)
    data = bytes(range(1, length + 1))
    _shine(tile, 3, _symbols(data))
    assert packet(tile, 3) == (data if heard else None)


def test_broken_packets_are_dropped() -> None:
    """A sync within a byte starts anew; a silence of nine samples ends a reception."""
    tile = booted(IDLE)
    _shine(tile, 2, "1s1110s" + _symbols(b"\x42")[2:])
    assert packet(tile, 2) == b"\x42"
    _shine(tile, 2, "1s11001100")
    assert tile.read(FACE + 2 * FACE_STRIDE + 45) != b"\0"
    run_ms(tile, 1.2)
    assert tile.read(FACE + 2 * FACE_STRIDE + 45) == b"\0"
    assert packet(tile, 2) is None


def test_send_is_refused_while_hearing() -> None:
    """Nothing is sent on a face where a packet is coming in."""
    tile = booted(SENDER)
    _shine(tile, 5, "1s1100")
    tile.pulses()
    send(tile, 5, b"\x80")
    run_ms(tile, 1)
    assert tile.read(0x2F3, 2) == b"\x00\x01"
    run_ms(tile, 10)
    assert tile.pulses() == []


def test_sketches_yield_from_the_first_pulse() -> None:
    """A sketch's packet is refused while light of the last nine samples may be the start of a packet."""
    tile = booted(SENDER)
    _shine(tile, 5, "")
    send(tile, 5, b"\x80")
    run_ms(tile, 0.1)
    assert tile.read(0x2F3, 2) == b"\x00\x01"
    run_ms(tile, 2)
    send(tile, 5, b"\x80")
    run_ms(tile, 10)
    assert tile.read(0x2F3, 2) == b"\x01\x02"


@pytest.mark.parametrize("skew", [-10_000, 0, 10_000])
def test_two_tiles_exchange_packets(skew: int) -> None:
    """Packets pass in both directions, one after another, with clocks 1 % apart."""
    first, second = chip(SENDER), chip(SENDER, skew_ppm=skew)
    table = pair(first, second)
    table.run(7000)
    for turn in range(20):
        data = bytes([turn, 255 - turn, 0x55])
        source, face, sink, other = (first, 0, second, 3) if turn % 2 else (second, 3, first, 0)
        send(source, face, data)
        table.run(170 + turn)
        assert packet(sink, other) == b"\x37" + data, turn


def test_handlers_stay_small() -> None:
    """Sending while five faces hear and the button goes down takes at most 26 bytes of stack, in time."""
    tile = booted(SENDER)
    send(tile, 0, bytes([0xFF] * 30))
    times = [tile.osc + 8000.0]
    for symbol in _symbols(b"\x37\xff\x00"):
        times.append(times[-1] + GAP_US[symbol] * US)
    changes = sorted([(round(time), True) for time in times] + [(round(time + 161), False) for time in times])
    tile.press()
    lowest, entered = 0x04FF, 0
    for due, on in changes:
        while (status := tile.status()).osc < due:
            lowest = min(lowest, status.sp)
            if status.pc in (0x381C, 0x3840):
                assert not entered, "the 128-µs handler began anew before its end"
                entered = status.sp
            elif status.sp > entered:
                entered = 0
            tile.step()
        for face in range(1, 6):
            tile.shine(face, on)
    run_ms(tile, 1)
    assert [packet(tile, face) for face in range(1, 6)] == [b"\x37\xff\x00"] * 5
    assert 0x04FF - lowest <= 26
