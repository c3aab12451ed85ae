"""Random programs in lock step on our CPU and on libsimavr's, an outside opinion of the same instruction set.

A program is made as it runs: where PC stands for the first time a random instruction is laid down, on both
sides; where it has been before, the instruction that lies there runs again. A program ends when an
instruction would touch the I/O registers (the two parts' peripherals differ), leave SRAM or leave flash.

Where libsimavr 1.6 is wrong (data sheet or instruction set manual in brackets), so that we do not compare:
- PC does not wrap around at the start of flash (a part with 8 K words has 13 bits of PC): we compare it
  modulo flash.
- A skip over ADIW or SBIW takes some of them for two words (0x971e: `& 0xfc0f` makes a CALL of it): we end
  the program.
- SLEEP, BREAK and SPM are left out: they end or halt its run, or need a peripheral it models otherwise.
"""

from __future__ import annotations

import ctypes
import random

import pytest

from blinks_sim.core import Chip
from tests.core.isa import PATTERNS, decode

from .simavr import CpuState, SimAvr

FUSES = (0xE2, 0xDF, 0xF9)
LEFT_OUT = {"SLEEP", "BREAK", "SPM"}
SKIPS = {"CPSE", "SBRC", "SBRS", "SBIC", "SBIS"}
NAMES = sorted(set(PATTERNS) - LEFT_OUT)
"""Jumps are rarer than chance has it, or programs end before they get going."""
RARE = {"RET", "RETI", "JMP", "CALL", "RCALL", "IJMP", "ICALL", "RJMP"}
RAM = range(0x100, 0x500)
FLASH_WORDS = 0x2000
POINTER = {"X": 26, "Y": 28, "Z": 30}


def state_of(chip: Chip) -> CpuState:
    status = chip.status()
    return CpuState(chip.read(0, 32), status.sreg, status.sp, status.pc, status.cycles)


def random_words(chance: random.Random) -> list[int]:
    """Return the words of one random instruction that stays clear of I/O by its own operands."""
    while True:
        row = PATTERNS[chance.choice(NAMES)]
        if row.name in RARE and chance.random() < 0.7:
            continue
        word = row.value | chance.getrandbits(16) & ~row.mask & 0xFFFF
        moves = "+" in row.name or "-" in row.name
        if moves and word >> 4 & 0x1E == POINTER[row.name.strip("+")[-1]]:
            continue  # a pointer that is moved and loaded or stored at once: undefined by the manual
        if row.name in ("IN", "OUT"):  # SREG, SP and the general purpose registers only
            address = chance.choice([0x1E, 0x2A, 0x2B, 0x3F, 0x3F] + [0x3D, 0x3E] * (row.name == "IN"))
            word = row.encode(d=chance.randrange(32), a=address)
        if row.name in ("SBI", "CBI", "SBIS", "SBIC"):
            word = row.encode(a=0x1E, b=chance.randrange(8))
        if row.words == 1:
            return [word]
        if row.name in ("LDS", "STS"):
            return [word, chance.choice([*range(32), *RAM, 0x5F])]
        return [row.encode(k=0), chance.randrange(0x100, FLASH_WORDS)]


def is_safe(name: str, word: int, chip: Chip, state: CpuState) -> bool:
    """Tell whether an instruction in this state stays within registers, SRAM and flash."""
    if name in ("LPM", "LPM_Z", "LPM_Z+"):
        return state.registers[31] < 0x40
    if name in ("IJMP", "ICALL") and state.registers[31] >= 0x20:
        return False
    if name in ("PUSH", "RCALL", "ICALL", "CALL"):
        return state.sp in RAM and state.sp - 1 in RAM
    if name == "POP":
        return state.sp + 1 in RAM
    if name in ("RET", "RETI"):
        return state.sp + 1 in RAM and state.sp + 2 in RAM and chip.read(state.sp + 1)[0] < 0x20
    kind, _, pointer = name.partition("_")
    if kind in ("LD", "ST", "LDD", "STD"):
        base = POINTER[pointer.strip("+-")]
        at = state.registers[base] | state.registers[base + 1] << 8
        if kind in ("LDD", "STD"):
            at += word & 7 | word >> 7 & 0x18 | word >> 8 & 0x20
        return at - (pointer[0] == "-") in RAM
    return True


