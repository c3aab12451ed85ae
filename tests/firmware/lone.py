"""A tile by itself on the bench: its packets are read from its light, others are put into its RAM."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from blinks_sim import Image
from blinks_sim.core import FACES, Chip, ResetCause

OSC_PER_MS = 8000
FACE_BLOCK, FACE_BYTES = 0x014D, 50  # in the shared RAM; offsets: 0 ready, 2 length, 3 packet

# Limits between the gaps of a one (194 µs), a zero (476 µs) and a sync (758 µs); beyond: silence.
_ONE_BELOW_US, _ZERO_BELOW_US, _SYNC_BELOW_US = 335, 617, 1000


@dataclass(frozen=True, slots=True)
class Packet:
    """Give a packet seen on a face, header first; `end_ms` is the leading edge of its last pulse."""

    end_ms: float
    face: int
    data: bytes


class Reader:
    """Turn the leading edges of the pulses of one face into packets."""

    def __init__(self, face: int) -> None:
        self._face = face
        self._last_us: float | None = None
        self._bits: list[int] | None = None

    def pulse(self, at_us: float) -> Packet | None:
        """Take a pulse; return the packet it ends."""
        gap = None if self._last_us is None else at_us - self._last_us
        self._last_us = at_us
        if gap is None or gap >= _SYNC_BELOW_US:
            self._bits = None
        elif gap >= _ZERO_BELOW_US:
            bits, self._bits = self._bits, []
            if bits and len(bits) % 8 == 0:
                self._bits = None
                octets = [bits[at : at + 8] for at in range(0, len(bits), 8)]
                data = bytes(sum(bit << n for n, bit in enumerate(octet)) for octet in octets)
                return Packet(at_us / 1000, self._face, data)
        elif self._bits is not None:
            self._bits.append(1 if gap < _ONE_BELOW_US else 0)
        return None


class Lone:
    """Put a chip with an image on the bench and switch it on; its clock runs at exactly 8 MHz."""

    def __init__(self, image: Image, serial: bytes = bytes(9), seed: int = 1) -> None:
        self.chip = Chip(seed=seed, serial=serial)
        self.chip.load_flash(image.flash)
        self.chip.reset(ResetCause.POWER_ON)
        self.packets: list[Packet] = []
        self.text = ""
        self._readers = [Reader(face) for face in range(FACES)]
        self._lit = 0

    @property
    def now_ms(self) -> float:
        """Milliseconds since it was switched on."""
        return self.chip.osc / OSC_PER_MS

    def run_ms(self, duration_ms: float) -> None:
        """Let it run, and note its packets and text."""
        end = self.chip.osc + round(duration_ms * OSC_PER_MS)
        while self.chip.osc < end:
            self.chip.run_until_osc(min(end, self.chip.osc + 100 * OSC_PER_MS))
            self._note(self.chip.pulses())
            self.text += self.chip.take_serial().decode("latin-1")
        assert self.chip.fault is None

    def _note(self, edges: Iterable[tuple[int, int]]) -> None:
        for osc, lit in edges:
            for face in range(FACES):
                if lit & ~self._lit & 1 << face:
                    packet = self._readers[face].pulse(osc * 1000 / OSC_PER_MS)
                    if packet is not None:
                        self.packets.append(packet)
            self._lit = lit

    def start(self) -> None:
        """Let it run until its sketch has surely begun."""
        self.run_ms(1000)

    def press(self, down_ms: float) -> None:
        """Press the button for so long."""
        self.chip.press()
        self.run_ms(down_ms)
        self.chip.release()

    def receive(self, face: int, data: bytes) -> None:
        """Put a packet, header first, where the BIOS leaves one it has received."""
        block = FACE_BLOCK + FACE_BYTES * face
        assert self.chip.read(block) == b"\0", "the last one has not been read"
        self.chip.write(block + 2, bytes([len(data)]) + data)
        self.chip.write(block, b"\1")

    def heard(self, since_ms: float = 0) -> list[Packet]:
        """Return the packets that ended after a time."""
        return [packet for packet in self.packets if packet.end_ms > since_ms]
