"""The door to the compiled core: one chip alone, and the raw table of chips."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from blinks_sim import core
from blinks_sim.core import Chip, ChipTable, Fault, FaultKind, ResetCause, Sleep, library
from blinks_sim.errors import BlinksError

from .programs import CHATTER, FAULTY, IDLE, TALKER


def chip_with(image, **config) -> Chip:
    chip = Chip(**config)
    chip.load_flash(image.flash)
    chip.reset(ResetCause.POWER_ON)
    return chip


def test_a_missing_library_says_how_to_build_it(tmp_path: Path):
    """Without the compiled core the error names the folder and the commands."""
    with pytest.raises(BlinksError, match=r"compiled core is missing; run 'pip install \.'.*'make core'"):
        core.library_path(tmp_path)


def test_the_library_has_all_that_the_header_declares():
    """Every function of api.h is there."""
    declared = set(re.findall(r"\b(bc_\w+)\(", Path(core.__file__).with_name("api.h").read_text("utf-8")))
    assert {"bc_tile_run", "bc_table_run", "bc_decode_name"} <= declared
    assert [name for name in sorted(declared) if not hasattr(library.lib, name)] == []


def test_constants_are_those_of_the_header():
    """Sizes come from api.h."""
    assert (core.FACES, core.FLASH_BYTES, core.EEPROM_BYTES) == (6, 16384, 512)
    assert core.QUANTUM_PS == 100_000_000
    assert 0 < core.chip_bytes() <= 150_000


def test_a_new_chip_is_erased_and_at_its_reset_vector():
    """Fuses as shipped start at 0x3800 with flash and EEPROM erased."""
    chip = Chip()
    assert chip.flash() == b"\xff" * 16384
    assert chip.eeprom() == b"\xff" * 512
    assert (chip.pc, chip.cycles, chip.osc, chip.sleep, chip.fault) == (0x3800, 0, 0, Sleep.AWAKE, None)


def test_memories_keep_what_is_written():
    """RAM, flash, EEPROM and general registers read back what was put there."""
    chip = Chip()
    chip.write(0x0100, b"ram")
    chip.load_flash(b"flash", at=0x1234)
    chip.load_eeprom(b"eeprom", at=500)
    chip.set_reg(17, 0xA5)
    chip.sp, chip.sreg, chip.pc = 0x0345, 0x82, 0x0200
    assert chip.read(0x0100, 3) == b"ram"
    assert chip.flash(0x1234, 5) == b"flash"
    assert chip.eeprom(500, 6) == b"eeprom"
    assert (chip.reg(17), chip.sp, chip.sreg, chip.pc) == (0xA5, 0x0345, 0x82, 0x0200)


@pytest.mark.parametrize("address", [0x4FF, 0x500, 0x10000, 0xFFFFFFFF])
def test_memory_ends(address: int):
    """Reading or writing beyond a memory is refused, not cut short."""
    chip = Chip()
    with pytest.raises(ValueError, match="cannot read 2 bytes"):
        chip.read(address, 2)
    with pytest.raises(ValueError, match="cannot write 2 bytes"):
        chip.write(address, b"ab")


def test_there_are_32_registers():
    """A register beyond r31 is refused."""
    with pytest.raises(ValueError, match="no register r32"):
        Chip().reg(32)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"serial": b"123"}, "9 bytes, not 3"),
        ({"skew_ppm": 200_001}, "200001 is outside"),
    ],
)
def test_a_chip_that_cannot_be(config, message):
    """Impossible configurations are refused."""
    with pytest.raises(ValueError, match=message):
        Chip(**config)


def test_the_serial_number_is_readable():
    """Its nine bytes lie at data addresses 0xF0 to 0xF8."""
    assert Chip(serial=b"ABCDEFGHI").read(0xF0, 9) == b"ABCDEFGHI"


def test_steps_and_runs_count_cycles():
    """RJMP takes two cycles; at reset the clock is divided by eight."""
    chip = chip_with(IDLE)
    chip.set_skip(False)
    chip.step(5)
    assert (chip.cycles, chip.osc, chip.pc) == (10, 80, 0x3800)
    chip.run_cycles(7)
    assert chip.cycles == 18
    chip.run_until_osc(8000)
    assert chip.osc == 8000


def test_a_fault_stops_the_chip_until_reset():
    """An illegal opcode is told with its address and word; the chip stands still until reset."""
    chip = chip_with(FAULTY)
    chip.step(3)
    assert chip.fault == Fault(FaultKind.OPCODE, pc=0x3802, word=0xFFFF)
    stopped = chip.cycles
    chip.run_cycles(1000)
    assert chip.cycles == stopped
    chip.reset()
    assert chip.fault is None


def test_light_is_dark_without_firmware():
    """Nothing lights a chip that drives no pin."""
    chip = chip_with(IDLE)
    chip.run_until_osc(10 * core.FRAME_OSC)
    light = chip.light()
    assert light.shape == (6, 3)
    assert light.dtype == np.float32
    assert not light.any()


def test_own_pulses_are_told():
    """A chip alone tells when its IR light went on and off, and on which faces."""
    chip = chip_with(CHATTER)
    chip.run_until_osc(40_000)
    edges = chip.pulses()
    assert [mask for _, mask in edges[:4]] == [0x3F, 0, 0x3F, 0]
    assert 140 <= edges[1][0] - edges[0][0] <= 180  # 20 µs
    assert chip.pulses() == []


def test_serial_bytes_are_taken_once():
    """What the chip sends on its service port is taken once."""
    chip = chip_with(TALKER)
    chip.run_until_osc(20_000)
    taken = chip.take_serial()
    assert taken.startswith(b"hihi")
    assert chip.take_serial() == b""


def test_the_button_is_pin_pd7():
    """A press pulls PD7 low."""
    chip = chip_with(IDLE)
    chip.write(0x2B, b"\x80")  # PORTD: pull-up
    assert chip.read(0x29)[0] & 0x80
    chip.press()
    assert not chip.read(0x29)[0] & 0x80
    chip.release()
    assert chip.read(0x29)[0] & 0x80


def test_a_saved_chip_plays_on_alike():
    """Save, run, restore, run again: the same digest; and another chip takes the state as well."""
    chip = chip_with(CHATTER, seed=5)
    chip.run_until_osc(100_000)
    state, before = chip.save(), chip.digest()
    chip.run_until_osc(200_000)
    after = chip.digest()
    assert after != before
    chip.restore(state)
    assert chip.digest() == before
    chip.run_until_osc(200_000)
    assert chip.digest() == after
    other = chip_with(IDLE, seed=5)
    other.restore(state)
    other.run_until_osc(200_000)
    assert other.digest() == after


def test_a_foreign_state_is_refused():
    """A state of the wrong size is not taken."""
    with pytest.raises(ValueError, match="not 3"):
        Chip().restore(b"abc")


def test_words_have_names():
    """Program words decode to a name and a length; illegal ones to neither."""
    assert (core.decode_name(0x0000), core.decode_words(0x0000)) == ("NOP", 1)
    assert core.decode_words(0x940C) == 2
    assert (core.decode_name(0xFFFF), core.decode_words(0xFFFF)) == (None, 0)
    assert core.dispatch() in ("goto", "switch")


def test_a_table_of_chips_runs_them_together():
    """Chips on a table follow its clock, each with its own skew; slots are used again."""
    table = ChipTable()
    slow, fast = chip_with(IDLE), chip_with(IDLE, skew_ppm=100_000)
    slots = table.add(slow), table.add(fast)
    table.run(100)  # all have power within 4 ms
    started = slow.osc, fast.osc
    table.run(100)
    assert table.quantum == 200
    assert slow.osc - started[0] == pytest.approx(80_000, abs=32)
    assert fast.osc - started[1] == pytest.approx(88_000, abs=32)
    table.remove(slots[0], slow)
    assert table.add(chip_with(IDLE)) == slots[0]


def test_a_removed_chip_cannot_be_used():
    """A chip taken off a table is gone; asking it raises instead of reading freed memory."""
    table, chip = ChipTable(), chip_with(IDLE)
    table.remove(table.add(chip), chip)
    with pytest.raises(TypeError):
        chip.step()


def test_a_chip_keeps_its_table():
    """A chip may outlive every other reference to its table."""
    chip = chip_with(IDLE)
    ChipTable().add(chip)
    assert chip.pc == 0x3800
