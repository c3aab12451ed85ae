"""Skipping spin loops changes nothing: the same program with skipping on and off ends in the same digest.

Programs are loops of the kinds that firmware waits in, with interrupts striking in between whose handlers push SREG and
count, so that the flags a skipped loop would have left show in memory.
"""

from __future__ import annotations

import random
import re

import pytest

from .registers import ADDRESS, VECTOR
from .rig import Rig

MAIN = 0x200
# Each handler leaves SREG, as it found it, in a ring at 0x300, and counts in r10; every eighth time it raises 0x2F0.
HANDLER = f"""
.org {4 * VECTOR["TIMER0_COMPA"]}
        jmp handler
.org {4 * VECTOR["TIMER2_OVF"]}
        jmp handler
.org {4 * VECTOR["TIMER1_COMPA"]}
        jmp brief
.org {4 * VECTOR["WDT"]}
        jmp brief
.org {4 * VECTOR["USART_TX"]}
        jmp brief
.org {4 * VECTOR["ADC"]}
        jmp brief
.org 0x100
handler: push r16
        in r16, SREG
        push r16
        push r17
        sts 0x2F1, r16
        inc r10
        mov r17, r10
        andi r17, 7
        brne quiet
        lds r17, 0x2F0
        inc r17
        sts 0x2F0, r17
        sbi GPIOR0, 0
quiet:  push xl
        push xh
        ldi xh, 3
        mov xl, r10
        st x, r16
        pop xh
        pop xl
        pop r17
        pop r16
        out SREG, r16
        pop r16
        reti
brief:  in r9, SREG
        eor r8, r9
        out SREG, r9
        reti
"""

