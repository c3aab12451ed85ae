"""What the tests of the core drive: a chip with a test program, its state by name, and instruction rows."""

from __future__ import annotations

from blinks_sim.core import Chip, Status

from .assembler import assemble
from .isa import decode
from .registers import ADDRESS

AT = 0x1000  # byte address of the instruction under test
PLAIN_FUSES = (0xE2, 0xDF, 0xF9)  # 8 MHz at once, reset at 0x0000
_POINTERS = {"x": 26, "y": 28, "z": 30}
_FLAGS = "CZNVSHTI"
_RAM, _RAM_END = 0x100, 0x500


def assembled_name(text: str) -> str:
    """Return the name of the instruction that a line of assembly makes."""
    row = decode(int.from_bytes(assemble(text)[:2], "little"))
    assert row is not None
    return row.name


def flags(text: str) -> int:
    """Return SREG for letters of set flags; "-" for none."""
    return sum(1 << _FLAGS.index(letter) for letter in text if letter != "-")


class Rig:
    """Hold a lone chip with a program, started at the program's origin with 8 MHz and interrupts off."""

    def __init__(
        self,
        program: str = "here: rjmp here",
        origin: int = 0,
        fuses: tuple[int, int, int] = PLAIN_FUSES,
        skip: bool = True,
        seed: int = 1,
        battery_mv: int = 3000,
        **symbols: int,
    ) -> None:
        self.chip = Chip(seed=seed, fuses=fuses, battery_mv=battery_mv, serial=b"\xb1INKSIM\x01\x02")
        self.chip.set_skip(skip)
        self.load(program, origin, **symbols)

    def load(self, program: str, origin: int = 0, **symbols: int) -> None:
        """Assemble a program into flash and point PC at its origin."""
        self.chip.load_flash(assemble(program, origin, **symbols), origin)
        self.chip.pc = origin

    # State by name

    def get(self, name: str) -> int:
        """Return a register by its datasheet name, without the side effects of reading it."""
        return self.chip.read(ADDRESS[name])[0]

    def set(self, name: str, value: int) -> None:
        """Write a register as an instruction would."""
        self.chip.write(ADDRESS[name], bytes([value]))

    def word(self, low: int) -> int:
        """Return a little-endian word of the data space."""
        return int.from_bytes(self.chip.read(low, 2), "little")

    def ram(self, address: int, length: int = 1) -> bytes:
        """Return bytes of SRAM."""
        return self.chip.read(address, length)

    @property
    def status(self) -> Status:
        return self.chip.status()

    # Running

    def step(self, count: int = 1) -> int:
        """Run so many instructions (or interrupt entries); return the cycles they took."""
        before = self.chip.cycles
        self.chip.step(count)
        return self.chip.cycles - before

    def run(self, osc: int) -> None:
        """Run so many more oscillator cycles."""
        self.chip.run_until_osc(self.chip.osc + osc)

    def run_to(self, byte_address: int, cap: int = 100_000) -> int:
        """Step until PC stands at an address; return the cycles that took; fail beyond `cap` steps."""
        before = self.chip.cycles
        for _ in range(cap):
            if self.chip.pc == byte_address:
                return self.chip.cycles - before
            self.chip.step()
        raise AssertionError(f"{byte_address:#06x} not reached; {self.status}")

    def finish(self, osc: int = 10_000_000) -> None:
        """Run until the program ends with BREAK-like `rjmp .-2` at its last word; fail if it does not."""
        limit = self.chip.osc + osc
        while self.chip.osc < limit:
            self.chip.run_until_osc(self.chip.osc + 4096)
            word = int.from_bytes(self.chip.flash(self.chip.pc, 2), "little")
            if word == 0xCFFF or self.chip.fault is not None:
                break
        assert self.chip.fault is None, self.chip.fault
        assert word == 0xCFFF, f"not finished: {self.status}"

    # Rows

    def run_row(self, text: str, before: str, changes: str) -> int:
        """Run one instruction and assert the whole state; return its cycles.

        Both states are words such as `r5=0x12`, `x=0x300` (a register pair), `m3E=1` (data space), `f401=2`
        (flash), `sreg=ZC`, `sp=0x4EE`, `pc=+4` (bytes from the instruction) or `pc=0x246`.
        """
        chip = self.chip
        self.load(text, AT)
        chip.write(0, bytes(0xA0 ^ 7 * number for number in range(32)))
        chip.write(_RAM, bytes(address * 5 & 0xFF ^ address >> 8 for address in range(_RAM, _RAM_END)))
        chip.write(0x25, b"\0")
        chip.sp, chip.sreg = 0x4F0, 0
        self._apply(before)
        expected = self._state()
        expected["pc"] = AT + 2
        row = decode(int.from_bytes(assemble(text)[:2], "little"))
        assert row is not None
        expected["pc"] = AT + 2 * row.words
        for name, value in _parse(changes):
            _put(expected, name, value)
        start = chip.cycles
        chip.step()
        cycles = chip.cycles - start
        assert chip.fault is None
        actual = self._state()
        differing = {
            key: (hex(expected[key]), hex(actual[key])) for key in actual if expected[key] != actual[key]
        }
        assert not differing, f"(expected, found) {differing}"
        return cycles

    def _apply(self, text: str) -> None:
        chip = self.chip
        for name, value in _parse(text):
            if name in _POINTERS:
                chip.write(_POINTERS[name], value.to_bytes(2, "little"))
            elif name[0] == "r":
                chip.set_reg(int(name[1:]), value)
            elif name[0] == "m":
                chip.write(int(name[1:], 16), bytes([value]))
            elif name[0] == "f":
                chip.load_flash(bytes([value]), int(name[1:], 16))
            else:
                assert name in ("sp", "sreg")
                setattr(chip, name, value)

    def _state(self) -> dict[str, int]:
        status = self.chip.status()
        state = {"pc": status.pc, "sp": status.sp, "sreg": status.sreg}
        state |= {f"r{number}": value for number, value in enumerate(self.chip.read(0, 32))}
        state |= {
            f"m{_RAM + index:X}": byte for index, byte in enumerate(self.chip.read(_RAM, _RAM_END - _RAM))
        }
        state |= {f"m{at:X}": self.chip.read(at)[0] for at in (0x25, 0x3E, 0x4A, 0x4B)}
        return state


def _put(state: dict[str, int], name: str, value: int) -> None:
    if name in _POINTERS:
        state[f"r{_POINTERS[name]}"], state[f"r{_POINTERS[name] + 1}"] = value & 0xFF, value >> 8
    else:
        assert name in state, name
        state[name] = value


def _parse(text: str) -> list[tuple[str, int]]:
    pairs = []
    for part in text.split():
        name, _, value = part.partition("=")
        if name == "sreg":
            pairs.append((name, flags(value)))
        elif name == "pc" and value[0] in "+-":
            pairs.append((name, AT + int(value)))
        else:
            pairs.append((name, int(value, 0)))
    return pairs
