"""Every instruction as table rows: assembly, state before, what changes, cycles.

What a row does not name must stay as it was: all 32 registers, SREG, SP, every byte of SRAM; PC goes to the
next word. Cycle counts are those of the instruction set manual for AVRe+ with a 16-bit PC.
"""

from __future__ import annotations

import pytest

from .assembler import assemble
from .isa import PATTERNS
from .rig import AT, Rig, assembled_name

S, M = 0x4F0, 0x0300  # where SP stands unless a row says so; a place in SRAM

# (assembly, before, changes, cycles); sreg by letters of the flags that are set, "-" for none
ALU = [
    ("add r1, r2", "r1=0x80 r2=0x80 sreg=-", "r1=0 sreg=SVZC", 1),
    ("add r31, r0", "r31=0x0F r0=0x01 sreg=CIT", "r31=0x10 sreg=ITH", 1),
    ("add r7, r7", "r7=0xC1 sreg=ITHSVNZC", "r7=0x82 sreg=ITSNC", 1),
    ("adc r16, r17", "r16=0x7F r17=0 sreg=C", "r16=0x80 sreg=HVN", 1),
    ("adc r16, r17", "r16=0xFF r17=0 sreg=C", "r16=0 sreg=HZC", 1),
    ("sub r3, r4", "r3=0x80 r4=1 sreg=C", "r3=0x7F sreg=HSV", 1),
    ("sub r3, r3", "r3=0x55 sreg=C", "r3=0 sreg=Z", 1),
    ("sbc r3, r4", "r3=0 r4=0xFF sreg=CZ", "r3=0 sreg=HZC", 1),
    ("sbc r3, r4", "r3=1 r4=0 sreg=C", "r3=0 sreg=-", 1),
    ("subi r20, 0x41", "r20=0x40 sreg=T", "r20=0xFF sreg=THSNC", 1),
    ("sbci r20, 0x40", "r20=0x40 sreg=ZC", "r20=0xFF sreg=HSNC", 1),
    ("and r5, r6", "r5=0xF0 r6=0x8F sreg=VCHT", "r5=0x80 sreg=THSNC", 1),
    ("andi r17, 0x0F", "r17=0xF0 sreg=C", "r17=0 sreg=ZC", 1),
    ("or r5, r6", "r5=0x10 r6=0x01 sreg=ZNV", "r5=0x11 sreg=-", 1),
    ("ori r31, 0x80", "r31=1 sreg=-", "r31=0x81 sreg=SN", 1),
    ("eor r5, r5", "r5=0x99 sreg=C", "r5=0 sreg=ZC", 1),
    ("eor r5, r6", "r5=0x80 r6=0x01 sreg=V", "r5=0x81 sreg=SN", 1),
    ("com r9", "r9=0x00 sreg=-", "r9=0xFF sreg=SNC", 1),
    ("com r9", "r9=0xFF sreg=V", "r9=0x00 sreg=ZC", 1),
    ("neg r9", "r9=0x80 sreg=-", "r9=0x80 sreg=VNC", 1),
    ("neg r9", "r9=0x00 sreg=HC", "r9=0x00 sreg=Z", 1),
    ("neg r9", "r9=0x01 sreg=-", "r9=0xFF sreg=HSNC", 1),
    ("inc r10", "r10=0x7F sreg=CH", "r10=0x80 sreg=HVNC", 1),
    ("inc r10", "r10=0xFF sreg=-", "r10=0 sreg=Z", 1),
    ("dec r10", "r10=0x80 sreg=C", "r10=0x7F sreg=SVC", 1),
    ("dec r10", "r10=0x01 sreg=-", "r10=0 sreg=Z", 1),
    ("tst r11", "r11=0x80 sreg=C", "sreg=SNC", 1),
    ("cp r1, r2", "r1=1 r2=2 sreg=-", "sreg=HSNC", 1),
    ("cp r1, r2", "r1=2 r2=2 sreg=HSNC", "sreg=Z", 1),
    ("cpc r1, r2", "r1=2 r2=2 sreg=-", "sreg=-", 1),
    ("cpc r1, r2", "r1=2 r2=2 sreg=Z", "sreg=Z", 1),
    ("cpi r16, 0x80", "r16=0x7F sreg=-", "sreg=VNC", 1),
    ("asr r12", "r12=0x81 sreg=-", "r12=0xC0 sreg=SNC", 1),
    ("lsr r12", "r12=0x01 sreg=N", "r12=0 sreg=SVZC", 1),
    ("ror r12", "r12=0x02 sreg=C", "r12=0x81 sreg=VN", 1),
    ("lsl r12", "r12=0x80 sreg=-", "r12=0 sreg=SVZC", 1),
    ("rol r12", "r12=0x40 sreg=C", "r12=0x81 sreg=VN", 1),
    ("swap r12", "r12=0x2C sreg=ZC", "r12=0xC2", 1),
    ("adiw r24, 63", "r24=0xC1 r25=0x7F sreg=-", "r24=0 r25=0x80 sreg=VN", 2),
    ("adiw z, 1", "z=0xFFFF sreg=H", "z=0 sreg=HZC", 2),
    ("sbiw x, 1", "x=0x0000 sreg=-", "x=0xFFFF sreg=SNC", 2),
    ("sbiw y, 2", "y=0x8001 sreg=-", "y=0x7FFF sreg=SV", 2),
    ("mul r2, r3", "r2=0xFF r3=0xFF sreg=ITHSVNZ", "r0=0x01 r1=0xFE sreg=ITHSVNC", 2),
    ("mul r0, r1", "r0=0 r1=7 sreg=C", "r0=0 r1=0 sreg=Z", 2),
    ("muls r16, r31", "r16=0xFF r31=2 sreg=Z", "r0=0xFE r1=0xFF sreg=C", 2),
    ("mulsu r16, r23", "r16=0xFF r23=0xFF sreg=-", "r0=1 r1=0xFF sreg=C", 2),
    ("fmul r17, r18", "r17=0x80 r18=0x80 sreg=-", "r0=0 r1=0x80 sreg=-", 2),
    ("fmul r17, r18", "r17=0xFF r18=0xFF sreg=-", "r0=2 r1=0xFC sreg=C", 2),
    ("fmuls r17, r18", "r17=0x80 r18=0x80 sreg=-", "r0=0 r1=0x80 sreg=-", 2),
    ("fmulsu r22, r23", "r22=0x80 r23=0x80 sreg=-", "r0=0 r1=0x80 sreg=C", 2),
]