def seeded_state(chance: random.Random) -> CpuState:
    registers = bytearray(chance.randbytes(32))
    for pair in POINTER.values():
        registers[pair + 1] = chance.choice([1, 2, 3, 4])
    return CpuState(bytes(registers), chance.getrandbits(8), chance.randrange(0x200, 0x4F0), 0, 0)


def difference(ours: CpuState, theirs: CpuState) -> str:
    parts = [f"r{n}: {a:#04x} / {b:#04x}" for n, (a, b) in enumerate(zip(ours.registers, theirs.registers, strict=True)) if a != b]  # fmt: skip # noqa: E501
    parts += [
        f"{field}: {getattr(ours, field):#x} / {getattr(theirs, field):#x}"
        for field in ("sreg", "sp", "pc", "cycle")
        if getattr(ours, field) != getattr(theirs, field)
    ]
    return ", ".join(parts)


def run_program(door: ctypes.CDLL, seed: int, steps: int, seen: set[str]) -> None:
    chance = random.Random(seed)
    chip, other = Chip(fuses=FUSES), SimAvr(door)
    memory = chance.randbytes(len(RAM))
    start = seeded_state(chance)
    chip.write(RAM.start, memory)
    other.write(RAM.start, memory)
    other.set_state(start)
    chip.write(0, start.registers)
    chip.sp, chip.sreg, chip.pc = start.sp, start.sreg, start.pc
    flash: dict[int, int] = {}
    clock = other.state().cycle - chip.cycles
    state = start
    for step in range(steps):
        at = state.pc // 2
        if at not in flash:
            words = random_words(chance)
            while (
                not is_safe(decode(words[0]).name, words[0], chip, state) or at + len(words) > FLASH_WORDS - 2
            ):
                words = random_words(chance)
            for index, word in enumerate(words):
                flash[at + index] = word
                chip.load_flash(word.to_bytes(2, "little"), 2 * (at + index))
                other.load_flash(word.to_bytes(2, "little"), 2 * (at + index))
        row = decode(flash[at])
        if row is None or row.name in LEFT_OUT or not is_safe(row.name, flash[at], chip, state):
            break
        following = decode(flash.get(at + 1, 0xFFFF))
        if row.name in SKIPS and following is not None and following.name in ("ADIW", "SBIW"):
            break
        chip.step()
        other.step()
        seen.add(row.name)
        theirs = other.state()
        wrapped = theirs.pc >= 2 * FLASH_WORDS
        theirs = CpuState(
            theirs.registers, theirs.sreg, theirs.sp, theirs.pc % (2 * FLASH_WORDS), theirs.cycle - clock
        )
        ours = state_of(chip)
        assert ours == theirs, (
            f"seed {seed}, step {step}, {state.pc:#06x}: {row.name} {flash[at]:04x} from {state}:"
            f" ours / simavr: {difference(ours, theirs)}"
        )
        state = ours
        if wrapped or state.pc // 2 >= FLASH_WORDS - 4:
            break
    assert chip.read(RAM.start, len(RAM)) == other.read(RAM.start, len(RAM)), f"seed {seed}: SRAM differs"
    other.close()


def test_random_programs(simavr_door: ctypes.CDLL):
    """Registers, SREG, SP, PC and cycles agree after each instruction, SRAM at the end."""
    seen: set[str] = set()
    for seed in range(120):
        run_program(simavr_door, seed, 150, seen)
    assert seen == set(NAMES)


@pytest.mark.long
def test_many_random_programs(simavr_door: ctypes.CDLL):
    """The same, for longer."""
    seen: set[str] = set()
    for seed in range(1000, 2000):
        run_program(simavr_door, seed, 400, seen)
    assert seen == set(NAMES)
