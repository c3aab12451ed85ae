"""libsimavr's atmega168p as an object, through the small C file beside this one, compiled on first use."""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")


class _State(ctypes.Structure):
    _fields_ = [
        ("registers", ctypes.c_uint8 * 32),
        ("sreg", ctypes.c_uint8),
        ("sp", ctypes.c_uint16),
        ("pc", ctypes.c_uint32),
        ("cycle", ctypes.c_uint64),
    ]


class _Output(ctypes.Structure):
    _fields_ = [("count", ctypes.c_uint32), ("bytes", ctypes.c_uint8 * 4096)]


@dataclass(frozen=True, slots=True)
class CpuState:
    """Hold what the two simulators are compared by; pc in bytes."""

    registers: bytes
    sreg: int
    sp: int
    pc: int
    cycle: int


def build(compiler: str, folder: Path) -> ctypes.CDLL:
    """Compile the door into a folder and open it."""
    library = folder / "simavr_door.so"
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-lsimavr", "-Wl,--no-undefined"]
    subprocess.run(command, check=True)
    door = ctypes.CDLL(str(library))
    door.simavr_new.restype = ctypes.c_void_p
    for name in ("free", "flash", "get", "set", "read", "write", "step", "run", "listen"):
        getattr(door, f"simavr_{name}").restype = None
    return door


class SimAvr:
    """Make one atmega168p at reset, flash erased, 8 MHz; PC starts at 0."""

    def __init__(self, door: ctypes.CDLL) -> None:
        self._door = door
        self._avr = ctypes.c_void_p(door.simavr_new())
        assert self._avr, "libsimavr has no atmega168p"
        self._output = _Output()

    def listen(self) -> None:
        """Keep from now on what the program sends through USART0."""
        self._door.simavr_listen(self._avr, ctypes.byref(self._output))

    def sent(self) -> bytes:
        """Return the bytes sent since `listen`, at most 4,096."""
        return bytes(self._output.bytes[: self._output.count])

    def close(self) -> None:
        """Free it."""
        self._door.simavr_free(self._avr)

    def load_flash(self, data: bytes, at: int = 0) -> None:
        """Write program memory."""
        self._door.simavr_flash(self._avr, ctypes.c_uint32(at), data, ctypes.c_uint32(len(data)))

    def state(self) -> CpuState:
        """Return the CPU's registers."""
        raw = _State()
        self._door.simavr_get(self._avr, ctypes.byref(raw))
        return CpuState(bytes(raw.registers), raw.sreg, raw.sp, raw.pc, raw.cycle)

    def set_state(self, state: CpuState) -> None:
        """Set the CPU's registers; the cycle count goes on."""
        raw = _State((ctypes.c_uint8 * 32)(*state.registers), state.sreg, state.sp, state.pc, 0)
        self._door.simavr_set(self._avr, ctypes.byref(raw))

    def read(self, at: int, length: int = 1) -> bytes:
        """Return bytes of the data space as they are stored."""
        room = ctypes.create_string_buffer(length)
        self._door.simavr_read(self._avr, ctypes.c_uint16(at), room, ctypes.c_uint16(length))
        return room.raw

    def write(self, at: int, data: bytes) -> None:
        """Store bytes in the data space, without the effects of a register."""
        self._door.simavr_write(self._avr, ctypes.c_uint16(at), data, ctypes.c_uint16(len(data)))

    def step(self) -> None:
        """Run one instruction."""
        self._door.simavr_step(self._avr)

    def run_until(self, cycle: int) -> None:
        """Run to the first instruction boundary at or after a cycle."""
        self._door.simavr_run(self._avr, ctypes.c_uint64(cycle))
