"""A small two-pass assembler for test programs: mnemonics, labels, `.org`, `.word` and expressions.

Operands are Python expressions over labels (word addresses), data-space register names and bit names. `in`,
`out`, `sbi` and their kin take the data-space name and subtract 0x20 themselves, so that a program names a
register one way only. Not modelled: macros, sections, anything avr-as has beyond that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .isa import PATTERNS
from .registers import ADDRESS, BIT, VECTOR

_FLAGS = {letter: bit for bit, letter in enumerate("cznvshti")}
_BRANCHES = {
    "brcs": (1, 0), "brlo": (1, 0), "breq": (1, 1), "brmi": (1, 2), "brvs": (1, 3), "brlt": (1, 4),
    "brhs": (1, 5), "brts": (1, 6), "brie": (1, 7), "brcc": (0, 0), "brsh": (0, 0), "brne": (0, 1),
    "brpl": (0, 2), "brvc": (0, 3), "brge": (0, 4), "brhc": (0, 5), "brtc": (0, 6), "brid": (0, 7),
}  # fmt: skip
_DOUBLED = {"tst": "AND", "clr": "EOR", "lsl": "ADD", "rol": "ADC"}
_NAMES = {"lo8": lambda value: value & 0xFF, "hi8": lambda value: value >> 8 & 0xFF, **ADDRESS, **BIT}
_NAMES |= {f"{name}_vect": 2 * number for name, number in VECTOR.items()}
_LINE = re.compile(r"^\s*(?:(\w+):)?\s*([.\w]+)?\s*(.*?)\s*$")


def assemble(text: str, origin: int = 0, **symbols: int) -> bytes:
    """Return the program's bytes from byte address `origin`; gaps that `.org` (byte address) leaves are 0xFF.

    Args:
        text: one instruction a line; `;` starts a comment; `label:` may stand before or alone.
        origin: byte address of the first word.
        symbols: further names for expressions.
    """
    names = {**_NAMES, **symbols}
    for at, label, _, _ in _lines(text, origin, names):
        if label:
            names[label] = at // 2
    words: dict[int, int] = {}
    for at, _, name, operands in _lines(text, origin, names):
        if name and name != ".org":
            for index, word in enumerate(_encode(name, operands, at // 2, names)):
                words[at // 2 + index] = word
    end = max(words) + 1
    return b"".join(words.get(at, 0xFFFF).to_bytes(2, "little") for at in range(origin // 2, end))


def _lines(text: str, origin: int, names: dict[str, object]) -> Iterator[tuple[int, str, str, list[str]]]:
    at = origin
    for line in text.split("\n"):
        match = _LINE.match(line.partition(";")[0])
        assert match is not None
        label, name, rest = match[1] or "", (match[2] or "").lower(), match[3]
        operands = [part.strip() for part in rest.split(",")] if rest else []
        if name == ".org":
            at = _value(operands[0], names)
        yield at, label, name, operands
        if name == ".word":
            at += 2 * len(operands)
        elif name and name != ".org":
            at += 4 if name in ("lds", "sts", "jmp", "call") else 2


def _value(text: str, names: dict[str, object]) -> int:
    value = eval(text, {"__builtins__": {}}, dict(names))
    assert isinstance(value, int), text
    return value


def _register(text: str) -> int:
    pairs = {"x": 26, "xl": 26, "xh": 27, "y": 28, "yl": 28, "yh": 29, "z": 30, "zl": 30, "zh": 31}
    text = text.lower()
    return pairs[text] if text in pairs else int(text.removeprefix("r").partition(":")[0])


def _encode(name: str, ops: list[str], here: int, names: dict[str, object]) -> list[int]:
    def value(index: int) -> int:
        return _value(ops[index], names)

    def relative(index: int, bits: int) -> int:
        offset = int(ops[index][1:], 0) // 2 if ops[index].startswith(".") else value(index) - here - 1
        assert -(1 << bits - 1) <= offset < 1 << bits - 1, f"{name} {ops}: out of reach"
        return offset

    def word(base: str, **fields: int) -> list[int]:
        return [PATTERNS[base].encode(**fields)]

    if name == ".word":
        return [value(index) for index in range(len(ops))]
    if name in _BRANCHES:
        taken, bit = _BRANCHES[name]
        return word("BRBS" if taken else "BRBC", k=relative(0, 7), b=bit)
    if name in ("brbs", "brbc"):
        return word(name.upper(), b=value(0), k=relative(1, 7))
    if name in _DOUBLED:
        return word(_DOUBLED[name], d=_register(ops[0]), r=_register(ops[0]))
    if len(name) == 3 and name[:2] in ("se", "cl") and name[2] in _FLAGS:
        return word("BSET" if name[:2] == "se" else "BCLR", b=_FLAGS[name[2]])
    if name == "ser":
        return word("LDI", d=_register(ops[0]) - 16, k=0xFF)
    if name in ("sbr", "cbr"):
        mask = value(1) if name == "sbr" else ~value(1) & 0xFF
        return word("ORI" if name == "sbr" else "ANDI", d=_register(ops[0]) - 16, k=mask)
    if name in ("ld", "st", "ldd", "std", "lpm") and ops:
        return [_pointer(name, ops, names)]
    base = name.upper()
    letters = set(PATTERNS[base].bits) - {"0", "1"}
    if base in ("JMP", "CALL"):
        target = value(0)
        return [PATTERNS[base].encode(k=target >> 16), target & 0xFFFF]
    if base == "LDS":
        return [*word(base, d=_register(ops[0])), value(1)]
    if base == "STS":
        return [*word(base, d=_register(ops[1])), value(0)]
    if base in ("RJMP", "RCALL"):
        return word(base, k=relative(0, 12))
    if base == "IN":
        return word(base, d=_register(ops[0]), a=value(1) - 0x20)
    if base == "OUT":
        return word(base, d=_register(ops[1]), a=value(0) - 0x20)
    if letters == {"a", "b"}:
        return word(base, a=value(0) - 0x20, b=value(1))
    if base in ("ADIW", "SBIW"):
        return word(base, d=(_register(ops[0]) - 24) // 2, k=value(1))
    if base == "MOVW":
        return word(base, d=_register(ops[0]) // 2, r=_register(ops[1]) // 2)
    if letters == {"d", "r"}:
        low = 0 if PATTERNS[base].bits.count("d") == 5 else 16
        return word(base, d=_register(ops[0]) - low, r=_register(ops[1]) - low)
    if letters == {"d", "k"}:
        return word(base, d=_register(ops[0]) - 16, k=value(1) & 0xFF)
    if letters == {"d", "b"}:
        return word(base, d=_register(ops[0]), b=value(1))
    if letters == {"d"}:
        return word(base, d=_register(ops[0]))
    if letters == {"b"}:
        return word(base, b=value(0))
    assert not letters
    return word(base)


def _pointer(name: str, ops: list[str], names: dict[str, object]) -> int:
    register, pointer = ops if name in ("ld", "ldd", "lpm") else ops[::-1]
    pointer = pointer.replace(" ", "").upper()
    kind, _, displacement = pointer.partition("+")
    if name == "lpm":
        return PATTERNS[f"LPM_{pointer}"].encode(d=_register(register))
    if displacement or (kind in ("Y", "Z") and pointer == kind):
        row = PATTERNS[f"{name[:2].upper()}D_{kind}"]
        return row.encode(d=_register(register), q=_value(displacement or "0", names))
    return PATTERNS[f"{name.upper()}_{pointer}"].encode(d=_register(register))
