"""The avr5 instruction set as bit patterns, from the AVR Instruction Set Manual (Microchip DS40002198).

One row a pattern: name, sixteen places of 0, 1 or an operand letter, and the program words it takes. The
names are the manual's base instructions: aliases (TST, CLR, LSL, BREQ, SEI, ...) are the same words as AND,
EOR, ADD, BRBS, BSET. What the ATmega168PB lacks is absent and therefore illegal: ELPM, EIJMP, EICALL, DES,
XCH, LAS, LAC, LAT, SPM Z+.
"""

from __future__ import annotations

from dataclasses import dataclass

_ROWS = """
NOP     0000000000000000
MOVW    00000001ddddrrrr
MULS    00000010ddddrrrr
MULSU   000000110ddd0rrr
FMUL    000000110ddd1rrr
FMULS   000000111ddd0rrr
FMULSU  000000111ddd1rrr
CPC     000001rdddddrrrr
SBC     000010rdddddrrrr
ADD     000011rdddddrrrr
CPSE    000100rdddddrrrr
CP      000101rdddddrrrr
SUB     000110rdddddrrrr
ADC     000111rdddddrrrr
AND     001000rdddddrrrr
EOR     001001rdddddrrrr
OR      001010rdddddrrrr
MOV     001011rdddddrrrr
CPI     0011kkkkddddkkkk
SBCI    0100kkkkddddkkkk
SUBI    0101kkkkddddkkkk
ORI     0110kkkkddddkkkk
ANDI    0111kkkkddddkkkk
LDD_Z   10q0qq0ddddd0qqq
LDD_Y   10q0qq0ddddd1qqq
STD_Z   10q0qq1ddddd0qqq
STD_Y   10q0qq1ddddd1qqq
LDS     1001000ddddd0000 2
LD_Z+   1001000ddddd0001
LD_-Z   1001000ddddd0010
LPM_Z   1001000ddddd0100
LPM_Z+  1001000ddddd0101
LD_Y+   1001000ddddd1001
LD_-Y   1001000ddddd1010
LD_X    1001000ddddd1100
LD_X+   1001000ddddd1101
LD_-X   1001000ddddd1110
POP     1001000ddddd1111
STS     1001001ddddd0000 2
ST_Z+   1001001ddddd0001
ST_-Z   1001001ddddd0010
ST_Y+   1001001ddddd1001
ST_-Y   1001001ddddd1010
ST_X    1001001ddddd1100
ST_X+   1001001ddddd1101
ST_-X   1001001ddddd1110
PUSH    1001001ddddd1111
COM     1001010ddddd0000
NEG     1001010ddddd0001
SWAP    1001010ddddd0010
INC     1001010ddddd0011
ASR     1001010ddddd0101
LSR     1001010ddddd0110
ROR     1001010ddddd0111
DEC     1001010ddddd1010
BSET    100101000bbb1000
BCLR    100101001bbb1000
IJMP    1001010000001001
ICALL   1001010100001001
RET     1001010100001000
RETI    1001010100011000
SLEEP   1001010110001000
BREAK   1001010110011000
WDR     1001010110101000
LPM     1001010111001000
SPM     1001010111101000
JMP     1001010kkkkk110k 2
CALL    1001010kkkkk111k 2
ADIW    10010110kkddkkkk
SBIW    10010111kkddkkkk
CBI     10011000aaaaabbb
SBIC    10011001aaaaabbb
SBI     10011010aaaaabbb
SBIS    10011011aaaaabbb
MUL     100111rdddddrrrr
IN      10110aadddddaaaa
OUT     10111aadddddaaaa
RJMP    1100kkkkkkkkkkkk
RCALL   1101kkkkkkkkkkkk
LDI     1110kkkkddddkkkk
BRBS    111100kkkkkkkbbb
BRBC    111101kkkkkkkbbb
BLD     1111100ddddd0bbb
BST     1111101ddddd0bbb
SBRC    1111110ddddd0bbb
SBRS    1111111ddddd0bbb
"""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One instruction: its name, its bit pattern, and how many program words it takes."""

    name: str
    bits: str
    words: int

    @property
    def mask(self) -> int:
        return int("".join("1" if bit in "01" else "0" for bit in self.bits), 2)

    @property
    def value(self) -> int:
        return int("".join("1" if bit == "1" else "0" for bit in self.bits), 2)

    @property
    def mnemonic(self) -> str:
        """Return the name without the pointer, as the manual heads its pages."""
        return self.name.partition("_")[0]

    def encode(self, **fields: int) -> int:
        """Return the word with each operand letter's bits filled in, most significant first."""
        left = {letter: self.bits.count(letter) for letter in fields}
        word = 0
        for bit in self.bits:
            word <<= 1
            if bit in "01":
                word |= int(bit)
            else:
                left[bit] -= 1
                word |= fields[bit] >> left[bit] & 1
        return word


PATTERNS = {
    name: Pattern(name, bits, int(words[0]) if words else 1)
    for name, bits, *words in (row.split() for row in _ROWS.split("\n") if row)
}


def decode(word: int) -> Pattern | None:
    """Return the one pattern a word matches; None for an illegal word."""
    found = [row for row in PATTERNS.values() if word & row.mask == row.value]
    assert len(found) <= 1, f"{word:04x}: {[row.name for row in found]}"
    return found[0] if found else None
