"""What goes over the light: bytes and pacing of values and datagrams, and how packets are judged."""

from __future__ import annotations

from itertools import pairwise

import pytest

from .building import build_sketch
from .lone import Lone

IDLE = "void setup() {} void loop() {}"

# Prints a line for each change on face 0: value, whether expired, and datagrams.
EARS = """
#include "Serial.h"
ServicePortSerial port;
static byte value;
static bool expired;
void setup() { port.begin(); expired = isValueReceivedOnFaceExpired(0); }
void loop() {
    if (value != getLastValueReceivedOnFace(0)) {
        value = getLastValueReceivedOnFace(0);
        port.print("value "); port.println(value);
    }
    if (expired != isValueReceivedOnFaceExpired(0)) {
        expired = !expired;
        port.println(expired ? "expired" : "fresh");
    }
    if (isDatagramReadyOnFace(0)) {
        port.print("datagram");
        for (byte i = 0; i < getDatagramLengthOnFace(0); ++i) {
            port.print(' '); port.print(getDatagramOnFace(0)[i], HEX);
        }
        port.println();
        markDatagramReadOnFace(0);
    }
}
"""


def encoded(value: int) -> int:
    """Return the byte of a value: bit 7 makes the number of ones odd."""
    return value if value.bit_count() % 2 else value | 0x80


def tell(data: bytes) -> list[str]:
    """Return the lines that EARS prints within 100 ms of a packet on face 0."""
    lone = Lone(build_sketch(EARS))
    lone.start()
    lone.text = ""
    lone.receive(0, data)
    lone.run_ms(100)
    return lone.text.splitlines()


def test_value_bytes() -> None:
    """A value goes out behind header 37 as one byte of odd parity; one above 63 goes out as 63."""
    sketch = """
        static byte value;
        void setup() {}
        void loop() {
            FOREACH_FACE(f) { setValueSentOnFace(value + f, f); }
            if (buttonSingleClicked()) { value += 6; }
        }
    """
    lone = Lone(build_sketch(sketch))
    lone.start()
    for first in range(0, 72, 6):
        lone.run_ms(400)
        latest = {packet.face: packet.data for packet in lone.packets}
        expected = {face: bytes([0x37, encoded(min(first + face, 63))]) for face in range(6)}
        # The stay-awake bit that the click before has caused went out with the packets in between.
        assert latest == expected
        lone.press(60)
        lone.run_ms(400)


def test_values_are_sent_at_a_face_s_own_pace() -> None:
    """Face f repeats its value in the first loop 150 + f ms after the loop of the last time."""
    frame_ms = 7.68  # a loop lasts a frame, or as many as its packets need
    lone = Lone(build_sketch(IDLE))
    lone.start()
    lone.run_ms(8000)
    for face in range(6):
        times = [packet.end_ms for packet in lone.heard(1000) if packet.face == face]
        gaps = [later - earlier for earlier, later in pairwise(times)]
        assert len(gaps) > 40
        assert 150 + face <= sum(gaps) / len(gaps) < 150 + face + 2 * frame_ms
        # The packets of one loop follow each other: a face may move up in their row.
        assert 150 + face - frame_ms < min(gaps)
        assert max(gaps) < 150 + face + 2 * frame_ms


def test_a_good_packet_is_answered_at_once() -> None:
    """After a good packet on a face that face sends within the same loop."""
    lone = Lone(build_sketch(IDLE))
    lone.start()
    while lone.heard(lone.now_ms - 25):  # wait for a quiet moment
        lone.run_ms(1)
    at = lone.now_ms
    lone.receive(3, bytes([0x37, encoded(5)]))
    lone.run_ms(30)
    assert [packet.face for packet in lone.heard(at)][:1] == [3]


@pytest.mark.parametrize("value", range(0, 64, 7))
def test_receiving_a_value(value: int) -> None:
    """A byte of odd parity is a value; bit 6 does not belong to it. A first value of 0 changes nothing."""
    for flag in (0, 0x40):
        lines = tell(bytes([0x37, encoded(value | flag)]))
        assert lines == ([f"value {value}"] if value else []) + ["fresh"]


@pytest.mark.parametrize(
    "data",
    [
        bytes([0x37]),
        bytes([0x37, encoded(9) ^ 0x80]),  # even parity
        bytes([0x36, encoded(9)]),
        bytes([0x37, 0x33, 0x33]),
        bytes([0x37, encoded(9), 1, 2, 3]),  # no value has more bytes
        bytes([0x0B, 1, 2, 3]),
        bytes(range(40)),
    ],
)
def test_any_packet_refreshes_expiry(data: bytes) -> None:
    """A bad or foreign packet is no value, yet somebody is there: it expires 200 ms later."""
    lone = Lone(build_sketch(EARS))
    lone.start()
    lone.text = ""
    lone.receive(0, data)
    lone.run_ms(190)
    assert lone.text.splitlines() == ["fresh"]
    lone.run_ms(60)
    assert lone.text.splitlines() == ["fresh", "expired"]


def datagram(payload: bytes) -> bytes:
    """Return the packet of a datagram."""
    return bytes([0x37, 0x2A, *payload, ~sum(payload) & 0xFF])