LOOPS = {
    "ram flag": "wait: lds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20",
    "ram flag, tst": "sts 0x2F0, r1\nwait: lds r20, 0x2F0\ntst r20\nbreq wait",
    "ram flag through a pointer": "ldi yl, 0xF0\nldi yh, 2\nwait: ld r20, y\ncp r20, r21\nbreq wait\nmov r21, r20",
    "io flag, sbis": "cbi GPIOR0, 0\nwait: sbis GPIOR0, 0\nrjmp wait",
    "io flag, sbic": "sbi GPIOR1, 0\ncbi GPIOR0, 0\nwait: sbic GPIOR0, 0\nrjmp out\nrjmp wait\nout: nop",
    "timer flag": "ldi r16, 1\nout TIFR0, r16\nwait: sbis TIFR0, 0\nrjmp wait",
    "timer flag, in": "ldi r16, 2\nout TIFR2, r16\nwait: in r17, TIFR2\nsbrs r17, 1\nrjmp wait",
    "counter": "wait: in r20, TCNT0\ncpi r20, 200\nbrlo wait",
    "counter, equality": "wait: in r20, TCNT0\ncpi r20, 100\nbrne wait",
    "counter 2": "wait: lds r20, TCNT2\nsub r20, r22\ncpi r20, 40\nbrlo wait\nlds r22, TCNT2",
    "counter 1": "wait: lds r20, TCNT1L\nlds r20, TCNT1H\ncpi r20, 3\nbrlo wait",
    "dec": "ldi r18, 201\nwait: dec r18\nbrne wait",
    "dec, nop": "ldi r18, 100\nwait: nop\ndec r18\nbrne wait",
    "sbiw": "ldi r24, 0x34\nldi r25, 0x02\nwait: sbiw r24, 1\nbrne wait",
    "sbiw, rjmp .+0": "ldi r24, 0x34\nldi r25, 0x01\nwait: rjmp .+0\nsbiw r24, 1\nbrne wait",
    "subi sbci": "ldi r18, 0x10\nldi r19, 3\nldi r20, 0\nwait: subi r18, 1\nsbci r19, 0\nsbci r20, 0\nbrne wait",
    "nested": "ldi r19, 5\nouter: ldi r18, 60\nwait: dec r18\nbrne wait\ndec r19\nbrne outer",
    "inc up to": "ldi r18, 0\nwait: inc r18\ncpi r18, 150\nbrne wait",
    "subi by three": "ldi r18, 0\nwait: subi r18, 3\nbrcc wait\nldi r18, 200\nagain: subi r18, 3\nbrcc again",
    "exit in the middle": "wait: lds r20, 0x2F0\ncpse r20, r21\nrjmp out\nin r23, GPIOR1\nsbrc r23, 7\nrjmp out\nrjmp wait\n"
    "out: mov r21, r20",
    "sbrs on a register": "clr r20\nwait: lds r20, 0x2F0\nmov r23, r20\neor r23, r21\nsbrs r23, 0\nrjmp wait\nmov r21, r20",
    "usart": "wait: lds r20, UCSR0A\nsbrs r20, UDRE0\nrjmp wait\nsts UDR0, r10",
    "adc": "ldi r16, 0xCD\nsts ADCSRA, r16\nwait: lds r20, ADCSRA\nsbrc r20, ADSC\nrjmp wait\nlds r20, ADCH",
    "button": "wait: sbis PIND, 7\nrjmp out\nlds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20\nout: nop",
    "stores, then comes back": "ldi r19, 4\nwait: lds r20, 0x2F0\ncp r20, r21\nbreq wait\nlds r21, 0x2F0\nsts 0x2F4, r21\ndec r19\n"
    "brne wait",
    "same registers, new memory": "ldi r19, 0\nwait: lds r20, 0x2F0\ncp r20, r21\nbreq wait\nst y, r19\nlds r21, 0x2F0\ntst r19\n"
    "brne wait",
    "store inside": "wait: sts 0x2F5, r10\nlds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20",
    "push pop inside": "wait: push r10\npop r11\nlds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20",
    "call inside": "wait: rcall read\ncp r20, r21\nbreq wait\nmov r21, r20\nrjmp out\nread: lds r20, 0x2F0\nret\nout: nop",
    "carry chain": "ldi r18, 200\nwait: adc r17, r1\nsbc r16, r1\ndec r18\nbrne wait",
    "flag toggles": "ldi r18, 100\nwait: com r17\ndec r18\nbrne wait",
    "writes a port": "ldi r18, 100\nsbi DDRB, 6\nwait: sbi PINB, 6\ndec r18\nbrne wait",
    "watches sreg": "wait: in r17, SREG\nlds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20\nsts 0x2F6, r17",
    "t flag": "clt\nwait: lds r20, 0x2F0\ncpse r20, r21\nset\nbrtc wait\nmov r21, r20",
    "interrupts off inside": "wait: cli\nlds r20, 0x2F0\nsei\ncp r20, r21\nbreq wait\nmov r21, r20",
    "stack pointer": "wait: in r17, SPL\nlds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20",
    "lpm inside": "ldi zl, 0\nldi zh, 1\nwait: lpm r17, z\nlds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20",
    "long wait": "ldi r24, 0\nldi r25, 0\nwait: sbiw r24, 1\nbrne wait",
    "infrared": "sbis PINC, 2\nrjmp out\nwait: lds r20, 0x2F0\ncp r20, r21\nbrne out\nin r20, PINC\nsbrc r20, 2\nrjmp wait\n"
    "out: mov r21, r20",
    "received byte": "wait: lds r20, UCSR0A\nlds r18, 0x2F0\ncpse r18, r21\nrjmp out\nsbrs r20, RXC0\nrjmp wait\nlds r17, UDR0\n"
    "out: mov r21, r18",
    "reads the receive buffer": "wait: lds r17, UDR0\nlds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20",
    "latches a counter": "wait: lds r17, TCNT1L\nldi r17, 0\nlds r20, 0x2F0\ncp r20, r21\nbreq wait\nmov r21, r20\n"
    "lds r17, TCNT1H",
    "pointer at a counter": "push yl\npush yh\nldi yl, TCNT0\nldi yh, 0\nwait: ld r17, y\ncpi r17, 77\nbrne wait\npop yh\npop yl",
    "pointer at itself": "push yl\npush yh\nldi yl, 20\nldi yh, 0\nwait: lds r20, 0x2F0\nld r17, y\ncp r17, r21\nbreq wait\n"
    "mov r21, r20\npop yh\npop yl",
    "half carry": "ldi r18, 0x0F\nwait: lds r20, 0x2F0\ncp r20, r21\nldi r17, 1\nbreq wait\nmov r21, r20\nbrhs out\nadd r16, r17\nout: nop",
    "leaves and comes back": "ldi r19, 3\nwait: lds r20, 0x2F0\nsbrc r20, 0\nrjmp out\nagain: cp r20, r20\nbreq wait\n"
    "out: ldi r20, 2\nsts 0x2F0, r20\ndec r19\nbrne again",
    # Left after a turn and entered again as it was: only memory outside tells the rounds apart.
    "comes back after a skip": "ldi r18, 0\nagain: ldi r16, 0\nwait: mov r17, r16\nldi r16, 1\ncp r1, r1\nsbrs r17, 0\nrjmp wait\n"
    "lds r19, 0x2F5\ninc r19\nsts 0x2F5, r19\nldi r19, 0\nlds r18, 0x2F5\ncpi r18, 250\nldi r18, 0\nbreq read\nrjmp again\nread: sts 0x2F5, r1",
    "comes back after falling out": "ldi r18, 0\nagain: ldi r16, 0\nwait: mov r17, r16\nldi r16, 1\ncp r1, r17\nbreq wait\n"
    "lds r19, 0x2F5\ninc r19\nsts 0x2F5, r19\nldi r19, 0\nlds r18, 0x2F5\ncpi r18, 250\nldi r18, 0\nbreq read\nrjmp again\nread: sts 0x2F5, r1",
    "comes back after a branch": "ldi r18, 0\nagain: ldi r16, 0\nwait: mov r17, r16\nldi r16, 1\ntst r17\nbrne out\ncp r1, r1\n"
    "breq wait\nout: lds r19, 0x2F5\ninc r19\nsts 0x2F5, r19\nldi r19, 0\nlds r18, 0x2F5\ncpi r18, 250\nldi r18, 0\n"
    "breq read\nrjmp again\nread: sts 0x2F5, r1",
    "comes back after a jump": "ldi r18, 0\nagain: ldi r16, 0\nwait: mov r17, r16\nldi r16, 1\ncp r1, r1\nsbrc r17, 0\nrjmp out\n"
    "breq wait\nout: lds r19, 0x2F5\ninc r19\nsts 0x2F5, r19\nldi r19, 0\nlds r18, 0x2F5\ncpi r18, 250\nldi r18, 0\n"
    "breq read\nrjmp again\nread: sts 0x2F5, r1",
    "counts in memory": "wait: lds r20, 0x2F5\ninc r20\nsts 0x2F5, r20\nldi r20, 0\nlds r18, 0x2F0\ncp r18, r21\nbreq wait\n"
    "mov r21, r18",
    "counts in a register of I/O": "wait: in r20, GPIOR1\ninc r20\nout GPIOR1, r20\nldi r20, 0\nlds r18, 0x2F0\ncp r18, r21\n"
    "breq wait\nmov r21, r18",
    "toggles while it waits": "wait: sbi PINB, 6\nlds r18, 0x2F0\ncp r18, r21\nbreq wait\nmov r21, r18",
    "sbiw x": "ldi xl, 0x34\nldi xh, 2\nwait: sbiw x, 1\nbrne wait",
    "sbiw y and z": "push yl\npush yh\nldi yl, 0x11\nldi yh, 1\nldi zl, 0x21\nldi zh, 1\nwait: sbiw y, 1\nbrne wait\n"
    "again: sbiw z, 1\nbrne again\npop yh\npop yl",
    "dec of a low register": "mov r5, r10\nwait: dec r5\nbrne wait",
    "subi, sbci of three apart": "ldi r23, 0x10\nldi r17, 1\nldi r20, 1\nwait: subi r23, 1\nsbci r17, 0\nsbci r20, 0\nbrne wait",
    "subi, sbci of one register": "ldi r18, 9\nldi r19, 1\nwait: subi r18, 1\nsbci r18, 0\nbrne wait",
    "subi, sbci with a constant": "ldi r18, 9\nldi r19, 9\nwait: subi r18, 1\nsbci r19, 1\nbrne wait",
    "sbiw by two": "ldi r24, 0x10\nldi r25, 2\nwait: sbiw r24, 2\nbrne wait",
    "subi by two": "ldi r18, 200\nldi r19, 1\nwait: subi r18, 2\nsbci r19, 0\nbrne wait",
    "counted outside": "ldi r19, 0\nldi r20, 90\nsts 0x2F5, r20\nwait: lds r20, 0x2F5\ntst r20\nbrne out\n"
    "again: lds r18, 0x2F0\ncp r18, r21\nldi r20, 0\nbreq wait\nmov r21, r18\nrjmp read\n"
    "out: dec r20\nsts 0x2F5, r20\nrjmp again\nread: nop",
    "two back edges": "wait: lds r20, 0x2F0\nsbrs r20, 1\nrjmp wait\ncp r20, r21\nbreq wait\nmov r21, r20",
    "count-down entered in the middle": "ldi r24, 9\nldi r25, 0\nldi r18, 5\ntst r18\nbrne out\nwait: sbiw r24, 1\nout: brne wait",
    "count-down from zero": "clr r18\nwait: dec r18\nbrne wait\nclr r24\nclr r25\nagain: sbiw r24, 1\nbrne again",
    "count-down of two bytes, low one zero": "ldi r18, 0\nldi r19, 2\nwait: subi r18, 1\nsbci r19, 0\nbrne wait",
    "eeprom": "wait: sbic EECR, 1\nrjmp wait\nsbi EECR, 2\nsbi EECR, 1\nbusy: sbic EECR, 1\nrjmp busy",
}