MOVES = [
    ("nop", "", "", 1),
    ("mov r31, r0", "r0=0x5A", "r31=0x5A", 1),
    ("movw r0, r30", "r30=0x34 r31=0x12", "r0=0x34 r1=0x12", 1),
    ("movw r24, r2", "r2=0xCD r3=0xAB", "r24=0xCD r25=0xAB", 1),
    ("ldi r16, 0xA5", "", "r16=0xA5", 1),
    ("ser r31", "r31=0", "r31=0xFF", 1),
    ("lds r5, 0x300", "m300=0x77", "r5=0x77", 2),
    ("lds r5, 31", "r31=0x66", "r5=0x66", 2),
    ("lds r6, SPL", "", "r6=0xF0", 2),
    ("sts 0x4FF, r5", "r5=0x12", "m4FF=0x12", 2),
    ("sts 7, r5", "r5=0x34", "r7=0x34", 2),
    ("sts SREG, r5", "r5=0x42 sreg=-", "sreg=TZ", 2),
    ("ld r2, x", "x=0x300 m300=0x11", "r2=0x11", 2),
    ("ld r2, x+", "x=0x2FF m2FF=0x22", "r2=0x22 x=0x300", 2),
    ("ld r2, -x", "x=0x300 m2FF=0x33", "r2=0x33 x=0x2FF", 2),
    ("ld r2, y", "y=0x300 m300=0x11", "r2=0x11", 2),
    ("ld r2, y+", "y=0x2FF m2FF=0x22", "r2=0x22 y=0x300", 2),
    ("ld r2, -y", "y=0x300 m2FF=0x33", "r2=0x33 y=0x2FF", 2),
    ("ldd r2, y+63", "y=0x300 m33F=0x44", "r2=0x44", 2),
    ("ld r2, z", "z=0x300 m300=0x11", "r2=0x11", 2),
    ("ld r2, z+", "z=0x2FF m2FF=0x22", "r2=0x22 z=0x300", 2),
    ("ld r2, -z", "z=0x300 m2FF=0x33", "r2=0x33 z=0x2FF", 2),
    ("ldd r2, z+1", "z=0x2FF m300=0x44", "r2=0x44", 2),
    ("ldd r30, z+32", "z=0x300 m320=0x55", "r30=0x55", 2),
    ("ld r2, x", "x=0x0003 r3=0x99", "r2=0x99", 2),
    ("st x, r2", "x=0x300 r2=0x11", "m300=0x11", 2),
    ("st x+, r2", "x=0x2FF r2=0x22", "m2FF=0x22 x=0x300", 2),
    ("st -x, r2", "x=0x300 r2=0x33", "m2FF=0x33 x=0x2FF", 2),
    ("st y, r2", "y=0x300 r2=0x11", "m300=0x11", 2),
    ("st y+, r2", "y=0x2FF r2=0x22", "m2FF=0x22 y=0x300", 2),
    ("st -y, r2", "y=0x300 r2=0x33", "m2FF=0x33 y=0x2FF", 2),
    ("std y+63, r2", "y=0x300 r2=0x44", "m33F=0x44", 2),
    ("st z, r2", "z=0x300 r2=0x11", "m300=0x11", 2),
    ("st z+, r2", "z=0x2FF r2=0x22", "m2FF=0x22 z=0x300", 2),
    ("st -z, r2", "z=0x300 r2=0x33", "m2FF=0x33 z=0x2FF", 2),
    ("std z+17, r2", "z=0x300 r2=0x44", "m311=0x44", 2),
    ("st z, r2", "z=0x0004 r2=0x77", "r4=0x77", 2),
    ("st x, r29", "x=0x005F r29=0x81 sreg=-", "sreg=IC", 2),
    ("push r9", "r9=0xAB sp=0x4FF", "m4FF=0xAB sp=0x4FE", 2),
    ("pop r9", "sp=0x4FE m4FF=0xCD", "r9=0xCD sp=0x4FF", 2),
    ("in r3, SPL", "sp=0x3A5", "r3=0xA5", 1),
    ("in r3, SPH", "sp=0x3A5", "r3=0x03", 1),
    ("in r3, SREG", "sreg=ITHSVNZC", "r3=0xFF", 1),
    ("out SREG, r3", "r3=0x5A sreg=-", "sreg=TSVZ", 1),
    ("out SPL, r3", "r3=0x7F", "sp=0x47F", 1),
    ("out SPH, r3", "r3=0x02", "sp=0x2F0", 1),
    ("in r4, GPIOR0", "m3E=0x6B", "r4=0x6B", 1),
    ("out GPIOR0, r4", "r4=0x6C", "m3E=0x6C", 1),
    ("sts GPIOR2, r4", "r4=0x6D", "m4B=0x6D", 2),
    ("sbi GPIOR0, 7", "m3E=0x01", "m3E=0x81", 2),
    ("cbi GPIOR0, 0", "m3E=0x81", "m3E=0x80", 2),
    ("sbi PORTB, 3", "m25=0x81", "m25=0x89", 2),
    ("sbi PINB, 3", "m25=0xFF", "m25=0xF7", 2),
    ("sbi PINB, 3", "m25=0x00", "m25=0x08", 2),
    ("out PINB, r4", "m25=0xF0 r4=0x3C", "m25=0xCC", 1),
    ("lpm", "z=0x0401 f401=0x5E", "r0=0x5E", 3),
    ("lpm r7, z", "z=0x0400 f400=0x5F", "r7=0x5F", 3),
    ("lpm r8, z+", "z=0x04FF f4FF=0x60", "r8=0x60 z=0x500", 3),
    ("bld r4, 7", "r4=0x00 sreg=T", "r4=0x80", 1),
    ("bld r4, 0", "r4=0xFF sreg=-", "r4=0xFE", 1),
    ("bst r4, 6", "r4=0x40 sreg=-", "sreg=T", 1),
    ("bst r4, 6", "r4=0xBF sreg=TC", "sreg=C", 1),
    ("sleep", "", "", 1),  # SE clear: nothing happens
    ("break", "", "", 1),  # no debugger: as NOP
    ("wdr", "", "", 1),
]
MOVES += [(f"se{flag}", "sreg=-", f"sreg={flag.upper()}", 1) for flag in "cznvshti"]
MOVES += [
    (f"cl{flag}", "sreg=ITHSVNZC", f"sreg={'ITHSVNZC'.replace(flag.upper(), '')}", 1) for flag in "cznvshti"
]

