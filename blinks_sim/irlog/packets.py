"""What the bytes of a packet mean: values and datagrams of the sketch's library, packets of the BIOS."""

from __future__ import annotations

from dataclasses import dataclass

PACKET_MAX = 40
USER = 0x37

_VALUE_BITS, _STAY_AWAKE = 0x3F, 0x40
_DATAGRAM = 0x2A
_DATAGRAM_MAX = 16
_SLEEP, _WAKE = b"\x15\x15", b"\x33\x33"
_CHECKSUM_TOTAL = 0xD2
_BIOS = {0x0B: ("SEED", 4), 0x5D: ("PULL", 3), 0xDB: ("PUSH", 35), 0xE8: ("GO", 2)}
_PIECES = 184


@dataclass(frozen=True, slots=True)
class Meaning:
    """Say what a packet is: its kind, what is wrong with it, and a text for people.

    `kind` is "value", "datagram", "sleep", "wake" or "user" for what sketches send, "SEED", "PULL", "PUSH" or
    "GO" for what a BIOS sends, else "unknown". Faults are "parity", "checksum" and "length".
    """

    kind: str
    faults: tuple[str, ...]
    text: str


def meaning(data: bytes) -> Meaning:
    """Return what a packet is, header first, at least one byte."""
    header = data[0]
    if header in _BIOS:
        return _bios(data, *_BIOS[header])
    if header != USER:
        return Meaning("unknown", (), f"unknown header {header:02X}")
    return _user(data[1:])


def _bios(data: bytes, kind: str, length: int) -> Meaning:
    if len(data) != length:
        return Meaning(kind, ("length",), f"{len(data)} bytes instead of {length}")
    faults = () if sum(data) & 0xFF == _CHECKSUM_TOTAL else ("checksum",)
    match kind:
        case "SEED":
            text = f"offers a game of sum {data[1] | data[2] << 8:04X}"
        case "PULL":
            text = _pull(data[1])
        case "PUSH":
            text = f"piece {data[33]}"
        case _:
            text = "start"
    return Meaning(kind, faults, text)


def _pull(piece: int) -> str:
    if piece < _PIECES:
        return f"wants piece {piece}"
    known = {_PIECES: "has all pieces, its neighbors do not", _PIECES + 1: "has finished"}
    return known.get(piece, f"wants piece {piece}, which does not exist")


def _user(payload: bytes) -> Meaning:
    if not payload:
        return Meaning("user", ("length",), "no payload")
    if payload == _SLEEP:
        return Meaning("sleep", (), "go to sleep")
    if payload == _WAKE:  # its bad parity keeps tiles that are awake from taking it for more
        return Meaning("wake", (), "wake up")
    first = payload[0]
    value, awake = first & _VALUE_BITS, ", stay awake" if first & _STAY_AWAKE else ""
    faults = () if first.bit_count() & 1 else ("parity",)
    if len(payload) == 1:
        return Meaning("value", faults, f"value {value}{awake}")
    if value != _DATAGRAM:
        return Meaning("user", faults, f"{len(payload)} bytes of user data")
    content = payload[1:-1]
    if len(content) > _DATAGRAM_MAX:
        faults = (*faults, "length")
    if payload[-1] != ~sum(content) & 0xFF:
        faults = (*faults, "checksum")
    return Meaning("datagram", faults, f"datagram of {len(content)}{awake}")