SETUP = """
.org 0x200
        clr r1
        ldi yl, 0x40
        ldi yh, 2
        ldi r16, 0x58
        sts UCSR0B, r16
        ldi r16, 0x40
        sts WDTCSR, r16
        ldi r16, 2
        sts UCSR0A, r16
        ldi r16, 0x6E
        sts ADMUX, r16
        sbi PORTD, 7
        ldi r16, {ocr0}
        out OCR0A, r16
        ldi r16, {top1} >> 8
        sts OCR1AH, r16
        ldi r16, {top1} & 0xFF
        sts OCR1AL, r16
        ldi r16, 3
        out TCCR0A, r16
        sts TCCR2A, r16
        sts TCCR1A, r16
        ldi r16, {cs0}
        out TCCR0B, r16
        ldi r16, {cs2}
        sts TCCR2B, r16
        ldi r16, 0x18 | {cs1}
        sts TCCR1B, r16
        ldi r16, 2
        sts TIMSK0, r16
        sts TIMSK1, r16
        ldi r16, 1
        sts TIMSK2, r16
        ldi r16, 0x3F
        out DDRB, r16
        sei
turn:   adiw r26, 1
        ldi r16, 0x3F           ; charge all faces, then let their cathodes float
        out PORTC, r16
        out DDRC, r16
        out DDRC, r1
        out PORTC, r1
"""