# The return address of a one-word call.
BACK = f"m4F0={(AT + 2) // 2 & 0xFF:#x} m4EF={(AT + 2) // 2 >> 8:#x} sp=0x4EE"
JUMPS = [
    ("rjmp .+8", "", "pc=+10", 2),
    ("rjmp .-2", "", "pc=+0", 2),
    ("rjmp .+4094", "", "pc=+4096", 2),
    ("rjmp .-4096", "", "pc=-4094", 2),
    ("jmp 0x1000", "", "pc=0x2000", 3),
    ("ijmp", "z=0x0123", "pc=0x246", 2),
    ("rcall .+6", "", f"{BACK} pc=+8", 3),
    ("icall", "z=0x0123", f"{BACK} pc=0x246", 3),
    ("call 0x1800", "", f"m4F0={(AT + 4) // 2 & 0xFF:#x} m4EF={(AT + 4) // 2 >> 8:#x} sp=0x4EE pc=0x3000", 4),
    ("ret", "sp=0x4EE m4EF=0x12 m4F0=0x34 sreg=-", "sp=0x4F0 pc=0x2468", 4),
    ("reti", "sp=0x4EE m4EF=0x12 m4F0=0x34 sreg=C", "sp=0x4F0 pc=0x2468 sreg=IC", 4),
]
for _bit, _flag in enumerate("CZNVSHTI"):
    _others = "ITHSVNZC".replace(_flag, "")
    JUMPS += [
        (f"brbs {_bit}, .+126", f"sreg={_flag}", "pc=+128", 2),
        (f"brbs {_bit}, .+126", f"sreg={_others}", "", 1),
        (f"brbc {_bit}, .-128", f"sreg={_others}", "pc=-126", 2),
        (f"brbc {_bit}, .-128", f"sreg={_flag}", "", 1),
    ]

