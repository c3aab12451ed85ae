"""One ATmega168PB with its board."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .library import EEPROM_BYTES, FACES, FLASH_BYTES, ffi, lib

SHIPPED_FUSES = (0x62, 0xDF, 0xF8)  # low, high, extended
MAX_SKEW_PPM = 200_000

_DATA_BYTES = 0x0500  # registers, I/O and RAM
_SPACES = {lib.BC_SPACE_DATA: _DATA_BYTES, lib.BC_SPACE_FLASH: FLASH_BYTES, lib.BC_SPACE_EEPROM: EEPROM_BYTES}
_EVENTS_AT_ONCE = 4096


class Sleep(IntEnum):
    """Name the sleep modes of the part that a chip can be in."""

    AWAKE = 0
    IDLE = 1
    ADC_QUIET = 2
    POWER_DOWN = 3


class FaultKind(IntEnum):
    """Name what stops a chip: illegal opcode, PC or stack outside memory, use of flash being written."""

    OPCODE = 1
    PC = 2
    STACK = 3
    RWW = 4


class ResetCause(IntEnum):
    """Name the causes of a reset, by their bits in MCUSR."""

    POWER_ON = 1
    EXTERNAL = 2
    WATCHDOG = 8


class Watch(IntFlag):
    """Name what can be watched while a chip runs: its IR light, its PORTx and DDRx, the code it runs."""

    LIGHT = 1
    PORTS = 2
    CODE = 4


# One thing that was watched. `ps`: when, on the table's time (alone: the chip's own). LIGHT: `value` is the
# mask of the faces lit from then on. PORTS: `where` is the data address of PORTx or DDRx, `value` its new
# content. CODE: the instruction at the mark is about to run.
EVENT = np.dtype(
    {
        "names": ["ps", "kind", "where", "value"],
        "formats": ["<u8", "u1", "u1", "u1"],
        "offsets": [0, 8, 9, 10],
        "itemsize": 16,
    }
)


@dataclass(frozen=True, slots=True)
class CodeCount:
    """Count what ran where since code was watched: arrays by word of flash, and the lowest SP seen.

    `cycles` were spent in the instruction at each word, `runs` is how often it ran. Shape (8192,) each.
    """

    cycles: NDArray[np.uint64]
    runs: NDArray[np.uint64]
    lowest_sp: int


@dataclass(frozen=True, slots=True)
class Fault:
    """Tell why a chip stands still.

    `pc` is the byte address of the instruction; `word` the opcode found, or what the stack pointer held.
    """

    kind: FaultKind
    pc: int
    word: int


@dataclass(frozen=True, slots=True)
class Status:
    """Give the state of a chip at one moment; bit f of the `ir_…` masks is face f."""

    cycles: int
    osc: int
    pc: int
    sp: int
    sreg: int
    sleep: Sleep
    fault: Fault | None
    ir_emitting: int
    ir_charged: int
    ir_lit: int
    resets: int


class Chip:
    """Make one ATmega168PB on a Blink's board, powered on, its flash erased.

    `seed` decides all chance of this chip; `skew_ppm` is how many millionths its oscillator runs faster than
    8 MHz (at most ±200,000); `serial` are the nine bytes at data addresses 0xF0–0xF8; `fuses` are low, high,
    extended. Times count oscillator cycles ("osc") since power-on; `cycles` counts those of the CPU, which
    CLKPR slows down.

    Raises:
        ValueError: an argument is out of range.
        MemoryError: no memory for another chip.
    """

    def __init__(
        self,
        seed: int = 1,
        skew_ppm: int = 0,
        battery_mv: int = 3000,
        serial: bytes = bytes(9),
        fuses: tuple[int, int, int] = SHIPPED_FUSES,
    ) -> None:
        if len(serial) != 9:
            raise ValueError(f"a serial number has 9 bytes, not {len(serial)}")
        if abs(skew_ppm) > MAX_SKEW_PPM:
            raise ValueError(f"skew_ppm {skew_ppm} is outside ±{MAX_SKEW_PPM}")
        config = ffi.new("bc_config *")
        config.seed, config.skew_ppm, config.battery_mv = seed, skew_ppm, battery_mv
        config.serial[0:9] = list(serial)
        config.fuse_low, config.fuse_high, config.fuse_extended = fuses
        made = lib.bc_tile_new(config)
        if made == ffi.NULL:
            raise MemoryError("no memory for another chip")
        # None once a table has freed it: cffi then refuses every call.
        self._tile: Any = ffi.gc(made, lib.bc_tile_free)
        self._owner: object = None  # the table it lies on, which must not go before it
        self._battery_mv = battery_mv

    # Running --------------------------------------------------------------------------------------

    def reset(self, cause: ResetCause = ResetCause.EXTERNAL) -> None:
        """Reset the chip; a fault is cleared."""
        lib.bc_tile_reset(self._tile, int(cause))

    def step(self, count: int = 1) -> None:
        """Run instructions; entering an interrupt counts as one, and so does sleep until the next event."""
        for _ in range(count):
            lib.bc_tile_step(self._tile)

    def run_until_osc(self, osc: int) -> None:
        """Run alone to the first instruction boundary at or after an oscillator time."""
        lib.bc_tile_run(self._tile, osc)

    def run_cycles(self, cycles: int) -> None:
        """Step until at least so many more CPU cycles have run; stop early at a fault or in endless sleep."""
        status = self.status()
        end = status.cycles + cycles
        while status.cycles < end and status.fault is None:
            lib.bc_tile_step(self._tile)
            before, status = status, self.status()
            if status.osc == before.osc:
                return

    def set_skip(self, on: bool) -> None:
        """Choose whether spin loops are skipped to the next event (default on); no result depends on it."""
        lib.bc_tile_set_skip(self._tile, int(on))

    # State ----------------------------------------------------------------------------------------

    def status(self) -> Status:
        """Return everything about the CPU but its memories."""
        raw = ffi.new("bc_status *")
        lib.bc_tile_status(self._tile, raw)
        fault = Fault(FaultKind(raw.fault), raw.fault_pc, raw.fault_word) if raw.fault else None
        return Status(
            cycles=raw.cycles,
            osc=raw.osc,
            pc=raw.pc,
            sp=raw.sp,
            sreg=raw.sreg,
            sleep=Sleep(raw.sleep),
            fault=fault,
            ir_emitting=raw.ir_emitting,
            ir_charged=raw.ir_charged,
            ir_lit=raw.ir_lit,
            resets=raw.resets,
        )

    @property
    def pc(self) -> int:
        """Byte address of the next instruction; settable."""
        return self.status().pc

    @pc.setter
    def pc(self, byte_address: int) -> None:
        lib.bc_tile_set_pc(self._tile, byte_address)

    @property
    def sp(self) -> int:
        """Stack pointer; settable."""
        return self.status().sp

    @sp.setter
    def sp(self, address: int) -> None:
        self.write(0x5D, address.to_bytes(2, "little"))

    @property
    def sreg(self) -> int:
        """Status register; settable."""
        return self.status().sreg

    @sreg.setter
    def sreg(self, value: int) -> None:
        self.write(0x5F, bytes([value]))

    @property
    def cycles(self) -> int:
        """CPU cycles run since power-on."""
        return self.status().cycles

    @property
    def osc(self) -> int:
        """Oscillator cycles since power-on."""
        return self.status().osc

    @property
    def fault(self) -> Fault | None:
        """Why the chip stands still, or None while it runs."""
        return self.status().fault

    @property
    def sleep(self) -> Sleep:
        """Sleep mode the chip is in."""
        return self.status().sleep

    def reg(self, number: int) -> int:
        """Return a general register, 0–31."""
        return self.read(_register(number))[0]

    def set_reg(self, number: int, value: int) -> None:
        """Set a general register, 0–31."""
        self.write(_register(number), bytes([value]))

    # Memories -------------------------------------------------------------------------------------

    def read(self, address: int, length: int = 1) -> bytes:
        """Return bytes of the data space; registers are seen without the side effects of reading them."""
        return self._read(lib.BC_SPACE_DATA, address, length)

    def write(self, address: int, data: bytes) -> None:
        """Write bytes to the data space."""
        self._write(lib.BC_SPACE_DATA, address, data)

    def flash(self, address: int = 0, length: int = FLASH_BYTES) -> bytes:
        """Return bytes of program memory, by byte address."""
        return self._read(lib.BC_SPACE_FLASH, address, length)

    def load_flash(self, data: bytes, at: int = 0) -> None:
        """Write program memory as a programmer does, at a byte address. The chip is not reset."""
        self._write(lib.BC_SPACE_FLASH, at, data)

    def eeprom(self, address: int = 0, length: int = EEPROM_BYTES) -> bytes:
        """Return bytes of the EEPROM."""
        return self._read(lib.BC_SPACE_EEPROM, address, length)

    def load_eeprom(self, data: bytes, at: int = 0) -> None:
        """Write the EEPROM as a programmer does."""
        self._write(lib.BC_SPACE_EEPROM, at, data)

    def _read(self, space: int, address: int, length: int) -> bytes:
        _check_range("read", space, address, length)
        room = ffi.new("uint8_t[]", length)
        if lib.bc_tile_read(self._tile, space, address, room, length) != length:
            raise MemoryError("no memory to look at registers")
        return bytes(ffi.buffer(room, length))

    def _write(self, space: int, address: int, data: bytes) -> None:
        _check_range("write", space, address, len(data))
        lib.bc_tile_write(self._tile, space, address, bytes(data), len(data))

    # Board ----------------------------------------------------------------------------------------

    def press(self) -> None:
        """Push the button down."""
        lib.bc_tile_button(self._tile, 1)

    def release(self) -> None:
        """Let the button go."""
        lib.bc_tile_button(self._tile, 0)

    @property
    def battery_mv(self) -> int:
        """Battery voltage in millivolts; settable."""
        return self._battery_mv

    @battery_mv.setter
    def battery_mv(self, millivolts: int) -> None:
        lib.bc_tile_set_battery(self._tile, millivolts)
        self._battery_mv = millivolts

    def light(self) -> NDArray[np.float32]:
        """Return the light of the last complete frame, shape (6, 3): linear RGB, 1.0 is full level."""
        light = np.empty((FACES, 3), dtype=np.float32)
        lib.bc_tile_light(self._tile, ffi.from_buffer("float[18]", light))
        return light

    def shine(self, face: int, on: bool) -> None:
        """Shine infrared light on a face of a chip that is alone, or stop."""
        lib.bc_tile_light_in(self._tile, face, int(on))

    def pulses(self, room: int = 65536) -> list[tuple[int, int]]:
        """Take the edges of a lone chip's own IR light since last asked: (osc, mask of lit faces)."""
        times, masks = ffi.new("uint64_t[]", room), ffi.new("uint8_t[]", room)
        count = lib.bc_tile_pulses(self._tile, times, masks, room)
        return [(times[index], masks[index]) for index in range(count)]

    def take_serial(self) -> bytes:
        """Take the bytes that the chip has sent on its serial port since last asked."""
        room = ffi.new("uint8_t[4096]")
        taken = bytearray()
        while count := lib.bc_tile_serial_take(self._tile, room, 4096):
            taken += ffi.buffer(room, count)
        return bytes(taken)

    def give_serial(self, data: bytes, baud: int = 1_000_000) -> int:
        """Queue bytes for the chip's serial input; return how many fitted."""
        return int(lib.bc_tile_serial_give(self._tile, bytes(data), len(data), baud))

    # Watching -------------------------------------------------------------------------------------

    def watch(self, kinds: Watch) -> None:
        """Choose what is watched from now on. No result depends on it; counting code costs speed."""
        lib.bc_tile_watch(self._tile, int(kinds))

    def mark(self, address: int) -> None:
        """Note an event whenever the instruction at a byte address of flash runs, while code is watched."""
        lib.bc_tile_mark(self._tile, address)

    def events(self) -> NDArray[np.void]:
        """Take what was watched since last asked, oldest first: an array of `EVENT`."""
        parts = []
        while True:
            part = np.zeros(_EVENTS_AT_ONCE, dtype=EVENT)
            count = lib.bc_tile_events(self._tile, ffi.from_buffer("bc_event[]", part), len(part))
            parts.append(part[:count])
            if count < len(part):
                return np.concatenate(parts)

    def code_count(self) -> CodeCount | None:
        """Return what ran since code was watched; None where it is not."""
        cycles, runs = np.empty(FLASH_BYTES // 2, np.uint64), np.empty(FLASH_BYTES // 2, np.uint64)
        lowest = ffi.new("uint16_t *")
        room = (ffi.from_buffer("uint64_t[]", cycles), ffi.from_buffer("uint64_t[]", runs), lowest)
        return CodeCount(cycles, runs, lowest[0]) if lib.bc_tile_profile(self._tile, *room) else None

    # Keeping --------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Return the whole state of the chip."""
        room = ffi.new("uint8_t[]", lib.bc_tile_state_bytes())
        lib.bc_tile_save(self._tile, room)
        return bytes(ffi.buffer(room))

    def restore(self, state: bytes) -> None:
        """Return to a saved state of this chip.

        Raises:
            ValueError: the state was not saved by this version of the core.
        """
        if len(state) != lib.bc_tile_state_bytes():
            raise ValueError(f"a state has {lib.bc_tile_state_bytes()} bytes, not {len(state)}")
        lib.bc_tile_restore(self._tile, state)

    def digest(self) -> int:
        """Return a 64-bit hash of the whole state."""
        return int(lib.bc_tile_digest(self._tile))


def _check_range(what: str, space: int, address: int, length: int) -> None:
    """Refuse an access that would end, or begin, outside a memory, before any of it is done."""
    end = _SPACES[space]
    if length < 0 or not 0 <= address <= end - length:
        raise ValueError(f"cannot {what} {length} bytes at {address:#06x}: memory is {end:#06x} bytes")


def _register(number: int) -> int:
    if not 0 <= number < 32:
        raise ValueError(f"there is no register r{number}")
    return number