def program(loops: list[str], chance: random.Random) -> str:
    """Return an endless program that goes through the loops in turn, its timers set by chance."""
    setup = SETUP.format(
        ocr0=chance.randrange(256),
        top1=chance.randrange(60, 3000),
        cs0=chance.choice([1, 2, 2, 3]),
        cs1=chance.choice([1, 1, 2]),
        cs2=chance.choice([1, 2, 2, 3]),
    )
    body = []
    for number, loop in enumerate(loops):
        for label in ("wait", "out", "outer", "again", "read", "busy"):
            loop = re.sub(rf"\b{label}(?=:|$)", f"{label}{number}", loop, flags=re.MULTILINE)
        body.append(loop)
    return HANDLER + setup + "\n".join(body) + "\njmp turn"


def disturb(rig: Rig, number: int) -> None:
    (rig.chip.press if number % 2 else rig.chip.release)()
    rig.chip.shine(number // 2 % 6, number % 2 == 0)
    rig.chip.give_serial(bytes([number]) * (number % 4))


def digests(text: str, seed: int, slices: list[int], skip: bool) -> list[int]:
    """Return the digest after each slice; between slices the button changes, light and serial bytes come in."""
    rig = Rig(text, skip=skip, seed=seed)
    rig.chip.pc = MAIN
    found = []
    for number, osc in enumerate(slices):
        disturb(rig, number)
        rig.run(osc)
        assert rig.chip.fault is None, rig.chip.fault
        found.append(rig.chip.digest())
    return found


def compare(text: str, seed: int, slices: list[int]) -> None:
    """Compare skipping on with off; on a difference, tell the first differing byte of memory."""
    on, off = digests(text, seed, slices, skip=True), digests(text, seed, slices, skip=False)
    if on == off:
        return
    number = next(index for index, (a, b) in enumerate(zip(on, off, strict=True)) if a != b)
    rigs = [Rig(text, skip=skip, seed=seed) for skip in (True, False)]
    for rig in rigs:
        rig.chip.pc = MAIN
        for index, osc in enumerate(slices[: number + 1]):
            disturb(rig, index)
            rig.run(osc)
    first, second = rigs
    memory = [
        f"{at:#05x}: {a:#04x} / {b:#04x}"
        for at, (a, b) in enumerate(zip(first.ram(0, 0x500), second.ram(0, 0x500), strict=True))
        if a != b
    ]
    raise AssertionError(
        f"seed {seed}, slice {number}: skipping on / off differ: {memory[:12]}\n{first.status}\n{second.status}\n{text}"
    )


@pytest.mark.parametrize("name", sorted(LOOPS))
def test_one_loop(name: str):
    """One kind of loop under interrupts, in slices of random length: the same digests."""
    for seed in range(6):
        chance = random.Random(f"{name} {seed}")
        slices = [chance.choice([chance.randrange(1, 300), chance.randrange(300, 30_000)]) for _ in range(30)]
        compare(program([LOOPS[name]], chance), seed, slices)


def random_mix(seed: int) -> None:
    chance = random.Random(seed)
    loops = [chance.choice(sorted(LOOPS.values())) for _ in range(chance.randrange(2, 6))]
    slices = [chance.choice([1, chance.randrange(1, 300), chance.randrange(300, 60_000)]) for _ in range(30)]
    compare(program(loops, chance), seed, slices)


def test_mixed_loops():
    """Programs of several kinds of loops, seeded: the same digests."""
    for seed in range(40):
        random_mix(seed)


@pytest.mark.long
def test_many_mixed_loops():
    """The same, for longer."""
    for seed in range(1000, 3000):
        random_mix(seed)


RANDOM_OPS = [
    "inc r{a}", "dec r{a}", "add r{a}, r{b}", "adc r{a}, r{b}", "sub r{a}, r{b}", "sbc r{a}, r{b}", "eor r{a}, r{b}",
    "mov r{a}, r{b}", "lsr r{a}", "ror r{a}", "com r{a}", "neg r{a}", "swap r{a}", "subi r{a}, {k}", "sbci r{a}, {k}",
    "andi r{a}, {k}", "ori r{a}, {k}", "cpi r{a}, {k}", "cp r{a}, r{b}", "cpc r{a}, r{b}", "lds r{a}, 0x2F0", "lds r{a}, 0x2F1",
    "in r{a}, GPIOR0", "in r{a}, TIFR0", "in r{a}, TCNT0", "lds r{a}, TCNT2", "lds r{a}, TCNT1L", "bst r{a}, {n}", "bld r{a}, {n}",
    "sts 0x2F7, r{a}", "nop", "wdr", "in r{a}, SREG", "lds r{a}, UCSR0A", "in r{a}, PIND", "sbiw r24, 1", "adiw r24, 1",
    "sts 0x2F0, r{a}", "mul r{a}, r{b}", "ldi yl, {io}\nldi yh, 0\nld r{a}, y", "lds r{a}, {io}", "lpm r{a}, z", "clt", "set",
    "ldi yl, {a}\nldi yh, 0\nld r{b}, y", "in r{a}, PINC", "sts TCNT0, r{a}", "cpse r{a}, r{b}", "sbrs r{a}, {n}", "ldi r{a}, {k}", "nop\npush r{a}\npop r{b}",
]  # fmt: skip
READABLE = sorted(ADDRESS.values())
RANDOM_BRANCHES = ["brne", "breq", "brcc", "brcs", "brpl", "brmi", "brge", "brlt", "brtc", "brhs"]


def random_loop(chance: random.Random, number: int) -> str:
    """Return a loop of one to five random instructions, perhaps an exit in the middle, and a guard against endlessness."""
    lines = [f"ldi r23, {chance.randrange(1, 120)}", f"loop{number}:"]
    for _ in range(chance.randrange(1, 6)):
        text = chance.choice(RANDOM_OPS)
        lines.append(text.format(a=chance.randrange(16, 23), b=chance.randrange(16, 23), k=chance.randrange(256), n=chance.randrange(8), io=chance.choice(READABLE)))  # fmt: skip # noqa: E501
    if chance.random() < 0.4:
        lines.append(f"sbr{chance.choice('cs')} r{chance.randrange(16, 23)}, {chance.randrange(8)}")
        lines.append(f"rjmp done{number}")
    if chance.random() < 0.3:
        lines.append(f"{chance.choice(RANDOM_BRANCHES)} done{number}")
    if chance.random() < 0.6:
        # ends by itself sooner or later: the guard lies outside the loop proper
        lines.append(f"{chance.choice(RANDOM_BRANCHES)} loop{number}")
    lines += ["dec r23", f"brne loop{number}", f"done{number}:"]
    return "\n".join(lines)


def random_loops(seed: int) -> None:
    chance = random.Random(f"loops {seed}")
    loops = [random_loop(chance, number) for number in range(chance.randrange(1, 5))]
    slices = [chance.choice([1, chance.randrange(1, 300), chance.randrange(300, 20_000)]) for _ in range(20)]
    compare(program(loops, chance), seed, slices)


def test_random_loops():
    """Loops of random instructions, endless ones among them: the same digests."""
    for seed in range(150):
        random_loops(seed)


@pytest.mark.long
def test_many_random_loops():
    """The same, for longer."""
    for seed in range(1000, 9000):
        random_loops(seed)