# (instruction, state in which it skips, state in which it does not)
SKIPS = [
    ("cpse r1, r2", "r1=5 r2=5 sreg=H", "r1=5 r2=4 sreg=Z"),
    ("sbrs r3, 7", "r3=0x80", "r3=0x7F"),
    ("sbrc r3, 0", "r3=0xFE", "r3=0x01"),
    ("sbis GPIOR0, 4", "m3E=0x10", "m3E=0xEF"),
    ("sbic GPIOR0, 4", "m3E=0xEF", "m3E=0x10"),
]
TWO_WORDS = ["jmp 0", "call 0", "lds r0, 0", "sts 0, r0"]
for _text, _yes, _no in SKIPS:
    JUMPS += [(f"{_text}\nnop", _yes, "pc=+4", 2), (f"{_text}\nnop", _no, "pc=+2", 1)]
    JUMPS += [(f"{_text}\n{_next}", _yes, "pc=+6", 3) for _next in TWO_WORDS]
    JUMPS += [(f"{_text}\n{_next}", _no, "pc=+2", 1) for _next in TWO_WORDS]
    JUMPS += [(f"{_text}\nldd r31, z+63", _yes, "pc=+4", 2)]

ROWS = [*ALU, *MOVES, *JUMPS]


@pytest.fixture(scope="module")
def rig() -> Rig:
    return Rig()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} [{row[1]}]".replace("\n", "; "))
def test_row(rig: Rig, row: tuple[str, str, str, int]):
    """One instruction changes what its row names, takes its cycles, and touches nothing else."""
    text, before, changes, cycles = row
    assert rig.run_row(text, before, changes) == cycles


def test_every_instruction_has_a_row():
    """No instruction of the set is left out; SPM has its own tests."""
    covered = {assembled_name(row[0].split("\n")[0]) for row in ROWS}
    assert set(PATTERNS) - covered == {"SPM"}


@pytest.mark.parametrize("q", range(64))
@pytest.mark.parametrize("pointer", "yz")
def test_displacements(rig: Rig, pointer: str, q: int):
    """LDD and STD reach each of their 64 displacements."""
    at = f"m{0x200 + q:X}=0x7B"
    assert rig.run_row(f"ldd r4, {pointer}+{q}", f"{pointer}=0x200 {at}", "r4=0x7B") == 2
    assert rig.run_row(f"std {pointer}+{q}, r4", f"{pointer}=0x200 r4=0x7B", at) == 2


def test_every_register_reaches_memory(rig: Rig):
    """Loads and stores name each of the 32 registers."""
    for register in range(26):
        assert rig.run_row(f"ld r{register}, y+", "y=0x300 m300=0x5D", f"r{register}=0x5D y=0x301") == 2
        assert rig.run_row(f"st -z, r{register}", f"z=0x300 r{register}=0x5E", "m2FF=0x5E z=0x2FF") == 2
    for register in range(32):
        assert rig.run_row(f"lds r{register}, 0x300", "m300=0x5F", f"r{register}=0x5F") == 2
        assert rig.run_row(f"push r{register}", f"r{register}=0x60", "m4F0=0x60 sp=0x4EF") == 2
        assert rig.run_row(f"in r{register}, GPIOR0", "m3E=0x61", f"r{register}=0x61") == 1


def test_assembler_agrees_with_the_tool_chain(avr_words):
    """The tests' own assembler makes the words that avr-as makes."""
    texts = sorted({row[0].split("\n")[0] for row in ROWS if row[0] not in ("ijmp", "icall")})
    plain = [text for text in texts if not text.startswith(("rjmp", "rcall", "br", "jmp", "call"))]
    ours = b"".join(assemble(text) for text in plain)
    assert avr_words(plain) == ours
