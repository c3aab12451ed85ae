"""Interrupts: order, response time, the instruction that runs after SEI and RETI, nesting, vector tables."""

from __future__ import annotations

import pytest

from .registers import BIT, VECTOR
from .rig import PLAIN_FUSES, Rig

I_FLAG = 0x80
VECTORS = "".join(f".org {4 * number}\nreti\n" for number in range(1, 26))
MAIN = 0x100
SLIDE = f".org {MAIN}\n" + "nop\n" * 400 + "stop: rjmp stop"


def vector(name: str) -> int:
    return 4 * VECTOR[name]


def with_eeprom_ready(program: str) -> Rig:
    """Return a chip at MAIN whose EE_READY interrupt is wanted for as long as EERIE is set, I clear."""
    rig = Rig(f"{VECTORS}.org {MAIN}\n{program}\nstop: rjmp stop")
    rig.chip.pc = MAIN
    rig.set("EECR", 1 << BIT["EERIE"])
    return rig


def test_response():
    """Entering takes four cycles, pushes the return address, clears I and jumps to the vector."""
    rig = with_eeprom_ready("sei\nnop\nnop")
    rig.step(2)
    assert rig.chip.pc == MAIN + 4
    assert rig.step() == 4
    status = rig.status
    assert (status.pc, status.sp, status.sreg) == (vector("EE_READY"), 0x4FD, 0)
    assert rig.ram(0x4FE, 2) == ((MAIN + 4) // 2).to_bytes(2, "big")


@pytest.mark.parametrize(
    ("text", "first", "taken_at"),
    [
        ("sei", 1, MAIN + 4),
        ("ldi r16, 0x80\nout SREG, r16", 2, MAIN + 6),
        ("bset 7", 1, MAIN + 4),
    ],
)
def test_one_instruction_runs_after_enabling(text: str, first: int, taken_at: int):
    """The instruction after the one that sets I runs before a waiting interrupt is taken."""
    rig = with_eeprom_ready(f"{text}\nnop\nnop")
    rig.step(first + 1)
    assert rig.chip.pc == taken_at
    rig.step()
    assert rig.chip.pc == vector("EE_READY")


def test_one_instruction_runs_after_reti():
    """Between two interrupts one instruction of the main program runs, whatever waits."""
    rig = with_eeprom_ready("sei\nnop\nnop\nnop\nnop")
    rig.step(3)
    for turn in range(3):
        assert rig.chip.pc == vector("EE_READY")
        assert rig.step() == 4  # RETI
        assert rig.chip.pc == MAIN + 4 + 2 * turn
        assert rig.status.sreg & I_FLAG
        rig.step()
        assert rig.chip.pc == MAIN + 6 + 2 * turn
        rig.step()


def test_sei_cli_lets_nothing_in():
    """SEI then CLI lets no interrupt in."""
    rig = with_eeprom_ready("sei\ncli\nnop\nnop")
    rig.step(4)
    assert rig.chip.pc == MAIN + 8
    assert rig.status.sp == 0x4FF


def test_cli_takes_effect_at_once():
    """No interrupt is taken after CLI, even one that waited during it."""
    rig = with_eeprom_ready("cli\nnop\nnop\nnop")
    rig.step(4)
    assert rig.chip.pc == MAIN + 8


def test_nesting():
    """A handler that sets I can be interrupted itself; both return to where they were."""
    program = f"""
    .org {vector("EE_READY")}
            jmp handler
    .org {vector("TIMER0_OVF")}
            reti
    .org {MAIN}
            sei
            nop
            nop
    stop:   rjmp stop
    handler: cbi EECR, EERIE
            sei
            nop
    inner:  reti
    """
    rig = Rig(program)
    rig.chip.pc = MAIN
    rig.set("EECR", 1 << BIT["EERIE"])
    rig.step(3)  # SEI, NOP, entry
    rig.step(2)  # JMP, CBI
    rig.set("TIMSK0", 1 << BIT["TOIE0"])
    rig.set("TCNT0", 0xFF)
    rig.set("TCCR0B", 1)
    rig.step(3)  # SEI, NOP, entry
    assert (rig.chip.pc, rig.status.sp) == (vector("TIMER0_OVF"), 0x4FB)
    rig.set("TIMSK0", 0)
    rig.step()
    assert rig.status.sp == 0x4FD
    rig.step()
    assert (rig.chip.pc, rig.status.sp, rig.status.sreg & I_FLAG) == (MAIN + 4, 0x4FF, I_FLAG)


WANT_ALL = {
    "PCINT0": ("PCICR", "PCIE0"),
    "PCINT1": ("PCICR", "PCIE1"),
    "PCINT2": ("PCICR", "PCIE2"),
    "TIMER2_COMPA": ("TIMSK2", "OCIE2A"),
    "TIMER2_COMPB": ("TIMSK2", "OCIE2B"),
    "TIMER2_OVF": ("TIMSK2", "TOIE2"),
    "TIMER1_COMPA": ("TIMSK1", "OCIE1A"),
    "TIMER1_COMPB": ("TIMSK1", "OCIE1B"),
    "TIMER1_OVF": ("TIMSK1", "TOIE1"),
    "TIMER0_COMPA": ("TIMSK0", "OCIE0A"),
    "TIMER0_COMPB": ("TIMSK0", "OCIE0B"),
    "TIMER0_OVF": ("TIMSK0", "TOIE0"),
    "USART_RX": ("UCSR0B", "RXCIE0"),
    "USART_UDRE": ("UCSR0B", "UDRIE0"),
    "USART_TX": ("UCSR0B", "TXCIE0"),
    "ADC": ("ADCSRA", "ADIE"),
    "EE_READY": ("EECR", "EERIE"),
    "SPM_READY": ("SPMCSR", "SPMIE"),
}
# Their condition lasts until the handler ends it; the others' flags are cleared by entering.
LEVELS = {"USART_RX", "USART_UDRE", "EE_READY", "SPM_READY"}


def all_flags_up() -> Rig:
    """Return a chip, I clear, in which every source of WANT_ALL has its flag up and is enabled."""
    rig = Rig(VECTORS + SLIDE)
    for name in ("DDRB", "DDRC", "DDRD", "PCMSK0", "PCMSK1", "PCMSK2"):
        rig.set(name, 4)
    rig.set("UCSR0A", 1 << BIT["U2X0"])
    rig.set("UCSR0C", 6)
    rig.set("UCSR0B", 1 << BIT["TXEN0"] | 1 << BIT["RXEN0"])
    rig.set("UDR0", 0x55)
    rig.chip.give_serial(b"x")
    rig.set("ADCSRA", 0xC0)
    for name in ("TCCR0B", "TCCR1B", "TCCR2B"):
        rig.set(name, 1)
    rig.chip.pc = MAIN + 800
    rig.run(70_000)
    for name in ("TCCR0B", "TCCR1B", "TCCR2B"):
        rig.set(name, 0)
    for name in ("PINB", "PINC", "PIND"):
        rig.set(name, 4)
    for register, bit in WANT_ALL.values():
        keep = rig.get(register) & ~(1 << BIT["ADIF"]) if register == "ADCSRA" else rig.get(register)
        rig.set(register, keep | 1 << BIT[bit])
    rig.chip.pc = MAIN
    return rig


def test_priority():
    """Waiting interrupts are taken in the order of their vectors, each flag cleared by entering."""
    rig = all_flags_up()
    rig.chip.sreg = I_FLAG
    order = []
    for _ in range(200):
        rig.step()
        if rig.chip.pc < MAIN and not rig.status.sreg & I_FLAG:
            name = next(name for name, number in VECTOR.items() if 4 * number == rig.chip.pc)
            order.append(name)
            if name in LEVELS:
                register, bit = WANT_ALL[name]
                rig.set(register, rig.get(register) & ~(1 << BIT[bit]) & 0xFF)
    assert order == sorted(WANT_ALL, key=VECTOR.__getitem__)


@pytest.mark.parametrize("name", sorted(WANT_ALL))
def test_each_enable_bit(name: str):
    """Each source comes through its own enable bit alone, at its own vector."""
    rig = all_flags_up()
    register, bit = WANT_ALL[name]
    for other, _ in WANT_ALL.values():
        mine = 1 << BIT[bit] if other == register else 0
        keep = 0x18 if other == "UCSR0B" else 0x80 if other == "ADCSRA" else 0
        rig.set(other, mine | keep)
    rig.chip.sreg = I_FLAG
    seen = set()
    for _ in range(8):
        rig.step()
        if rig.chip.pc < MAIN:
            seen.add(rig.chip.pc)
    assert seen == {vector(name)}


SELECT = """
        ldi r16, 1 << IVCE
        ldi r17, {value}
        out MCUCR, r16
        {wait}
        out MCUCR, r17
        sei
        nop
        nop
stop:   rjmp stop
"""


@pytest.mark.parametrize(("wait", "moved"), [("", True), ("nop\nnop\nnop", True), ("nop\n" * 4, False)])
def test_vectors_move_to_the_boot_section(wait: str, moved: bool):
    """IVSEL moves the vectors to the boot section, if it is written within four cycles of IVCE."""
    rig = with_eeprom_ready(SELECT.format(value="1 << IVSEL", wait=wait))
    rig.chip.load_flash(b"\x18\x95", 0x3800 + vector("EE_READY"))
    rig.step(6 + wait.count("nop") + 1)
    assert rig.chip.pc == vector("EE_READY") + 0x3800 * moved
    assert rig.get("MCUCR") >> BIT["IVSEL"] & 1 == moved


def test_no_interrupt_while_ivce_waits():
    """Writing IVCE holds interrupts off until MCUCR is written or four cycles have passed."""
    rig = with_eeprom_ready("sei\nout MCUCR, r16\nnop\nnop\nnop\nnop\nnop\nnop")
    rig.chip.set_reg(16, 1)
    rig.step(6)
    assert rig.chip.pc == MAIN + 12
    rig.step()
    assert rig.status.sp == 0x4FD


def test_reset_vector_follows_bootrst():
    """BOOTRST programmed starts at the boot section, else at 0; IVSEL is clear after reset."""
    assert Rig(fuses=PLAIN_FUSES).chip.pc == 0
    rig = Rig(origin=0x3800, fuses=(0xE2, 0xDF, 0xF8))
    rig.chip.reset()
    assert rig.chip.pc == 0x3800
    assert rig.get("MCUCR") == 0
    assert rig.status.sp == 0x4FF


def test_multi_cycle_instruction_finishes_first():
    """A flag that rises inside an instruction is served when that has ended."""
    rig = Rig(VECTORS + f".org {MAIN}\nagain: rcall sub\nrjmp again\nsub: ret")
    rig.chip.pc = MAIN
    rig.set("TIMSK0", 1)
    rig.set("TCNT0", 0xFE)
    rig.set("TCCR0B", 1)
    rig.chip.sreg = I_FLAG
    assert rig.step() == 3
    assert rig.chip.pc == MAIN + 4
    assert rig.step() == 4
    assert rig.chip.pc == vector("TIMER0_OVF")


def test_illegal_use_of_stack_by_an_interrupt():
    """An interrupt that pushes outside memory is a fault, not silence."""
    rig = with_eeprom_ready("sei\nnop\nnop")
    rig.chip.sp = 0x20
    rig.step(4)
    assert rig.chip.fault is not None
    assert rig.chip.fault.kind.name == "STACK"


@pytest.mark.parametrize(("pin", "name"), [(2, "INT0"), (3, "INT1")])
@pytest.mark.parametrize(("sense", "levels"), [(1, (1, 0)), (2, (0,)), (3, (1,))])
def test_external_interrupts(pin: int, name: str, sense: int, levels: tuple[int, ...]):
    """INT0 (PD2) and INT1 (PD3) come at any, falling or rising edges, as EICRA says."""
    number = VECTOR[name] - 1
    rig = Rig(VECTORS + SLIDE)
    rig.set("DDRD", 1 << pin)
    rig.set("EICRA", sense << 2 * number)
    rig.set("EIMSK", 1 << number)
    rig.chip.pc = MAIN
    rig.chip.sreg = I_FLAG
    for level in (1, 0, 1, 0):
        rig.set("PORTD", level << pin)
        assert rig.get("EIFR") == (level in levels) << number
        rig.step()
        assert (rig.chip.pc == vector(name)) == (level in levels)
        assert rig.get("EIFR") == 0
        rig.step(3)


def test_external_interrupt_at_low_level():
    """With sense 0 INT0 comes again and again while its pin is low, and not while it is high."""
    rig = Rig(VECTORS + SLIDE)
    rig.set("DDRD", 4)
    rig.set("PORTD", 4)
    rig.set("EIMSK", 1)
    rig.chip.pc = MAIN
    rig.chip.sreg = I_FLAG
    rig.step(5)
    assert rig.chip.pc == MAIN + 10
    rig.set("PORTD", 0)
    entries = 0
    for _ in range(12):
        rig.step()
        entries += rig.chip.pc == vector("INT0")
    assert entries == 4
