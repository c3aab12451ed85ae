"""From the pulses of a face to what it sent, by the gaps between their leading edges, as a receiver does."""

from __future__ import annotations

from dataclasses import dataclass, field

PS_PER_US = 1_000_000

# Gaps are 194 us for a one, 476 us for a zero, 758 us for a sync, give or take what interrupts of the sender
# and the 128 us between samples of the receiver do; the limits lie halfway. After nine empty samples a
# receiver gives up.
_ONE_BELOW_PS = 335 * PS_PER_US
_ZERO_BELOW_PS = 617 * PS_PER_US
_SYNC_BELOW_PS = 960 * PS_PER_US
SILENCE_PS = 1152 * PS_PER_US

_BITS_MAX = 8 * 64  # more than any receiver takes: whoever sends on and on does not send packets


@dataclass(frozen=True, slots=True)
class Sent:
    """Give what a face sent from its first to its last pulse (leading edges, picoseconds).

    `data` are its bytes. `kind` is "" for a packet, else "broken", "noise" or "cut"; then `problem` says why.
    """

    start_ps: int
    end_ps: int
    data: bytes
    kind: str = ""
    problem: str = ""


@dataclass(slots=True)
class Reader:
    """Read the light of one face. Feed it leading edges; it is `active` while more may belong to the last."""

    active: bool = False
    start_ps: int = 0
    last_ps: int = 0
    _pulses: int = 0
    _bits: list[int] | None = field(default=None)

    def pulse(self, at_ps: int) -> Sent | None:
        """Take a pulse; return what it ends. What ended before, `silence` returns: ask it first."""
        gap, self.last_ps = at_ps - self.last_ps, at_ps
        if not self.active:
            self._begin(at_ps, None)
            return None
        self._pulses += 1
        if gap < _ZERO_BELOW_PS:
            return self._bit(1 if gap < _ONE_BELOW_PS else 0)
        if gap >= _SYNC_BELOW_PS:
            ended = self._end(*self._problem())
            self._begin(at_ps, None)
            return ended
        if not self._bits:  # the sync that starts a packet
            self._bits = []
            return None
        if len(self._bits) % 8 == 0:
            return self._end("", "")
        ended = self._end("broken", f"a sync after {len(self._bits)} bits")
        self._begin(at_ps, [])
        return ended

    def silence(self, now_ps: int) -> Sent | None:
        """Return what has ended because no light came for too long."""
        if not self.active or now_ps - self.last_ps < SILENCE_PS:
            return None
        return self._end(*self._problem())

    def stop(self) -> Sent | None:
        """Return what is under way, as nobody will watch its end."""
        return self._end("cut", "still under way") if self.active else None

    def _bit(self, bit: int) -> Sent | None:
        if self._bits is None:
            return None
        self._bits.append(bit)
        return self._end("broken", "no end in sight") if len(self._bits) > _BITS_MAX else None

    def _begin(self, at_ps: int, bits: list[int] | None) -> None:
        self.active, self.start_ps, self._pulses, self._bits = True, at_ps, 1, bits

    def _problem(self) -> tuple[str, str]:
        if self._bits is None:
            return "noise", f"{self._pulses} pulse{'s' * (self._pulses > 1)} without a sync"
        return "broken", f"silence after {len(self._bits)} bits"

    def _end(self, kind: str, problem: str) -> Sent:
        bits = self._bits or []
        whole = [bits[at : at + 8] for at in range(0, len(bits) - 7, 8)]
        data = bytes(sum(bit << n for n, bit in enumerate(octet)) for octet in whole)
        self.active = False
        return Sent(self.start_ps, self.last_ps, data, kind, problem)
