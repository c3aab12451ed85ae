"""However a chip is run, it runs alike: by steps, in slices, saved and restored, beside its likes."""

from __future__ import annotations

import random

import pytest

from blinks_sim.core import Chip, ChipTable

from .assembler import assemble
from .registers import VECTOR
from .rig import PLAIN_FUSES, Rig
from .test_skip import LOOPS, MAIN, program

MIXED = f"""
        rjmp main
.org {4 * VECTOR["TIMER0_OVF"]}
        in r25, SREG
        reti
.org 0x200
main:   ldi r16, 1
        ldi xl, 0
        ldi xh, 2
        sts TIMSK0, r16
        out TCCR0B, r16
        out TCNT0, r17
        out SREG, r18
again:  push r16
        mul r16, r17
        rcall sub
        pop r16
        lds r19, 0x300
        adiw r24, 1
        ld r20, x+
        sbrs r16, 7
        nop
        call sub
        lpm r21, z
        dec r22
        brne again
        rjmp again
sub:    nop
        ret
"""
BODY = 0x200 + 2 * 8


def mixed(preset: int, interrupts: bool, *, skip: bool = True) -> Rig:
    rig = Rig(MIXED, skip=skip)
    rig.chip.write(16, bytes(16))
    rig.chip.set_reg(17, preset)
    rig.chip.set_reg(18, 0x80 * interrupts)
    return rig


@pytest.mark.parametrize("preset", range(0xA0, 0xFC))
def test_an_interrupt_comes_at_the_first_boundary_that_sees_its_flag(preset: int):
    """Whatever cycle of an instruction a flag rises in, the entry follows it, four cycles long."""
    watching = mixed(preset, interrupts=False)
    watching.run_to(BODY)
    while not watching.get("TIFR0") & 1:
        watching.step()
    taken = mixed(preset, interrupts=True)
    taken.run_to(4 * VECTOR["TIMER0_OVF"])
    assert taken.chip.cycles == watching.chip.cycles + 4
    pushed = int.from_bytes(taken.ram(taken.status.sp + 1, 2), "big") * 2
    assert pushed == watching.chip.pc
    assert taken.ram(0, 18) == watching.ram(0, 18)
    assert taken.ram(19, 6) == watching.ram(19, 6)


def prepared(seed: int, *, skip: bool = True) -> Rig:
    chance = random.Random(f"running {seed}")
    rig = Rig(
        program([chance.choice(sorted(LOOPS.values())) for _ in range(4)], chance), seed=seed, skip=skip
    )
    rig.chip.pc = MAIN
    return rig


@pytest.mark.parametrize("seed", range(6))
def test_steps_and_runs_agree(seed: int):
    """Single steps lead where one long run leads."""
    stepped, ran = prepared(seed), prepared(seed)
    ran.run(20_000)
    while stepped.chip.osc < ran.chip.osc:
        stepped.step()
    assert stepped.status == ran.status
    assert stepped.chip.digest() == ran.chip.digest()


@pytest.mark.parametrize("seed", range(6))
def test_slices_do_not_matter(seed: int):
    """Any slicing of a run ends in the same state, slices of a single cycle included."""
    whole = prepared(seed)
    whole.run(120_000)
    for trial in range(4):
        chance = random.Random(f"{seed} {trial}")
        sliced = prepared(seed)
        start, end = 0, whole.chip.osc
        while sliced.chip.osc < end:
            start = max(start, sliced.chip.osc)
            length = chance.choice([1, 2, 3, chance.randrange(400), chance.randrange(9000)])
            sliced.chip.run_until_osc(min(end, start + length))
        assert sliced.chip.digest() == whole.chip.digest()


@pytest.mark.parametrize("seed", range(6))
def test_a_saved_chip_goes_on_alike(seed: int):
    """A state saved anywhere and restored in another chip goes on to the same digest, skipping or not."""
    rig = prepared(seed)
    chance = random.Random(seed)
    for _ in range(8):
        rig.run(chance.randrange(1, 12_000))
        other = Rig("nop", seed=99, skip=chance.random() < 0.5)
        other.chip.restore(rig.chip.save())
        assert other.chip.digest() == rig.chip.digest()
        for both in (rig, other):
            both.run(7000)
        assert other.status == rig.status
        assert other.chip.digest() == rig.chip.digest()


def test_every_part_of_the_state_is_in_the_digest():
    """A change of one register, flag, byte of SRAM, flash or EEPROM, or of the button, changes the digest."""
    rig = Rig()
    rig.run(1000)
    state, digests = rig.chip.save(), {rig.chip.digest()}
    changes = [
        lambda chip: chip.set_reg(7, chip.reg(7) ^ 1),
        lambda chip: chip.write(0x3A0, bytes([chip.read(0x3A0)[0] ^ 1])),
        lambda chip: setattr(chip, "sreg", 1),
        lambda chip: setattr(chip, "sp", 0x123),
        lambda chip: setattr(chip, "pc", 0x40),
        lambda chip: chip.load_flash(b"\0", 0x2000),
        lambda chip: chip.load_eeprom(b"\0", 0x100),
        lambda chip: chip.press(),
        lambda chip: chip.write(0x46, b"\x55"),
        lambda chip: chip.give_serial(b"x"),
        lambda chip: chip.shine(3, True),
    ]
    for change in changes:
        rig.chip.restore(state)
        change(rig.chip)
        digests.add(rig.chip.digest())
    assert len(digests) == 1 + len(changes)


def test_chips_of_one_program_stay_apart():
    """Chips that run the same program do not see when one of them is flashed anew."""
    table = ChipTable()
    chips = [Chip(seed=seed, fuses=PLAIN_FUSES) for seed in range(3)]
    for chip in chips:
        chip.load_flash(assemble("again: inc r16\nrjmp again"))
        chip.write(16, b"\0\0")
        table.add(chip)
    table.run(60)  # all are powered on by then
    chips[1].load_flash(assemble("again: inc r17\nrjmp again"))
    for chip in chips:
        chip.pc = 0
        chip.write(16, b"\0\0")
    table.run(1)
    # 800 cycles are 266 or 267 turns of three cycles, modulo 256
    counts = [tuple(chip.read(16, 2)) for chip in chips]
    assert counts[0] in ((10, 0), (11, 0))
    assert counts[1] in ((0, 10), (0, 11))
    assert counts[2] in ((10, 0), (11, 0))