@pytest.mark.parametrize("payload", [b"\1", b"\xff\xff", bytes(range(100, 116))])
def test_receiving_a_datagram(payload: bytes) -> None:
    """A payload of 1 to 16 bytes with the inverted sum of its bytes arrives; the value stays as it was."""
    text = "datagram" + "".join(f" {byte:X}" for byte in payload)
    assert sorted(tell(datagram(payload))) == sorted(["fresh", text])


@pytest.mark.parametrize(
    "data",
    [datagram(bytes(17)), datagram(b""), datagram(b"\1\2")[:-1] + b"\0", bytes([0x37, 0xAA, 1, 0xFE])],
)
def test_refused_datagrams(data: bytes) -> None:
    """Too long, empty, with a wrong sum, or with bad parity: not delivered."""
    assert tell(data) == ["fresh"]


def test_an_unread_datagram_is_kept() -> None:
    """While one is unread, later ones on that face are dropped, on others not."""
    sketch = """
        #include "Serial.h"
        ServicePortSerial port;
        void setup() { port.begin(); }
        void loop() {
            if (!buttonPressed()) { return; }
            FOREACH_FACE(f) {
                if (isDatagramReadyOnFace(f)) {
                    port.print(f); port.print(' '); port.println(getDatagramOnFace(f)[0]);
                    markDatagramReadOnFace(f);
                }
            }
        }
    """
    lone = Lone(build_sketch(sketch))
    lone.start()
    for face, byte in [(0, 1), (0, 2), (5, 3)]:
        lone.receive(face, datagram(bytes([byte])))
        lone.run_ms(60)
    lone.press(60)
    lone.run_ms(60)
    assert lone.text.splitlines() == ["0 1", "5 3"]
    lone.text = ""
    lone.receive(0, datagram(b"\4"))
    lone.run_ms(60)
    lone.press(60)
    assert lone.text.splitlines() == ["0 4"]


SENDER = """
static byte data[] = {1, 2, 4, 8, 16, 32, 64, 128, 255, 10, 11, 12, 13, 14, 15, 16, 17};
void setup() {}
void loop() {
    if (buttonPressed()) {
        ACTIONS
    }
}
"""


@pytest.mark.parametrize(
    ("actions", "payload"),
    [
        ("sendDatagramOnFace(data, 1, 2);", bytes([1])),
        ("sendDatagramOnFace(data, 16, 2);", bytes([1, 2, 4, 8, 16, 32, 64, 128, 255, *range(10, 17)])),
        ("sendDatagramOnFace(data, 17, 2);", None),
        ("sendDatagramOnFace(data, 0, 2);", None),
        ("sendDatagramOnFace(data, 3, 2); sendDatagramOnFace(data, 0, 2);", None),
        ("sendDatagramOnFace(data, 3, 2); sendDatagramOnFace(data, 17, 2);", bytes([1, 2, 4])),
        ("sendDatagramOnFace(data, 3, 2); sendDatagramOnFace(data + 8, 1, 2); data[8] = 0;", b"\xff"),
    ],
)
def test_sending_datagrams(actions: str, payload: bytes | None) -> None:
    """A datagram goes out once, on its face, copied when given; the latest one wins, an empty one cancels."""
    lone = Lone(build_sketch(SENDER.replace("ACTIONS", actions)))
    lone.start()
    since = lone.now_ms
    lone.press(60)
    lone.run_ms(600)
    long = [(packet.face, packet.data) for packet in lone.heard(since) if len(packet.data) > 2]
    assert long == ([] if payload is None else [(2, datagram(payload))])
    assert {packet.face for packet in lone.heard(since)} == set(range(6))


def test_a_press_is_passed_on() -> None:
    """After a press every face carries the stay-awake bit once; a second press within 2 s does not."""
    lone = Lone(build_sketch(IDLE))
    lone.start()
    lone.run_ms(2000)  # the lockout timer starts as if at 0
    for pause_ms, count in [(800, 1), (2000, 0), (800, 1)]:
        since = lone.now_ms
        lone.press(60)
        lone.run_ms(pause_ms)
        for face in range(6):
            seen = [packet.data for packet in lone.heard(since) if packet.face == face]
            assert seen.count(bytes([0x37, encoded(0x40)])) == count, (face, seen)
            assert seen.count(bytes([0x37, encoded(0)])) == len(seen) - count


def test_a_received_stay_awake_bit_is_passed_on() -> None:
    """A received stay-awake bit marks every face and postpones the BIOS's sleep; its echo does not repeat."""
    sleep_time = 0x0131 + 5
    lone = Lone(build_sketch(IDLE))
    lone.start()
    lone.run_ms(2500)
    for wait_ms, count in [(700, 1), (2500, 0), (700, 1)]:
        lone.chip.write(sleep_time, (600_000).to_bytes(4, "little"))
        since = lone.now_ms
        lone.receive(1, bytes([0x37, encoded(0x40 | 5)]))
        lone.run_ms(wait_ms)
        flagged = [packet.face for packet in lone.heard(since) if packet.data[1] & 0x40]
        assert sorted(flagged) == sorted([*range(6)] * count)
        left = int.from_bytes(lone.chip.read(sleep_time, 4), "little")
        assert left > 660_000
